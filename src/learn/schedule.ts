// The order of learning. A team of random workers is worse than one good worker, so teams die out before
// selection is good: selection comes first (teams of one), then teams of given sizes, so that they get good
// before they compete with one another, then the choice of a size, then rounds.

import { learningRateAt } from "../nn/optimiser.ts";
import type { Random } from "../random.ts";
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
  /** Size of a question's team by lot; undefined: the policy chooses. */
  drawSize(random: Random): number | undefined;
  /** Which size to choose is practised now, and nothing else. */
  comparesSizes: boolean;
  /** Which size to choose was not practised yet. */
  isSizeGiven: boolean;
}

const SELECTION_SHARE = 0.15;
const ROUNDS_SHARE = 0.2;
/** Of the stage of teams, this share goes by with given sizes. */
const GIVEN_SHARE = 0.5;
/** Larger than in reinforcement: there is no noise in the warm-up. */
const WARM_UP_RATE = 4;
/** In the stage of selection most questions are for one worker; the others keep a given size meaningful. */
const ALONE = 0.75;
const GIVEN_SIZES = [1, 2, 3, 3, 4, 4, 5, 5] as const;
const RISE = 5;
/** Of the entropy that is asked for, this share in the last stage: what was found is then made firm. */
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
  const free = () => size;
  const given = { isSizeGiven: true, comparesSizes: false };
  if (iteration < warmUp) {
    const rate = learningRateAt(iteration, {
      peak: WARM_UP_RATE * learningRate,
      warmUp: 20,
      total: warmUp,
      floor: 0.2,
    });
    return { stage: "warm-up", learningRate: rate, exploration: 0, drawSize: free, ...given };
  }
  const taught = iteration - warmUp;
  if (taught < supervised)
    return { stage: "supervised", learningRate, exploration: 0, drawSize: () => 1, ...given };
  const at = taught - supervised;
  const forRounds = rounds > 1 ? Math.round(iterations * ROUNDS_SHARE) : 0;
  const forSelection = Math.round((iterations - forRounds) * SELECTION_SHARE);
  const forTeams = iterations - forRounds - forSelection;
  const rate = learningRateAt(at, { peak: learningRate, warmUp: RISE, total: iterations, floor: 0.1 });
  // Exploration fades with the learning rate: what was found is then made firm.
  const explore = exploration * (rate / learningRate);
  const common = { learningRate: rate, exploration: at < RISE ? exploration : explore };
  const firm = { ...common, exploration: common.exploration * FIRM };
  if (at < forSelection) {
    const drawSize = (random: Random) => (random.next() < ALONE ? 1 : random.pick(GIVEN_SIZES));
    return { stage: "selection", ...common, drawSize, ...given };
  }
  if (at < forSelection + forTeams) {
    const isSizeGiven = (at - forSelection) / forTeams < GIVEN_SHARE;
    // Teams go on getting better while sizes are compared.
    const comparesSizes = size === undefined && !isSizeGiven && at % 2 === 0;
    const others = size === undefined ? 1 : isSizeGiven ? 0.5 : 0.2;
    const drawSize = (random: Random) => (random.next() < others ? random.pick(GIVEN_SIZES) : size);
    return { stage: "teams", ...common, drawSize, isSizeGiven, comparesSizes };
  }
  const comparesSizes = size === undefined && at % 4 === 0;
  return { stage: "rounds", ...firm, drawSize: free, isSizeGiven: false, comparesSizes };
}
