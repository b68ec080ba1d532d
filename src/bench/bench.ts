// A whole bench: split, measure the workers on training tasks, fit the contenders, let each of them conduct
// every test task through the performer, and tell how they compare.

import { traitsOf } from "../base/error-codes.ts";
import { isTuttiError, usageError } from "../base/errors.ts";
import { createOracle } from "../baseline/oracle.ts";
import { createSingles } from "../baseline/single.ts";
import type { Baseline, PriceTarget, TrainingTask } from "../baseline/types.ts";
import type { Conductor } from "../conductor/types.ts";
import type { GradedTask } from "../task/types.ts";
import { isSimulatedPool, modelsOf } from "../worker/kinds.ts";
import type { Pool } from "../worker/types.ts";
import { readScores } from "../world/sets.ts";
import type { SplitBy, Splits } from "../world/split.ts";
import type { WorldSet } from "../world/types.ts";
import { compareAtEqualSpending, type EqualSpending } from "./equal.ts";
import { evaluate, toRunId } from "./evaluate.ts";
import { chooseTasks, type MatchedFit } from "./fit-source.ts";
import { changePools, type FittedSet, fitSet } from "./fitting.ts";
import type { BenchFolder, RowFile } from "./folder.ts";
import {
  type CurvePoint,
  choosePrice,
  meetsTarget,
  type ValidatedCurve,
  validateCurve,
} from "./front/curve.ts";
import { LaneBudget } from "./lane-budget.ts";
import { isGraded, toCostUsd, toResults, toRight } from "./results.ts";
import type { BenchResult, BenchRow, FittedOn } from "./types.ts";
import { toVerdict } from "./verdict.ts";

export interface BenchOptions {
  set: WorldSet;
  contenders: readonly Baseline[];
  /** The upper bound too, where every worker's outcome of every test task can be had. */
  withOracle: boolean;
  seed: number;
  splitBy: SplitBy;
  splitSeed: number;
  limit?: number;
  /** Fitted on all of this instead of the train split; then all tasks of the set are test tasks. */
  fit?: MatchedFit;
  /** Fitted on so many training tasks only, sampled. */
  fitTasks?: number;
  /** The most samples of the best single worker, for the comparison at equal spending. */
  samples: number;
  concurrency: number;
  budgetUsd?: number;
  /** Questions a month, for what the verdict says of costs. */
  perMonth?: number;
  folder: BenchFolder;
  signal?: AbortSignal;
  onProgress?: (progress: BenchProgress) => void;
}

export interface BenchProgress {
  /** What is going on, for people. */
  what: string;
  /** Runs, of all that are planned now. */
  done: number;
  total: number;
  spentUsd: number;
}

export interface BenchOutcome {
  set: WorldSet;
  /** With the profiles measured on the training tasks. */
  pool: Pool;
  counts: { train: number; validation: number; test: number };
  seed: number;
  splitBy: SplitBy;
  splitSeed: number;
  /** Absent: the train split. */
  fittedOn?: FittedOn;
  results: BenchResult[];
  rows: BenchRow[];
  /** Who could not be measured here, and why. */
  refused: { conductor: string; reason: string }[];
  equal: EqualSpending[];
  chosen?: ChosenPrice[];
  isSimulated: boolean;
  budget?: { usd: number; spentUsd: number; isUsedUp: boolean };
  /** Stopped before its end: some rows are missing. */
  isStopped: boolean;
}

/** A price that was looked for on tasks that are not tested, with what it came to there. */
export interface ChosenPrice extends CurvePoint {
  conductor: string;
  target: PriceTarget;
  /** Whether any point of the curve meets the target there; where none does, this is the nearest. */
  isMet: boolean;
  /** The best single worker on the same tasks. */
  single: ValidatedCurve["single"];
}

/** A Conductor on tasks, with what was kept before; shared by all parts of a bench. */
export type Measure = (who: Contender, tasks: readonly GradedTask[], file: RowFile) => Promise<BenchRow[]>;

interface Contender {
  name: string;
  conductor: Conductor;
  rounds: number;
  pool: Pool;
  /** For those who read profiles: the pool with the profiles for one task. */
  poolFor?: (task: GradedTask) => Pool;
  /** At least so many runs at the same time. */
  lanes?: number;
}

