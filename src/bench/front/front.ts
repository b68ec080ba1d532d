// The whole curve of each Conductor on the test tasks, beside every single worker, and the two numbers people quote: the same
// quality at x % of the cost, and y points more at the same cost. Prices are chosen on other tasks (curve.ts), reported here.

import { createRandom, hashSeed } from "../../base/random.ts";
import { type Estimate, interval, meanOf, type PairedDifference } from "../../base/statistics.ts";
import { createSingles } from "../../baseline/single.ts";
import { measureStrength } from "../../baseline/strength.ts";
import type { Baseline, PriceTarget } from "../../baseline/types.ts";
import type { RecordedCosts } from "../../recording/costs.ts";
import { isSimulatedPool } from "../../worker/kinds.ts";
import { readScores } from "../../world/sets.ts";
import { type SplitBy, sampleTasks, splitTasks } from "../../world/split.ts";
import type { WorldSet } from "../../world/types.ts";
import { evaluate } from "../evaluate.ts";
import { fitSet } from "../fitting.ts";
import { compareAccuracy, estimateAccuracy, isGraded, toCostUsd, toPairs } from "../results.ts";
import type { BenchRow } from "../types.ts";
import { type CurvePoint, choosePrice, toPrices, validateCurve } from "./curve.ts";

const RESAMPLES = 2000;

/** A Conductor or a worker at one price, on the test tasks. */
export interface MeasuredPoint {
  name: string;
  accuracy: Estimate;
  /** Dollars and calls per task. */
  costUsd: number;
  calls: number;
  /** What a dollar costs at this point; absent where there is no knob. */
  costPerUsd?: number;
}

/** A price that was chosen for a target, and what it came to on the test tasks. */
export interface ChosenPoint {
  target: PriceTarget["type"];
  point: MeasuredPoint;
  /** As it was seen where it was chosen. */
  validated: CurvePoint;
  /** Accuracy less that of the best single worker. */
  difference: PairedDifference;
  /** Its cost as a share of the best single worker's. */
  costShare: Estimate;
}

export interface FrontCurve {
  conductor: string;
  /** Along the knob, most expensive first; one point where there is no knob. */
  points: MeasuredPoint[];
  /** Absent where there is no knob. */
  sameQuality?: ChosenPoint;
  sameCost?: ChosenPoint;
}

export interface FrontResult {
  set: string;
  n: number;
  isSimulated: boolean;
  costs?: RecordedCosts;
  /** The best on the training tasks. */
  single: MeasuredPoint;
  singles: MeasuredPoint[];
  curves: FrontCurve[];
  /** Singles that are above every curve at their cost or below: where choosing wins nothing. */
  unbeaten: string[];
}

export interface FrontOptions {
  set: WorldSet;
  contenders: readonly Baseline[];
  seed: number;
  splitBy: SplitBy;
  splitSeed: number;
  limit?: number;
  signal?: AbortSignal;
  onProgress?: (progress: { what: string; done: number; total: number; spentUsd: number }) => void;
}

