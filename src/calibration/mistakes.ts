// Mistakes that workers share: how likely it is that one who is wrong repeats the wrong answer of another who is wrong. On
// questions with options that is often, on open ones seldom, and look-alikes (two sizes of one model) do it more than
// strangers. Each rate is shrunk: a pair's towards that of all, a question's (by its neighbours) towards that of all questions.

import { type ScoreRow, shrink } from "./rates.ts";

/** Where nothing was measured. */
export const USUAL_COINCIDENCE = 0.25;
const OVERALL_WEIGHT = 20;
const PAIR_WEIGHT = 12;
const QUESTION_WEIGHT = 4;
const MOST = 0.9;
const LEAST = 0.01;
/** A reply counts as wrong below this. */
const RIGHT = 0.99;

/** Labels of equal answers by task and worker; undefined: no answer, or not kept. */
export type AnswerRow = readonly (number | undefined)[];

export interface SharedMistakes {
  overall: number;
  /** How much more than usual this pair repeats each other, by position of the workers. */
  ratio(worker: number, other: number): number;
  /** Of a question, given its neighbours and their weights. */
  rateFor(neighbours: readonly { task: number; weight: number }[]): number;
}

export function measureMistakes(
  scores: readonly ScoreRow[],
  answers: readonly AnswerRow[],
  workers: number,
): SharedMistakes {
  const same = new Float64Array(workers * workers);
  const both = new Float64Array(workers * workers);
  const byTask = scores.map((row, task) => countTask(row, answers[task] ?? [], workers, same, both));
  const total = byTask.reduce((sum, each) => ({ same: sum.same + each.same, both: sum.both + each.both }), {
    same: 0,
    both: 0,
  });
  const overall = shrink(total.same, total.both, USUAL_COINCIDENCE, OVERALL_WEIGHT);
  return {
    overall,
    ratio: (worker, other) => {
      const at = worker * workers + other;
      return shrink(same[at]!, both[at]!, overall, PAIR_WEIGHT) / overall;
    },
    rateFor(neighbours) {
      let sum = 0;
      let count = 0;
      for (const { task, weight } of neighbours) {
        const each = byTask[task]!;
        if (each.both === 0) continue;
        sum += (weight * each.same) / each.both;
        count += weight;
      }
      return shrink(sum, count, overall, QUESTION_WEIGHT);
    },
  };
}

/** Bounded, since nobody is sure to repeat anybody. */
export function toCoincidence(rate: number, ratio: number): number {
  return Math.min(MOST, Math.max(LEAST, rate * ratio));
}

function countTask(
  scores: ScoreRow,
  answers: AnswerRow,
  workers: number,
  same: Float64Array,
  both: Float64Array,
): { same: number; both: number } {
  const counted = { same: 0, both: 0 };
  for (let a = 0; a < workers; a++) {
    if (!isWrong(scores[a], answers[a])) continue;
    for (let b = 0; b < a; b++) {
      if (!isWrong(scores[b], answers[b])) continue;
      const isSame = answers[a] === answers[b] ? 1 : 0;
      counted.same += isSame;
      counted.both += 1;
      for (const at of [a * workers + b, b * workers + a]) {
        same[at]! += isSame;
        both[at]! += 1;
      }
    }
  }
  return counted;
}

function isWrong(score: number | undefined, answer: number | undefined): boolean {
  return score !== undefined && score < RIGHT && answer !== undefined;
}
