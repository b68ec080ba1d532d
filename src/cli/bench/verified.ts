// A cascade with a verifier as it is asked for on the command line: its error by a flag, or after its name.

import type { Command } from "commander";
import { usageError } from "../../base/errors.ts";
import type { Baseline } from "../../baseline/types.ts";
import type { WorldSet } from "../../world/types.ts";
import { share } from "../options.ts";

/** For verified-cascade on a recording. */
export function addVerifierFlag(command: Command): Command {
  return command.option(
    "--verifier-error <share>",
    "with --recording and verified-cascade: the verifier is simulated and wrong this often, 0 to 0.5; by default 0, the recorded verdict itself",
    share("--verifier-error", 0.5),
  );
}

/** "verified-cascade", or with the error of its simulated verifier after "@". */
export async function toVerified(id: string, set: WorldSet, error: number, seed: number): Promise<Baseline> {
  const { createVerifiedCascadeBaseline } = await import("../../baseline/verified-cascade.ts");
  const at = id.indexOf("@");
  const own = at < 0 ? error : share("The error of a verifier after @", 0.5)(id.slice(at + 1));
  const { recorded } = set;
  if (!recorded)
    throw usageError(
      `"verified-cascade" is measured on a recording, whose scores are the verdicts: a ${set.kind === "tasks" ? "live pool" : set.kind} has none. Use --recording, or tutti ask --conductor verified-cascade`,
    );
  // Rows of another error are rows of another verifier.
  const name = own === 0 ? "verified-cascade" : `verified-cascade@${own}`;
  return createVerifiedCascadeBaseline({
    id: name,
    error: own,
    seed,
    isRight: (task, worker) => recorded(task, worker)[0] === 1,
  });
}
