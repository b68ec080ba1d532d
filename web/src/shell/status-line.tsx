// At the bottom of every page: whether workers are simulated, and who may come in.

import type { DashboardSession } from "../../../src/gateway/dashboard/types.ts";
import { setKey } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { useJson } from "../ui/use-json.ts";
import { useModels } from "./models.ts";

export function StatusLine() {
  const { isSimulated } = useModels();
  const { data: session } = useJson<DashboardSession>("v1/session", undefined, { staleTime: 60_000 });
  return (
    <footer className="status-line">
      {isSimulated && (
        <span>Rehearsal: the workers are simulated, no money is spent, nothing leaves this machine.</span>
      )}
      {session?.isOpen && (
        <span>No keys are defined: open to every program on this machine, and to no other.</span>
      )}
      {session?.key && (
        <span>
          With the key {session.key.name} ({session.key.hint}), kept in this tab.{" "}
          <Button kind="quiet" isSmall onClick={forget}>
            Forget it
          </Button>
        </span>
      )}
    </footer>
  );
}

function forget(): void {
  setKey(undefined);
  location.reload();
}
