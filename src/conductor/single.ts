// One worker and no team: the one that is measured best for this question, or the one that was named. It gets the
// conversation as it is (an empty subtask), as if the client had asked it directly.

import { TuttiError } from "../base/errors.ts";
import { strongestForQuestion } from "../worker/kinds.ts";
import { createOneRoundConductor } from "./deciding.ts";
import type { Conductor } from "./types.ts";

/** `named` absent: the one with the highest success on tasks like this one, where that is known. */
export function createSingleConductor(named?: string): Conductor {
  const identity =
    named === undefined ? { kind: "fast" as const } : { kind: "single" as const, worker: named };
  return createOneRoundConductor(identity, ({ pool: { members } }) => {
    const worker = strongestForQuestion(members).find(
      (number) => named === undefined || members[number]!.worker.id === named,
    );
    if (worker === undefined)
      throw new TuttiError("unknown-worker", `There is no model ${named ?? ""} in the pool`);
    return { steps: [{ worker, subtask: "", access: [] }] };
  });
}
