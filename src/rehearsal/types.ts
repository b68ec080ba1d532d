// The simulated world's nouns: a family of problems, a problem with its worked stages, and the sheet on
// which a solution is worked out, rightly or with a slip. Nothing here knows of workers.

import type { Random } from "../base/random.ts";
import type { Topic } from "../worker/types.ts";

export type Difficulty = 1 | 2 | 3;

/** One real step of a solution. */
export interface SolutionStage {
  /** The kind of work, without the numbers: what a plan would say. */
  work: string;
  /** The work as done, with the numbers. */
  line: string;
}

/** Plain data, and equal to what `read` makes of its question. Shared by a memo, so it is never changed. */
export interface Problem {
  readonly family: string;
  readonly topic: Topic;
  readonly difficulty: Difficulty;
  readonly question: string;
  /** Of the question: luck that depends on it is drawn from this. */
  readonly hash: number;
  readonly answer: string;
  readonly stages: readonly SolutionStage[];
  /** Which form of the family, and what fills its slots. */
  readonly form: number;
  readonly parameters: unknown;
}

/** A mistake to make on purpose: at this stage, of a sampled kind. */
export interface Slip {
  stage: number;
  random: Random;
}

export interface Worked {
  readonly stages: readonly SolutionStage[];
  readonly answer: string;
}

/**
 * Where a solution is written down, stage by stage. Each method returns the result as the one who works
 * has it: the true one, or, at the stage of a slip, a plausible false one. Later stages go on from there,
 * so a slip has its real consequences. `#` in a line stands for that result.
 */
export interface Worksheet {
  number(work: string, value: number, line: string): number;
  text(work: string, value: string, line: string): string;
  /** The result is one of several things; a slip takes one of the others. */
  choice<T>(work: string, value: T, others: readonly T[], line: string, show?: (shown: T) => string): T;
}

export interface Family {
  readonly id: string;
  readonly topic: Topic;
  /** What is to be done with such a question, as a subtask would say it. */
  readonly work: string;
  /** Words that name this work. Lower case. */
  readonly terms: readonly string[];
  /** The answer is known or not known: no plan helps, and asking again gives the same. */
  readonly recall: boolean;
  generate(random: Random, difficulty: Difficulty): Problem;
  /** The problem inside a text (cleaned by `cleanText`), also with other words around it or other numbers. */
  read(text: string): Problem | undefined;
  /** Works a problem of this family out again, with a slip. */
  workOut(problem: Problem, slip?: Slip): Worked;
}
