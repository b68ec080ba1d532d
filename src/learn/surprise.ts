// How strange a question looks to the model: the mean surprise a token of its text. A threshold on it tells
// whether a question is of the kind it was trained on.

import type { Question } from "../world/types.ts";
import { type Policy, toPrompt } from "./policy.ts";

const BATCH = 32;
/** So many of the questions it was made for pass. */
const SHARE = 0.98;

export async function measureSurprise(policy: Policy, questions: readonly Question[]) {
  const all: number[] = [];
  for (let first = 0; first < questions.length; first += BATCH) {
    const part = questions.slice(first, first + BATCH);
    const prefixes = part.map((question) => toPrompt(policy, question).reading.prefix);
    all.push(...(await policy.model.negativeLogLikelihood(prefixes)));
  }
  const sorted = all.sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { threshold: at(SHARE), median: at(0.5), share: SHARE };
}
