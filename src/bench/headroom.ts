// Before anyone trains: how much could be won at all by choosing whom to ask. Cross-fitted on the training
// and validation tasks, so that every number is of tasks its rule has not seen; the test tasks stay untouched.

import { sideOf } from "../base/statistics.ts";
import { findBaseline } from "../baseline/all.ts";
import { createOracle } from "../baseline/oracle.ts";
import type { Recording } from "../recording/types.ts";
import type { GradedTask } from "../task/types.ts";
import { isSimulatedPool, modelsOf } from "../worker/kinds.ts";
import { createRecordedSet, readScores } from "../world/sets.ts";
import { foldOf, sampleTasks, splitTasks } from "../world/split.ts";
import type { WorldSet } from "../world/types.ts";
import { askAlone, type BenchOptions, createMeasure } from "./bench.ts";
import { fitSet } from "./fitting.ts";
import { LaneBudget } from "./lane-budget.ts";
import { groupBy, isGraded, toCostUsd, toResults } from "./results.ts";
import type { BenchResult, BenchRow } from "./types.ts";

const FOLDS = 5;
const RULES = [
  "best-single",
  "lookup-category",
  "lookup-subtask",
  "neighbours",
  "vote-3",
  "vote-5",
  "vote-all",
];

export interface Headroom {
  set: string;
  n: number;
  isSimulated: boolean;
  results: BenchResult[];
  /** What the gap means, for people. */
  words: string[];
}

export type HeadroomOptions = Pick<
  BenchOptions,
  | "set"
  | "seed"
  | "splitBy"
  | "splitSeed"
  | "limit"
  | "concurrency"
  | "budgetUsd"
  | "folder"
  | "signal"
  | "onProgress"
>;

export async function measureHeadroom(options: HeadroomOptions): Promise<Headroom> {
  const { seed, splitBy, splitSeed, limit, folder, budgetUsd } = options;
  const { train, validation } = splitTasks(sampleTasks(options.set.tasks, limit), splitBy, splitSeed);
  const tasks = [...train, ...validation];
  const budget = budgetUsd === undefined ? undefined : new LaneBudget(budgetUsd);
  const set = await replayed(options, tasks, budget);
  const known = new Set(set.tasks.map(({ id }) => id));
  const usable = tasks.filter(({ id }) => known.has(id));
  const { measure, plan } = createMeasure({ ...options, set }, undefined);
  const baselines = [
    ...RULES.map(findBaseline),
    createOracle((task, worker) => set.recorded!(task, worker)[0] === 1, set.recordedCostUsd),
  ];
  plan(baselines.length * usable.length);
  const rows: BenchRow[] = [];
  for (let fold = 0; fold < FOLDS; fold++) {
    const isHeld = (task: GradedTask) => foldOf(task, FOLDS, splitSeed) === fold;
    const held = usable.filter(isHeld);
    const training = readScores(
      usable.filter((task) => !isHeld(task)),
      set.pool,
      { recorded: set.recorded! },
    );
    const fitting = fitSet(set, training, held, seed);
    for (const baseline of baselines) {
      const who = { name: baseline.id, conductor: fitting.fit(baseline), rounds: 1, pool: fitting.pool };
      rows.push(...(await measure(who, held, folder.file("rows"))));
    }
  }
  const isSimulated = isSimulatedPool(set.pool);
  const results = toResults(rows, { seed, isSimulated });
  const workers = modelsOf(set.pool).length;
  return {
    set: set.id,
    n: usable.length,
    isSimulated,
    results,
    words: explainHeadroom(results, workers),
  };
}

/** Everybody is asked everything once; the rules are then tried on what was said, at no further cost. */
async function replayed(
  options: HeadroomOptions,
  tasks: readonly GradedTask[],
  budget: LaneBudget | undefined,
): Promise<WorldSet> {
  const { set, folder } = options;
  if (set.recorded) return set;
  const { measure, plan } = createMeasure(options, budget);
  const rows = await askAlone(set.pool, tasks, folder.file("alone"), measure, plan);
  return createRecordedSet(toRecording(set, tasks, rows), set.id);
}

/** Only tasks that every worker answered and that could be graded: a gap would look like a mistake. */
function toRecording(
  { id, source, pool }: WorldSet,
  tasks: readonly GradedTask[],
  rows: readonly BenchRow[],
): Recording {
  const byTask = groupBy(rows.filter(isGraded), ({ task }) => task);
  const workers = modelsOf(pool).map(({ worker }) => worker.id);
  const whole = tasks.filter(({ id }) => byTask.get(id)?.length === workers.length);
  const outcomes = new Map(rows.map((row) => [`${row.conductor}\n${row.task}`, row]));
  return {
    folder: source,
    prices: new Map(),
    hasReplies: () => true,
    sets: [{ id, tasks: whole, source }],
    tasksOf: () => whole,
    workersOf: () => workers,
    outcomesOf(task, worker) {
      const row = outcomes.get(`single:${worker}\n${task}`);
      if (!row) return [];
      const { answer, score, tokens } = row;
      const costUsd = toCostUsd(row);
      return [{ task, worker, sample: 0, answer, reply: answer, score, tokens, costUsd }];
    },
  };
}

/** Plain words for the results; thresholds are in points of accuracy. */
export function explainHeadroom(results: readonly BenchResult[], workers: number): string[] {
  const find = (id: string) => results.find(({ conductor }) => conductor === id)!;
  const [single, oracle] = [find("best-single"), find("oracle")];
  const gain = (id: string) => find(id).against.find(({ conductor }) => conductor === "best-single")!;
  const gap = gain("oracle");
  const points = (share: number) => (Math.round(share * 1000) / 10).toFixed(1);
  const rules = RULES.slice(1).map((id) => ({ id, calls: find(id).calls, ...gain(id) }));
  const best = rules.toSorted((a, b) => b.difference - a.difference)[0]!;
  const cheap = rules.filter(({ calls }) => calls < 1.5).toSorted((a, b) => b.difference - a.difference)[0]!;
  const words = [
    `The best single worker is right on ${points(single.accuracy)} %. Whoever always knew whom to ask would be right on ${points(oracle.accuracy)} %: all that choosing can win lies in these ${points(gap.difference)} points.`,
    `That is no goal: with ${workers} workers somebody is also right by luck, and the oracle counts every lucky guess as knowledge.`,
  ];
  if (gap.difference < 0.02)
    return [
      ...words,
      "There is next to nothing to win by choosing. Ask the best worker and stop here; only work on each other's replies, which this does not measure, could add something.",
    ];
  if (sideOf(best) <= 0)
    return [
      ...words,
      `No simple rule is shown to beat the best single worker (the best, ${best.id}: ${points(best.difference)} points, interval ${points(best.low)} to ${points(best.high)}). Expect little from a trained Conductor on these tasks, or measure more of them.`,
    ];
  const one = sideOf(cheap) > 0 && cheap.id !== best.id;
  return [
    ...words,
    `${best.id} wins ${points(best.difference)} points of it (${points(best.low)} to ${points(best.high)}) with ${best.calls < 1.05 ? "one call" : `${best.calls.toFixed(1)} calls`} a task${one ? `; ${cheap.id} wins ${points(cheap.difference)} (${points(cheap.low)} to ${points(cheap.high)}) with one call` : ""}.`,
    "So there is something to learn here. A trained Conductor is worth it if it beats these, or reaches them with fewer calls or without being given the labels.",
  ];
}
