// Mistakes that workers share: how likely it is that one who is wrong repeats the wrong answer of another who is wrong. On
// questions with options that is often, on open ones seldom, and look-alikes (two sizes of one model) do it more than
// strangers. Each rate is shrunk: a pair's towards that of all, a question's (by its neighbours) towards that of all questions.
// And the counterpart: how likely two who are right say the same. A puzzle with many solutions, or an answer that can be
// written in many ways, has right answers that differ; disagreement is no sign of a mistake there.

import { type ScoreRow, shrink } from "./rates.ts";

/** Where nothing was measured. */
export const USUAL_COINCIDENCE = 0.25;
const OVERALL_WEIGHT = 20;
const PAIR_WEIGHT = 12;
const QUESTION_WEIGHT = 4;
const AGREEMENT_WEIGHT = 0.5;
/** Two right answers are the same, where nothing was measured: most questions have one answer. */
const USUAL_AGREEMENT = 0.98;
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
  /** Of a question, given its neighbours: that two right answers to it are the same. */
  agreementFor(neighbours: readonly { task: number; weight: number }[]): number;
}

/** Pairs of a task who are both wrong, or both right, and how many of them say the same. */
interface PairCount {
  same: number;
  both: number;
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
  const rightByTask = scores.map((row, task) => countRight(row, answers[task] ?? [], workers));
  const right = rightByTask.reduce(
    (sum, { same, both }) => ({ same: sum.same + same, both: sum.both + both }),
    {
      same: 0,
      both: 0,
    },
  );
  const agreement = shrink(right.same, right.both, USUAL_AGREEMENT, OVERALL_WEIGHT);
  return {
    overall,
    ratio: (worker, other) => {
      const at = worker * workers + other;
      return shrink(same[at]!, both[at]!, overall, PAIR_WEIGHT) / overall;
    },
    rateFor: (neighbours) => rateOf(byTask, neighbours, overall, QUESTION_WEIGHT),
    agreementFor: (neighbours) => rateOf(rightByTask, neighbours, agreement, AGREEMENT_WEIGHT),
  };
}

/** Of the neighbours, each by its weight, shrunk towards what is usual. */
function rateOf(
  byTask: readonly PairCount[],
  neighbours: readonly { task: number; weight: number }[],
  usual: number,
  usualWeight: number,
): number {
  let sum = 0;
  let count = 0;
  for (const { task, weight } of neighbours) {
    const { same, both } = byTask[task]!;
    if (both === 0) continue;
    sum += (weight * same) / both;
    count += weight;
  }
  return shrink(sum, count, usual, usualWeight);
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
): PairCount {
  const counted: PairCount = { same: 0, both: 0 };
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

function countRight(scores: ScoreRow, answers: AnswerRow, workers: number): PairCount {
  const counted: PairCount = { same: 0, both: 0 };
  for (let a = 0; a < workers; a++) {
    if (!isRight(scores[a], answers[a])) continue;
    for (let b = 0; b < a; b++) {
      if (!isRight(scores[b], answers[b])) continue;
      counted.same += answers[a] === answers[b] ? 1 : 0;
      counted.both += 1;
    }
  }
  return counted;
}

function isRight(score: number | undefined, answer: number | undefined): boolean {
  return score !== undefined && score >= RIGHT && answer !== undefined;
}

function isWrong(score: number | undefined, answer: number | undefined): boolean {
  return score !== undefined && score < RIGHT && answer !== undefined;
}
