// The order of learning. A team of random workers is worse than one good worker, so teams die out before
// selection is good: selection comes first (teams of one), then teams of given sizes, so that they get good
// before they compete with one another, then second rounds of given sizes, and last which size is worth its calls.

import type { Random } from "../base/random.ts";
import { learningRateAt } from "../nn/optimiser.ts";
import type { StageName } from "./types.ts";

export interface ScheduleOptions {
  /** Of reinforcement; the warm-up comes before. */
  iterations: number;
  warmUp: number;
  /** Steps of the supervised variant, before reinforcement. */
  supervised: number;
  rounds: number;
  /** The size that teams shall have in the end; absent: the policy learns to decide. */
  size?: number;
  learningRate: number;
  exploration: number;
}

export interface Lot {
  stage: StageName;
  learningRate: number;
  /** Weight of the entropy of decisions. */
  exploration: number;
  /** Size of a question's team by lot. */
  drawSize(random: Random): number;
}

const SELECTION_SHARE = 0.15;
const ROUNDS_SHARE = 0.2;
const SIZES_SHARE = 0.2;
/** Where all teams shall have one size, others are practised too, by so many questions early and late. */
const OTHER_SIZES = { early: 0.5, late: 0.2 };
/** Larger than in reinforcement: there is no noise in the warm-up. */
const WARM_UP_RATE = 4;
/** In the stage of selection most questions are for one worker; the others keep a given size meaningful. */
const ALONE = 0.75;
const GIVEN_SIZES = [1, 2, 3, 3, 3, 4, 4, 4, 5] as const;
const RISE = 5;
/** Of the entropy that is asked for, this share in the stage of rounds: what was found is then made firm. */
const FIRM = 0.25;

export function totalOf({ warmUp, supervised, iterations }: ScheduleOptions): number {
  return warmUp + supervised + iterations;
}

/** The fewest iterations of which the first `count` would be the same in any longer training. */
export function fewestIterations(count: number, options: ScheduleOptions): number {
  const last = options.warmUp + options.supervised + count - 1;
  const lotOf = (iterations: number) => lotAt(last, { ...options, iterations });
  const wanted = lotOf(Number.MAX_SAFE_INTEGER);
  const isSame = ({ stage, learningRate, exploration }: Lot) =>
    stage === wanted.stage && learningRate === wanted.learningRate && exploration === wanted.exploration;
  let iterations = count;
  while (!isSame(lotOf(iterations))) iterations++;
  return iterations;
}

export function lotAt(iteration: number, options: ScheduleOptions): Lot {
  const { warmUp, supervised, iterations, rounds, size, learningRate, exploration } = options;
  const drawGiven = (random: Random) => random.pick(GIVEN_SIZES);
  if (iteration < warmUp) {
    const rate = learningRateAt(iteration, {
      peak: WARM_UP_RATE * learningRate,
      warmUp: 20,
      total: warmUp,
      floor: 0.2,
    });
    return { stage: "warm-up", learningRate: rate, exploration: 0, drawSize: drawGiven };
  }
  const taught = iteration - warmUp;
  if (taught < supervised) return { stage: "supervised", learningRate, exploration: 0, drawSize: () => 1 };
  const at = taught - supervised;
  // Each of these grows with the count, or the first iterations could change when it does.
  const ofWriting = 1 - (comparesSizes(options) ? SIZES_SHARE : 0);
  const forWriting = Math.round(iterations * ofWriting);
  const forFirst = Math.round(iterations * (ofWriting - (rounds > 1 ? ROUNDS_SHARE : 0)));
  const forSelection = Math.round(forFirst * SELECTION_SHARE);
  const rate = learningRateAt(at, { peak: learningRate, warmUp: RISE, total: forWriting, floor: 0.1 });
  // Exploration fades with the learning rate: what was found is then made firm.
  const explore = exploration * (rate / learningRate);
  const common = { learningRate: rate, exploration: at < RISE ? exploration : explore };
  const drawSettled = (others: number) => (random: Random) =>
    size === undefined || random.next() < others ? drawGiven(random) : size;
  if (at < forSelection) {
    const drawSize = (random: Random) => (random.next() < ALONE ? 1 : drawGiven(random));
    return { stage: "selection", ...common, drawSize };
  }
  if (at < forFirst) {
    const isEarly = at - forSelection < (forFirst - forSelection) / 2;
    const drawSize = drawSettled(isEarly ? OTHER_SIZES.early : OTHER_SIZES.late);
    return { stage: "teams", ...common, drawSize };
  }
  const drawSize = drawSettled(0);
  if (at < forWriting) {
    const firm = { ...common, exploration: common.exploration * FIRM };
    return { stage: "rounds", ...firm, drawSize };
  }
  return { stage: "sizes", learningRate: 0, exploration: 0, drawSize };
}

/** Whether there is anything to choose: how large a team shall be, or whether another round is worth it. */
export function comparesSizes({ size, rounds }: Pick<ScheduleOptions, "size" | "rounds">): boolean {
  return size === undefined || rounds > 1;
}
