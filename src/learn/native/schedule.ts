// The order of learning. A team of random workers is worse than one good worker, so teams die out before
// selection is good: selection comes first (teams of one), then teams of given sizes, so that they get good
// before they compete with one another, then second rounds of given sizes, then what instructions could be better, and
// last which size is worth its calls.

import type { Random } from "../../base/random.ts";
import { learningRateAt } from "../../nn/optimiser.ts";
import type { Schedule, ScheduleEntry } from "../types.ts";

export type StageName = "warm-up" | "distillation" | "selection" | "teams" | "rounds" | "proposals" | "sizes";

export interface ScheduleOptions {
  /** Of reinforcement; the warm-up comes before. */
  iterations: number;
  warmUp: number;
  /** Iterations of distillation, before reinforcement. */
  distilled: number;
  /** Iterations that propose an instruction each, before sizes are compared; none by default. */
  proposals?: number;
  rounds: number;
  /** It begins with weights that were trained before: no warm-up, no selection, and teams to be stuck in. */
  isContinued?: boolean;
  /** The size that teams shall have in the end; absent: the policy learns to decide. */
  size?: number;
  learningRate: number;
  /** Weight of the entropy of decisions, at its highest. */
  exploration: number;
}

export interface StagePlan extends ScheduleEntry {
  stage: StageName;
  learningRate: number;
  /** Weight of the entropy of decisions. */
  exploration: number;
  /** A size for a question's team. */
  sampleSize(random: Random): number;
  /**
   * What its reward is for. Words: for each question the likeliest team is written with different words, so that what
   * is said is compared and nothing else; the small worth of a sentence drowned in what a team is worth.
   */
  focus: Focus;
  /** Beside what is sampled, teams are tried that exchanges in the likeliest one led to. */
  exchanges?: boolean;
}

/** All: who is asked, what they are told and what they see. */
export type Focus = "all" | "team" | "words";

const SELECTION_SHARE = 0.15;
const ROUNDS_SHARE = 0.2;
const SIZES_SHARE = 0.2;
/** Where all teams shall have one size, others are trained too, by this share of the questions. */
const OTHER_SIZES = { early: 0.5, late: 0.2 };
/** Times the rate of reinforcement: there is no noise in the warm-up. */
const WARM_UP_RATE = 4;
/** Times the rate of reinforcement: what is imitated was compared many times. */
const DISTILLED_RATE = 2;
/** In the stage of selection most questions are for one worker; the others keep a given size meaningful. */
const ALONE = 0.75;
const GIVEN_SIZES = [1, 2, 3, 3, 3, 4, 4, 4, 5] as const;
const RISE = 5;
/** An optimiser that is new to its weights takes the same step in every direction at first: that is what spoils them. */
const CONTINUED_RISE = 20;
/** Of the exploration, this share in the stage of rounds: what was found is then made firm. */
const FIRM = 0.25;
/** Validation rewards differ by so much without a reason: two questions in a hundred. */
const NOISE = 0.01;

export function createSchedule(options: ScheduleOptions): Schedule<StagePlan> {
  const { distilled, iterations, proposals = 0 } = options;
  const warmUp = warmUpOf(options);
  return {
    total: warmUp + distilled + iterations + proposals,
    at: (iteration) => planAt(iteration, options),
  };
}

function warmUpOf({ warmUp, isContinued }: ScheduleOptions): number {
  return isContinued ? 0 : warmUp;
}

function planAt(iteration: number, options: ScheduleOptions): StagePlan {
  const plan = stageAt(iteration, options);
  const { stage } = plan;
  return {
    ...{ ...plan, iteration, isWarmUp: stage === "warm-up", isFinal: stage === finalStage(options) },
    // While sizes or sentences are compared it only learns more: that counts, unless it does clearly worse.
    tolerance: stage === "sizes" || stage === "proposals" ? NOISE : 0,
  };
}