export async function runBench(options: BenchOptions): Promise<BenchOutcome> {
  const { set, contenders, folder, seed, splitBy, splitSeed, budgetUsd, signal, withOracle } = options;
  const { splits, fittedOn } = chooseTasks(options);
  const budget = budgetUsd === undefined ? undefined : new LaneBudget(budgetUsd, spentIn(folder));
  const { measure, plan } = createMeasure(options, budget);

  const training = options.fit
    ? readScores(splits.train, set.pool, options.fit.outcomes)
    : await measureTraining(set, splits.train, folder.file("training"), measure, plan);
  const fitted = fitSet(set, training, splits.test, seed);
  const fitting = set.turn ? changePools(fitted, set.turn) : fitted;
  const refused: BenchOutcome["refused"] = [];
  const rows: BenchRow[] = [];
  const file = folder.file("rows");
  const accepted = contenders.filter((baseline) => {
    const reason = whyNot(baseline, options);
    if (reason !== undefined) refused.push({ conductor: baseline.id, reason });
    return reason === undefined;
  });
  const chosen: BenchOutcome["chosen"] = [];
  const perform = async (named: Baseline) => {
    try {
      await named.prepare?.();
      const baseline = named.target ? await atTarget(named, named.target) : named;
      const who = {
        name: baseline.id,
        conductor: fitting.fit(baseline),
        rounds: baseline.rounds,
        pool: fitting.pool,
        poolFor: baseline.readsProfiles ? fitting.poolFor : undefined,
        lanes: set.isInstant ? baseline.lanes : undefined,
      };
      rows.push(...(await measure(who, splits.test, file)));
    } catch (error) {
      // These concern one contender only; anything else ends the bench.
      if (!isTuttiError(error) || !(error.code === "usage" || traitsOf(error.code).isUnrecorded)) throw error;
      refused.push({ conductor: named.id, reason: error.message });
    }
  };
  const atTarget = async (baseline: Baseline, target: PriceTarget): Promise<Baseline> => {
    if (!set.recorded) throw usageError("a target is looked for on recorded tasks: record the pool first");
    const { recorded, recordedAnswer, recordedCostUsd } = set;
    const held = readScores(splits.validation, set.pool, { recorded, recordedAnswer, recordedCostUsd });
    const curve = await validateCurve(baseline, {
      set,
      training: [...training, ...held],
      seed,
      splitSeed,
      signal,
    });
    const point = choosePrice(curve, target);
    const isMet = meetsTarget(point, target, curve.single);
    chosen.push({ conductor: baseline.id, target, ...point, isMet, single: curve.single });
    return { ...baseline.atPrice!(point.costPerUsd), id: baseline.id };
  };
  plan((accepted.length + (withOracle ? 1 : 0)) * splits.test.length);
  for (const baseline of accepted) await perform(baseline);
  if (withOracle) {
    const outcomes = await findOutcomes(set, splits, fitting, folder, measure, plan);
    if (outcomes) await perform(createOracle(outcomes, set.recordedCostUsd));
    else refused.push({ conductor: "oracle", reason: NO_ORACLE });
  }
  const isSimulated = isSimulatedPool(set.pool);
  const results = toResults(rows, { seed, isSimulated, fittedOn, costSource: set.costs?.source });
  const equal = await compareAtEqualSpending({
    fitting,
    results,
    rows,
    samples: options.samples,
    seed,
    measure: (...args) => {
      plan(splits.test.length);
      return measure(...args);
    },
    file: folder.file("equal"),
  });
  const bestSingle = fitting.pool.members[fitting.best]!.worker.id;
  const verdict = toVerdict({ results, equal, bestSingle, perMonth: options.perMonth });
  const recommended = results.find(({ conductor }) =>
    verdict?.use === verdict?.bestSingle ? conductor === "best-single" : conductor === verdict?.use,
  );
  if (verdict && recommended) recommended.verdict = verdict;
  const isUsedUp = budget?.isClosed ?? false;
  return {
    ...(chosen.length > 0 && { chosen }),
    ...{ set, pool: fitting.pool, seed, splitBy, splitSeed, results, rows, refused, equal, isSimulated },
    ...(fittedOn && { fittedOn }),
    counts: { train: splits.train.length, validation: splits.validation.length, test: splits.test.length },
    budget: budget && { usd: budgetUsd!, spentUsd: budget.spentUsd, isUsedUp },
    isStopped: isUsedUp || (signal?.aborted ?? false),
  };
}

const NO_ORACLE =
  "it needs the outcome of every worker on every test task: record the pool first, then bench the recording";

/** Known before anything is tried: what a recording cannot replay, and what would not be a test. */
function whyNot(
  { needsHandOffs, comparesReplies, samples = 1, trainedOn }: Baseline,
  { set, splitBy, splitSeed, fit }: Pick<BenchOptions, "set" | "splitBy" | "splitSeed" | "fit">,
): string | undefined {
  const { kind, samplesOf, pool } = set;
  if (trainedOn && fit) return "it was trained on tasks of this set, and all of them are test tasks here";
  if (trainedOn && (trainedOn.splitBy !== splitBy || trainedOn.splitSeed !== splitSeed))
    return `it was trained on this set split by ${trainedOn.splitBy} with seed ${trainedOn.splitSeed}: by any other split it may have learned from what is tested`;
  if (kind !== "recording") return undefined;
  if (needsHandOffs) return "it shows replies of one worker to another, which a recording cannot replay";
  if (comparesReplies && set.withoutReplies) return cannotCompare(set);
  const models = modelsOf(pool);
  const most = Math.max(...models.map(({ worker }) => samplesOf(worker.id)));
  if (samples <= most) return undefined;
  return `it asks one worker ${samples} times, and the recording has ${most === 1 ? "one sample" : `${most} samples`} a task`;
}