export async function measureFront(options: FrontOptions): Promise<FrontResult> {
  const { set, contenders, seed, splitBy, splitSeed, limit, signal, onProgress } = options;
  const splits = splitTasks(sampleTasks(set.tasks, limit), splitBy, splitSeed);
  const { recorded, recordedAnswer, recordedCostUsd } = set;
  const outcomes = { recorded: recorded!, recordedAnswer, recordedCostUsd };
  const training = readScores(splits.train, set.pool, outcomes);
  const untested = [...training, ...readScores(splits.validation, set.pool, outcomes)];
  const fitting = fitSet(set, training, splits.test, seed);
  const prices = toPrices(set, training);
  const total = contenders.length * (prices.length + 1);
  let done = 0;
  const tell = (what: string) => onProgress?.({ what, done: done++, total, spentUsd: 0 });
  const measure = (contender: Baseline) =>
    evaluate({
      ...{ world: set, name: contender.id, conductor: fitting.fit(contender), rounds: contender.rounds },
      ...{ pool: fitting.pool, poolFor: contender.readsProfiles && fitting.poolFor, tasks: splits.test },
      ...{ seed, concurrency: 1, signal },
    });

  const singles: { point: MeasuredPoint; rows: BenchRow[] }[] = [];
  for (const single of createSingles(set.pool)) {
    const rows = await measure(single);
    singles.push({ point: toPoint(single.id.slice("single:".length), rows, seed), rows });
  }
  const strongest = fitting.pool.members[measureStrength(set.pool, training).order[0]!]!.worker.id;
  const best = singles.find(({ point }) => point.name === strongest)!;
  const curves: FrontCurve[] = [];
  for (const contender of contenders) {
    await contender.prepare?.();
    if (!contender.atPrice) {
      tell(contender.id);
      curves.push({
        conductor: contender.id,
        points: [toPoint(contender.id, await measure(contender), seed)],
      });
      continue;
    }
    tell(`${contender.id}: choosing prices`);
    const validated = await validateCurve(contender, { set, training: untested, seed, splitSeed, signal });
    const measured = new Map<number, BenchRow[]>();
    for (const costPerUsd of prices) {
      tell(`${contender.id}@${costPerUsd}/usd`);
      measured.set(costPerUsd, await measure(contender.atPrice(costPerUsd)));
    }
    const toChosen = async (target: PriceTarget): Promise<ChosenPoint> => {
      const chosen = choosePrice(validated, target);
      const { costPerUsd } = chosen;
      const rows = measured.get(costPerUsd) ?? (await measure(contender.atPrice!(costPerUsd)));
      return {
        target: target.type,
        point: { ...toPoint(contender.id, rows, seed), costPerUsd },
        validated: chosen,
        difference: compareAccuracy(rows, best.rows, seed),
        costShare: estimateCostShare(rows, best.rows, seed),
      };
    };
    curves.push({
      conductor: contender.id,
      points: [...measured].map(([costPerUsd, rows]) => ({
        ...toPoint(contender.id, rows, seed),
        costPerUsd,
      })),
      sameQuality: await toChosen({ type: "match-best" }),
      sameCost: await toChosen({ type: "max", usd: validated.single.costUsd }),
    });
  }
  const points = singles.map(({ point }) => point);
  return {
    set: set.id,
    n: splits.test.length,
    isSimulated: isSimulatedPool(set.pool),
    costs: set.costs,
    single: best.point,
    singles: points,
    curves,
    unbeaten: findUnbeaten(points, curves),
  };
}

function toPoint(name: string, rows: readonly BenchRow[], seed: number): MeasuredPoint {
  const graded = rows.filter(isGraded);
  return {
    name,
    accuracy: estimateAccuracy(graded, seed),
    costUsd: meanOf(graded.map((row) => toCostUsd(row) ?? Number.NaN)),
    calls: meanOf(graded.map(({ calls }) => calls)),
  };
}

/** The ratio of two mean costs over the same tasks, with its interval by bootstrap over tasks. */
function estimateCostShare(own: readonly BenchRow[], theirs: readonly BenchRow[], seed: number): Estimate {
  const pairs = toPairs(own, theirs).map(([a, b]) => [toCostUsd(a) ?? NaN, toCostUsd(b) ?? NaN] as const);
  const ratioOf = (pick: (number: number) => number) => {
    let [a, b] = [0, 0];
    for (let i = 0; i < pairs.length; i++) {
      const [left, right] = pairs[pick(i)]!;
      a += left;
      b += right;
    }
    return a / b;
  };
  const random = createRandom(hashSeed("cost share", seed));
  const ratios = Float64Array.from({ length: RESAMPLES }, () =>
    ratioOf(() => random.integer(0, pairs.length - 1)),
  ).sort();
  return { mean: ratioOf((i) => i), ...interval(ratios) };
}

/** Workers that no point of any curve reaches at their cost or below. */
function findUnbeaten(singles: readonly MeasuredPoint[], curves: readonly FrontCurve[]): string[] {
  const points = curves.flatMap((curve) => curve.points);
  return singles
    .filter(
      ({ costUsd, accuracy }) =>
        !points.some(
          (point) => point.costUsd <= costUsd * (1 + 1e-9) && point.accuracy.mean >= accuracy.mean,
        ),
    )
    .map(({ name }) => name);
}