/** Without reinforcement what comes before it is kept: that is how a warm-up alone is measured. */
function finalStage(options: ScheduleOptions): StageName {
  const { iterations, distilled, proposals = 0 } = options;
  if (iterations > 0 && comparesSizes(options)) return "sizes";
  if (proposals > 0) return "proposals";
  if (iterations === 0) return distilled > 0 ? "distillation" : "warm-up";
  return "teams";
}

/** Whether there is anything to choose: how large a team shall be, or whether another round is worth it. */
function comparesSizes({ size, rounds }: ScheduleOptions): boolean {
  return size === undefined || rounds > 1;
}

function stageAt(
  iteration: number,
  options: ScheduleOptions,
): Omit<StagePlan, keyof ScheduleEntry> & { stage: StageName } {
  const {
    distilled,
    iterations,
    rounds,
    size,
    learningRate,
    exploration,
    proposals = 0,
    isContinued,
  } = options;
  const warmUp = warmUpOf(options);
  const sampleGiven = (random: Random) => random.pick(GIVEN_SIZES);
  if (iteration < warmUp) {
    const peak = WARM_UP_RATE * learningRate;
    const rate = learningRateAt(iteration, { peak, warmUp: 20, total: warmUp, floor: 0.2 });
    return { stage: "warm-up", learningRate: rate, exploration: 0, sampleSize: sampleGiven, focus: "all" };
  }
  const at = iteration - warmUp - distilled;
  if (at < 0) {
    const rate = learningRateAt(at + distilled, {
      peak: DISTILLED_RATE * learningRate,
      warmUp: RISE,
      total: distilled,
      floor: 0.3,
    });
    return {
      stage: "distillation",
      learningRate: rate,
      exploration: 0,
      sampleSize: sampleGiven,
      focus: "all",
    };
  }
  // Each of these grows with the count, or the first iterations could change when it does.
  const ofWriting = 1 - (comparesSizes(options) ? SIZES_SHARE : 0);
  const forWriting = Math.round(iterations * ofWriting);
  const forFirst = Math.round(iterations * (ofWriting - (rounds > 1 ? ROUNDS_SHARE : 0)));
  const forSelection = isContinued ? 0 : Math.round(forFirst * SELECTION_SHARE);
  const rise = isContinued ? CONTINUED_RISE : RISE;
  const rate = learningRateAt(at, { peak: learningRate, warmUp: rise, total: forWriting, floor: 0.1 });
  // Exploration fades with the learning rate: what was found is then made firm.
  const explore = at < RISE ? exploration : exploration * (rate / learningRate);
  const common = { learningRate: rate, exploration: explore };
  const sampleMostly = (others: number) => (random: Random) =>
    size === undefined || random.next() < others ? sampleGiven(random) : size;
  if (at < forSelection) {
    const sampleSize = (random: Random) => (random.next() < ALONE ? 1 : sampleGiven(random));
    return { stage: "selection", ...common, sampleSize, focus: "team" };
  }
  if (at < forFirst) {
    const isEarly = !isContinued && at - forSelection < (forFirst - forSelection) / 2;
    const focus = at % 2 === 0 ? "team" : "words";
    return {
      ...{ stage: "teams", ...common, focus },
      // From the beginning there is nothing yet to be stuck in, and what was found was mostly another vote.
      exchanges: focus === "team" && !isEarly,
      sampleSize: sampleMostly(isEarly ? OTHER_SIZES.early : OTHER_SIZES.late),
    };
  }
  const sampleSize = sampleMostly(0);
  if (at < forWriting)
    return { stage: "rounds", learningRate: rate, exploration: explore * FIRM, sampleSize, focus: "all" };
  if (at < forWriting + proposals) {
    const teams = sampleMostly(OTHER_SIZES.late);
    return { stage: "proposals", learningRate: 0, exploration: 0, sampleSize: teams, focus: "all" };
  }
  return { stage: "sizes", learningRate: 0, exploration: 0, sampleSize, focus: "all" };
}
