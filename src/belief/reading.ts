// How a belief is read: which option a step stands for, and the few answers that are worth a line. Apart from the types,
// because terminals, progress lines and pages all show the same.

import type { Belief, BelievedAnswer, BelievedOption } from "./types.ts";

/** `worker` is the one that the workflow names, not who took its place. Undefined where no option fits. */
export function toTaken(belief: Belief, step: number, worker: number): BelievedOption | undefined {
  const taken = belief.options[belief.taken?.[step] ?? -1];
  return taken ?? belief.options.find((option) => option.worker === worker);
}

/** The likeliest answers, and how many others there are with which probability together. */
export function toLikeliest(
  { answers }: Belief,
  most: number,
): { shown: BelievedAnswer[]; others: { count: number; probability: number } } {
  // With one more than fits, that one takes the line of "1 other".
  const kept = answers.length === most + 1 ? most + 1 : most;
  const rest = answers.slice(kept);
  const probability = rest.reduce((sum, answer) => sum + answer.probability, 0);
  return { shown: answers.slice(0, kept), others: { count: rest.length, probability } };
}
