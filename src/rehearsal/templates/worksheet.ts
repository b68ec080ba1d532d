// The sheet on which families work their problems out, and the slips people really make on it:
// off by one, off by ten, a letter swapped or lost, the wrong one of several things.

import { sameAnswer } from "../../answer/normalise.ts";
import type { Random } from "../../base/random.ts";
import type { Family, Problem, Slip, SolutionStage, Worked, Worksheet } from "../types.ts";

/** Digits after the point that count. Enough for every family, few enough to hide floating point. */
const DECIMALS = 1e6;

export class Sheet implements Worksheet {
  readonly stages: SolutionStage[] = [];
  readonly #slip: Slip | undefined;

  constructor(slip?: Slip) {
    this.#slip = slip;
  }

  number(work: string, value: number, line: string): number {
    return this.#stage(work, value, line, (random) => slipNumber(value, random), showNumber);
  }

  text(work: string, value: string, line: string): string {
    return this.#stage(work, value, line, (random) => slipText(value, random), String);
  }

  choice<T>(
    work: string,
    value: T,
    others: readonly T[],
    line: string,
    show: (shown: T) => string = String,
  ): T {
    return this.#stage(
      work,
      value,
      line,
      (random) => (others.length > 0 ? random.pick(others) : value),
      show,
    );
  }

  #stage<T>(
    work: string,
    value: T,
    line: string,
    slip: (random: Random) => T,
    show: (shown: T) => string,
  ): T {
    const result = this.#slip?.stage === this.stages.length ? slip(this.#slip.random) : value;
    this.stages.push({ work, line: line.replaceAll("#", () => show(result)) });
    return result;
  }
}

export function showNumber(value: number): string {
  // Adding 0 turns −0 into 0.
  return String(Math.round(value * DECIMALS) / DECIMALS + 0);
}

/** A solution of the problem that goes wrong at this stage, and whose answer is certainly not the right one. */
export function workOutWrongly(family: Family, problem: Problem, stage: number, random: Random): Worked {
  const last = problem.stages.length - 1;
  // Some slips have no consequence; then another is tried, in the end one in the answer itself.
  for (let at = Math.min(stage, last); at <= last; at++) {
    for (let attempt = 0; attempt < 4; attempt++) {
      const worked = family.workOut(problem, { stage: at, random });
      if (!sameAnswer(worked.answer, problem.answer)) return worked;
    }
  }
  throw new Error(`A slip in the last stage of "${problem.question}" left its answer right`);
}

function slipNumber(value: number, random: Random): number {
  const by = random.pick([1, 1, 2, 10, 10]);
  const slipped = random.next() < 0.5 ? value - by : value + by;
  // A negative result where there was none would be noticed at once.
  return value >= 0 && slipped < 0 ? value + by : slipped;
}

function slipText(value: string, random: Random): string {
  const at = random.integer(0, Math.max(0, value.length - 2));
  const swapped = value.slice(0, at) + value.charAt(at + 1) + value.charAt(at) + value.slice(at + 2);
  if (random.next() < 0.6 && swapped !== value) return swapped;
  // Losing a letter always changes a text; a text of one letter is doubled instead.
  return value.length > 1 ? value.slice(0, at) + value.slice(at + 1) : value + value;
}
