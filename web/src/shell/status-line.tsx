// At the bottom of every page: whether workers are simulated, and whether anybody on this machine may come in.

import { isSimulated } from "../../../src/store/summary.ts";
import { hasKey } from "../api.ts";
import { useModels } from "./models.ts";

export function StatusLine() {
  const { data: models } = useModels();
  return (
    <footer className="status-line">
      {models && isSimulated(models) && (
        <span>Rehearsal: the workers are simulated, no money is spent, nothing leaves this machine.</span>
      )}
      {models &&
        (hasKey() ? (
          <span>With a key, which this tab keeps.</span>
        ) : (
          <span>No keys are defined: open to every program on this machine, and to no other.</span>
        ))}
    </footer>
  );
}
