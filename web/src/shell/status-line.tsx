// At the bottom of every page: whether workers are simulated, and who may come in.

import { useQuery } from "@tanstack/react-query";
import type { Session } from "../../../src/gateway/dashboard/types.ts";
import { getJson, setKey } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { useModels } from "./models.ts";

export function StatusLine() {
  const { data: models } = useModels();
  const { data: session } = useQuery({
    queryKey: ["session"],
    queryFn: ({ signal }) => getJson<Session>("v1/session", undefined, signal),
    staleTime: 60_000,
  });
  return (
    <footer className="status-line">
      {models?.some(({ simulated }) => simulated) && (
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