/** Graded all the same, such a vote would pass for one: whoever was asked first would be its result. */
export function cannotCompare({
  withoutReplies = 0,
  tasks,
}: Pick<WorldSet, "withoutReplies" | "tasks">): string {
  const share = withoutReplies === tasks.length ? "any task" : `${withoutReplies} of ${tasks.length} tasks`;
  return `it compares replies, and nobody's reply to ${share} was recorded, only whether it was right`;
}

export function createMeasure(
  options: Pick<BenchOptions, "set" | "seed" | "concurrency" | "signal" | "onProgress">,
  budget: LaneBudget | undefined,
): { measure: Measure; plan: (runs: number) => void } {
  const { set, seed, concurrency, signal, onProgress } = options;
  let total = 0;
  let done = 0;
  let spentUsd = budget?.spentUsd ?? 0;
  const measure: Measure = async ({ name, conductor, rounds, pool, poolFor, lanes = 1 }, tasks, file) => {
    const kept = new Map(file.rows.filter((row) => row.conductor === name).map((row) => [row.task, row]));
    const missing = tasks.filter(({ id }) => !kept.has(id));
    done += tasks.length - missing.length;
    const tell = () => onProgress?.({ what: name, done, total: Math.max(total, done), spentUsd });
    tell();
    const onRow = (row: BenchRow) => {
      file.append(row);
      for (const { worker } of pool.members) worker.forget?.(toRunId(row.conductor, row.task));
      kept.set(row.task, row);
      done++;
      spentUsd += row.costUsd;
      tell();
    };
    await evaluate({
      ...{ world: set, name, conductor, rounds, pool, poolFor, tasks: missing },
      ...{ seed, onRow, signal, budget, concurrency: Math.max(concurrency, lanes) },
    });
    return tasks.flatMap(({ id }) => kept.get(id) ?? []);
  };
  return { measure, plan: (runs) => (total += runs) };
}

/** From the recording, or by asking each worker alone. */
async function measureTraining(
  set: WorldSet,
  tasks: readonly GradedTask[],
  file: RowFile,
  measure: Measure,
  plan: (runs: number) => void,
): Promise<TrainingTask[]> {
  const { recorded, recordedAnswer, recordedFeatures, recordedCostUsd } = set;
  if (recorded)
    return readScores(tasks, set.pool, { recorded, recordedAnswer, recordedFeatures, recordedCostUsd });
  const rows = await askAlone(set.pool, tasks, file, measure, plan);
  const graded = new Map(rows.filter(isGraded).map((row) => [`${row.conductor}\n${row.task}`, row]));
  return tasks.map((task) => {
    const own = set.pool.members.map(({ worker }) => graded.get(`single:${worker.id}\n${task.id}`));
    return {
      task,
      scores: own.map((row) => row && toRight(row)),
      costsUsd: own.map((row) => row && toCostUsd(row)),
    };
  });
}

/** Every model of the pool on every task, alone. Rows are called `single:<worker>`. */
export async function askAlone(
  pool: Pool,
  tasks: readonly GradedTask[],
  file: RowFile,
  measure: Measure,
  plan: (runs: number) => void,
): Promise<BenchRow[]> {
  const singles = createSingles(pool);
  plan(singles.length * tasks.length);
  const rows: BenchRow[] = [];
  for (const single of singles) {
    const conductor = single.fit({ pool, training: [], labels: new Map(), seed: 0 });
    rows.push(...(await measure({ name: single.id, conductor, rounds: 1, pool }, tasks, file)));
  }
  return rows;
}

/** Who is right on a test task. It goes to the oracle and nowhere else. Live, the answer would change when asked again. */
async function findOutcomes(
  { recorded, kind }: WorldSet,
  { test }: Splits,
  fitting: FittedSet,
  folder: BenchFolder,
  measure: Measure,
  plan: (runs: number) => void,
): Promise<((task: string, worker: string) => boolean) | undefined> {
  if (recorded) return (task, worker) => recorded(task, worker)[0] === 1;
  if (kind !== "rehearsal") return undefined;
  // The same seed gives the same reply, so the oracle gets what was seen here.
  const rows = await askAlone(fitting.pool, test, folder.file("alone"), measure, plan);
  const right = new Set(rows.filter(toRight).map((row) => `${row.conductor}\n${row.task}`));
  return (task, worker) => right.has(`single:${worker}\n${task}`);
}

function spentIn(folder: BenchFolder): number {
  const names = ["rows", "training", "alone", "equal"] as const;
  return names.reduce(
    (sum, name) => sum + folder.file(name).rows.reduce((usd, row) => usd + row.costUsd, 0),
    0,
  );
}
