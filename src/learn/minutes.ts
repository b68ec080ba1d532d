// How minutes become a count of iterations, and how they are kept: the warm-up, evaluations and the test at the end are
// part of them. Pure but for the clock, which is given.

import { usageError } from "../base/errors.ts";

/** Warm-up iterations after which it is known whether the minutes can be kept; the first half of them is slow. */
const TRIED = 16;
/** On a slow machine it is decided when this share of the minutes is over, but never on the first few alone. */
const TRIED_SHARE = 1 / 3;
const FEWEST_TRIED = 4;
/** The warm-up, an evaluation and the test may take this share of the minutes; learning needs the rest. */
const LARGEST_SHARE = 0.7;
/** Iterations timed before minutes become a count. */
const TIMED = 6;
/** Later plans are longer than the first ones, and so are their iterations. */
const GROWTH = 1.15;
/** The speed of so many iterations tells how long the rest takes. */
const RECENT = 10;
/** A count is lowered where the rest would take so much more than is left. */
const TOLERANCE = 1.03;
/** Of the test at the end, in evaluations of as many questions as the validation split has. */
const TEST = 3;

export interface MinutesOptions {
  minutes: number;
  /** Seconds since the command was given. */
  clock: () => number;
  warmUp: number;
  evaluateEvery: number;
  /** What was trained is tested in the end, before the minutes are over. */
  hasTest: boolean;
  /** Seconds of the iterations before this process, where not all were timed. */
  timed?: readonly number[];
}

export class Minutes {
  readonly #options: MinutesOptions;
  readonly #warmUps: number[] = [];
  readonly #iterations: number[];
  /** Whether the minutes are enough is asked once. */
  #isDecided = false;
  /** One evaluation on the validation split. */
  #evaluationSeconds = 0;

  constructor(options: MinutesOptions) {
    this.#options = options;
    this.#iterations = [...(options.timed ?? [])];
  }

  get #end(): number {
    return this.#options.minutes * 60;
  }

  /** Everything after the last iteration. */
  get #closing(): number {
    return this.#evaluationSeconds * (1 + (this.#options.hasTest ? TEST : 0));
  }

  /** Throws "usage" as soon as it is known that the minutes do not even hold what comes before and after learning. */
  addWarmUp(seconds: number): void {
    this.#warmUps.push(seconds);
    const { minutes, clock, warmUp } = this.#options;
    const tried = this.#warmUps.length;
    const isOver = tried >= FEWEST_TRIED && clock() > TRIED_SHARE * this.#end;
    if (this.#isDecided || (tried < Math.min(TRIED, warmUp) && !isOver)) return;
    this.#isDecided = true;
    const each = medianOf(this.#warmUps.slice(Math.floor(tried / 2)));
    const needed = clock() + (warmUp - tried) * each;
    if (needed <= LARGEST_SHARE * this.#end) return;
    const enough = Math.ceil((needed / LARGEST_SHARE / 60) * 10) / 10;
    throw usageError(
      `${minutes} ${minutes === 1 ? "minute is" : "minutes are"} not enough here: the warm-up alone takes about ${Math.ceil(needed)} s. Give it --minutes ${enough} or more, or a number of --iterations`,
    );
  }

  /** An evaluation took so long. */
  addEvaluation(seconds: number): void {
    this.#evaluationSeconds = seconds;
  }

  /** Whether this iteration was the last that had to be timed. */
  addIteration(seconds: number): boolean {
    this.#iterations.push(seconds);
    return this.#iterations.length === TIMED;
  }

  /** How many more iterations there is time for. */
  countMore(): number {
    const each = medianOf(this.#iterations.slice(-RECENT));
    const growth = this.#iterations.length <= TIMED ? GROWTH : 1;
    const withEvaluations = growth * each + this.#evaluationSeconds / this.#options.evaluateEvery;
    const left = this.#end - this.#options.clock() - this.#closing;
    return Math.max(0, Math.floor(left / withEvaluations));
  }

  /** How many there is time for instead, where so many more would take too long. */
  countFewer(more: number): number | undefined {
    const fits = this.countMore();
    return more > 2 && more > fits * TOLERANCE + 1 ? Math.max(1, fits) : undefined;
  }
}

function medianOf(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
