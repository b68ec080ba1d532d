// One worker and no team: the one that is measured best for this question, or the one that was named. It gets the
// conversation as it is (an empty subtask), as if the client had asked it directly.

import { TuttiError } from "../base/errors.ts";
import { strongestFirst } from "../worker/strength.ts";
import { NO_USAGE } from "../worker/usage.ts";
import type { Conductor } from "./types.ts";

/** `workerId` absent: the one with the highest success on tasks like this one, where that is known. */
export function createSingleConductor(workerId?: string): Conductor {
  return {
    identity: workerId === undefined ? { kind: "fast" } : { kind: "single", worker: workerId },
    async *compose({ pool: { members }, rounds }) {
      const ranked = strongestFirst(
        members.map(({ worker, profile }) => ({
          kind: worker.kind,
          profile: profile && { ...profile, success: profile.similar ?? profile.success },
        })),
      );
      const worker = ranked.find(
        (number) => workerId === undefined || members[number]!.worker.id === workerId,
      );
      if (worker === undefined)
        throw new TuttiError("unknown-worker", `There is no model ${workerId ?? ""} in the pool`);
      const workflow = { steps: [{ worker, subtask: "", access: [] }] };
      const decision =
        rounds.length === 0 ? { type: "workflow" as const, workflow } : { type: "accept" as const };
      yield { type: "plan-end", text: "", decision, usage: NO_USAGE };
    },
  };
}
