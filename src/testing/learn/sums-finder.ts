// A question finder for tests of the environment: sums, whose workers are given, found by labels of the rehearsal.

import type { QuestionFinder } from "../../environment/find-question.ts";
import { type QuestionLabel, toLabelText } from "../../environment/label.ts";
import type { PoolMember } from "../../worker/types.ts";
import { renderWorkflow } from "../../workflow/render.ts";
import type { World } from "../../world/types.ts";
import { add, createSmallWorld, toMember, toSum } from "./small-world.ts";

export const GOOD = 0;
export const BAD = 1;

export interface SumsFinder extends QuestionFinder {
  /** How often a worker was asked anything. */
  asked(): number;
}

/** Worker 0 can add and worker 1 cannot, unless others are given. */
export function createSumsFinder(given?: PoolMember[], parts: Partial<World> = {}): SumsFinder {
  let count = 0;
  const members = (given ?? [toMember("good", add, 0.9), toMember("bad", "Answer: 0", 0.2)]).map(
    (member): PoolMember => ({
      ...member,
      worker: {
        ...member.worker,
        ask(request, signal) {
          count++;
          return member.worker.ask(request, signal);
        },
      },
    }),
  );
  const world = createSmallWorld(parts);
  return {
    name: "sums",
    isSimulated: true,
    asked: () => count,
    find(label) {
      if (label.world !== "rehearsal") throw new Error("a label of the rehearsal is wanted");
      return { question: { task: toSum(label.number), pool: { members } }, world };
    },
  };
}

export function sumLabel(number: number, more: Pick<QuestionLabel, "before"> = {}): string {
  return toLabelText({ world: "rehearsal", pools: "fixed", seed: 0, split: "train", number, ...more });
}

/** What a policy would write: some thoughts, and one step. */
export function planFor(worker: number, words = "Add the numbers"): string {
  const steps = [{ worker, subtask: words, access: [] }];
  return `One worker does.\n\n${renderWorkflow({ steps })}`;
}
