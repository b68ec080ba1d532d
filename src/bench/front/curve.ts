// The curve of a Conductor with a price knob, on tasks that nobody tests: fitted on four fifths of the training and validation
// tasks and measured on the fifth, in turn. What is chosen (a price) is chosen here; what is reported is measured elsewhere.

import { usageError } from "../../base/errors.ts";
import { meanOf } from "../../base/statistics.ts";
import { bestSingle } from "../../baseline/single.ts";
import { meanCallUsd, measureStrength } from "../../baseline/strength.ts";
import type { Baseline, PriceTarget, TrainingTask } from "../../baseline/types.ts";
import { foldOf } from "../../world/split.ts";
import type { WorldSet } from "../../world/types.ts";
import { evaluate } from "../evaluate.ts";
import { fitSet } from "../fitting.ts";
import { isGraded, toCostUsd, toRight } from "../results.ts";
import type { BenchRow } from "../types.ts";

const FOLDS = 5;
/** In shares of a right answer for one ask of the best single worker: from "dollars do not matter" to "nothing else does". */
const STEPS = [0, 0.003, 0.006, 0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.18, 0.27, 0.4, 0.6, 1, 2, 5];

export interface CurvePoint {
  costPerUsd: number;
  accuracy: number;
  costUsd: number;
}

export interface ValidatedCurve {
  /** By price, the lowest first. */
  points: readonly CurvePoint[];
  /** The best single worker on the same tasks. */
  single: Omit<CurvePoint, "costPerUsd">;
}

export interface CurveOptions {
  set: WorldSet;
  /** Measured, none of them a test task. */
  training: readonly TrainingTask[];
  seed: number;
  splitSeed: number;
  signal?: AbortSignal;
}

/** Prices worth trying here: what a dollar may cost depends on how many dollars an ask takes. */
export function toPrices({ pool }: WorldSet, training: readonly TrainingTask[]): number[] {
  const best = measureStrength(pool, training).order[0]!;
  const usd = meanCallUsd(training, best);
  if (!usd)
    throw usageError(
      `What an ask of "${pool.members[best]!.worker.id}" costs is not known, so there is no curve in dollars`,
    );
  return STEPS.map((step) => Number((step / usd).toPrecision(3)));
}

export async function validateCurve(baseline: Baseline, options: CurveOptions): Promise<ValidatedCurve> {
  const { set, training, splitSeed } = options;
  const points = toPrices(set, training).map((costPerUsd) => ({ costPerUsd, rows: [] as BenchRow[] }));
  const single: BenchRow[] = [];
  await baseline.prepare?.();
  for (let fold = 0; fold < FOLDS; fold++) {
    const isHeld = ({ task }: TrainingTask) => foldOf(task, FOLDS, splitSeed) === fold;
    const held = training.filter(isHeld).map(({ task }) => task);
    const rest = training.filter((each) => !isHeld(each));
    if (held.length === 0 || rest.length === 0) continue;
    const fitting = fitSet(set, rest, held, options.seed);
    const measure = (contender: Baseline) =>
      evaluate({
        ...{ world: set, name: contender.id, conductor: fitting.fit(contender), rounds: contender.rounds },
        ...{ pool: fitting.pool, poolFor: contender.readsProfiles && fitting.poolFor, tasks: held },
        ...{ seed: options.seed, concurrency: 1, signal: options.signal },
      });
    single.push(...(await measure(bestSingle)));
    for (const { costPerUsd, rows } of points) rows.push(...(await measure(baseline.atPrice!(costPerUsd))));
  }
  return {
    points: points.map(({ costPerUsd, rows }) => ({ costPerUsd, ...summarise(rows) })),
    single: summarise(single),
  };
}

function summarise(rows: readonly BenchRow[]): Omit<CurvePoint, "costPerUsd"> {
  const graded = rows.filter(isGraded);
  return {
    accuracy: meanOf(graded.map(toRight)),
    costUsd: meanOf(graded.map((row) => toCostUsd(row) ?? Number.NaN)),
  };
}

/** Whether a point meets the target on the tasks it was chosen on. */
export function meetsTarget(
  { accuracy, costUsd }: CurvePoint,
  target: PriceTarget,
  single: ValidatedCurve["single"],
) {
  return target.type === "match-best" ? accuracy >= single.accuracy : costUsd <= target.usd;
}

/** The price that meets the target on these tasks; where none does, the one that comes nearest. */
export function choosePrice({ points, single }: ValidatedCurve, target: PriceTarget): CurvePoint {
  const cheapest = (some: readonly CurvePoint[]) => some.toSorted((a, b) => a.costUsd - b.costUsd)[0];
  const best = (some: readonly CurvePoint[]) =>
    some.toSorted((a, b) => b.accuracy - a.accuracy || a.costUsd - b.costUsd)[0];
  const met = points.filter((point) => meetsTarget(point, target, single));
  if (target.type === "match-best") return cheapest(met) ?? best(points)!;
  return best(met) ?? cheapest(points)!;
}
