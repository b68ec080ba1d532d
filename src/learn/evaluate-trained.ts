// A trained Conductor on test tasks that it has never seen, beside fixed ones: what `tutti train` shows at its
// end. The native one writes greedily and without a mask, so a plan that is no workflow counts as wrong.

import { setMaxListeners } from "node:events";
import { meanOf } from "../base/statistics.ts";
import { findBaseline } from "../baseline/all.ts";
import type { Baseline } from "../baseline/types.ts";
import { evaluate } from "../bench/evaluate.ts";
import type { FittedSet } from "../bench/fitting.ts";
import { groupBy, isGraded, toResults, toRight } from "../bench/results.ts";
import {
  type MeasureOptions,
  measureBaseline,
  openRecordingTests,
  openRehearsalTest,
  performPlans,
  scriptedPlanner,
  type WrittenPlan,
} from "../bench/test-sets.ts";
import type { BenchRow } from "../bench/types.ts";
import { type Card, loadCheckpoint } from "../conductor/native/checkpoint.ts";
import { isTrinity } from "../conductor/trinity/checkpoint.ts";
import type { Conductor } from "../conductor/types.ts";
import { ForwardModel } from "../nn/forward/model.ts";
import { handsOff } from "../worker/kinds.ts";
import type { RecordingSource, SplitOptions } from "../world/recorded-sets.ts";
import { REHEARSAL } from "../world/rehearsal.ts";
import { openTrinityCheckpoint } from "./evolution/trinity-policy.ts";
import type { TestResult } from "./folder.ts";
import { answerAll } from "./native/answer.ts";
import type { Policy } from "./native/stage.ts";

/** Of questions that are made for this and nothing else. */
const TEST_SEED = 4_000_000;
/** Made, of which two in five are asked; and of each recorded set. */
const REHEARSAL_COUNT = 1_000;
const RECORDED_COUNT = 400;

const TRAINED = "trained Conductor";
const BESIDE: readonly Baseline[] = [
  ...["best-single", "lookup-category", "lookup-subtask", "neighbours", "vote-3", "vote-all"].map(
    findBaseline,
  ),
  ...["mixture-of-agents", "self-reflection", "random-workflow"].map(findBaseline),
  scriptedPlanner,
];
const NOTES: Readonly<Record<string, string>> = {
  "lookup-category": "is told the true category",
  "lookup-subtask": "is told the true family",
  "scripted-planner": "written by hand for these families, not learned",
};

export interface Trained {
  policy: Policy;
  card: Card;
}

export function openTrained(checkpoint: string): Trained {
  const { card, weights, language, choices } = loadCheckpoint(checkpoint);
  return { policy: { model: new ForwardModel(card.shape, weights), language, choices }, card };
}

/** As on a card. */
interface TestOptions {
  rounds: number;
  size?: number | undefined;
  cost?: number | undefined;
}

/** What it writes for every test task, and whether it can be performed. */
export async function writeTestPlans(
  { set, test, poolFor }: FittedSet,
  policy: Policy,
  { rounds, size, cost = 0, seed, signal }: MeasureOptions & TestOptions,
): Promise<WrittenPlan[]> {
  // A batch of runs listens to it at the same time.
  setMaxListeners(0, signal);
  const questions = test.map((task) => ({ task, pool: poolFor(task) }));
  const outcomes = await answerAll(questions, { policy, world: set, rounds, cost, seed, signal, size });
  return outcomes.map(({ texts, isValid }, i) => ({ task: test[i]!, texts, isValid }));
}

/** A world to be tested in, of the kind that was trained in. */
export type TestWorld =
  | { kind: "rehearsal" }
  | ({ kind: "recording"; recordings: readonly RecordingSource[] } & SplitOptions);

export interface EvaluateTrainedOptions {
  checkpoint: string;
  /** Several where it was trained in several: each has its own results. */
  worlds: readonly TestWorld[];
  /** Questions that are made, of which those of the test split are asked; test tasks of each recorded set. */
  count?: number;
  seed?: number;
  signal: AbortSignal;
}

/**
 * World by world, the trained one first. Results of several sets of a world are over all their test tasks; the note
 * tells them apart.
 */
export async function evaluateTrained(options: EvaluateTrainedOptions): Promise<TestResult[]> {
  const { checkpoint, worlds, seed = TEST_SEED, signal } = options;
  const contender = await openContender(checkpoint);
  const results: TestResult[] = [];
  for (const world of worlds) {
    const tests = await openTests(world, { ...options, seed });
    const rows: BenchRow[] = [];
    for (const fitted of tests) {
      rows.push(...(await contender.measure(fitted, { seed, signal })));
      for (const baseline of BESIDE)
        if (!baseline.needsHandOffs || handsOff(fitted.pool))
          rows.push(...(await measureBaseline(fitted, baseline, { seed, signal })));
    }
    const isSimulated = world.kind === "rehearsal";
    const where = worlds.length > 1 ? { world: { name: nameOf(world, tests), isSimulated } } : {};
    results.push(...toTestResults(rows, isSimulated).map((each) => ({ ...each, ...where })));
  }
  return results;
}

/** As the world of a training is called. */
function nameOf({ kind }: TestWorld, tests: readonly FittedSet[]): string {
  return kind === "rehearsal" ? REHEARSAL : tests.map(({ set }) => set.id).join(" + ");
}

/** Whoever was trained, whatever kind of Conductor it is. */
interface Contender {
  measure(fitted: FittedSet, options: MeasureOptions): Promise<BenchRow[]>;
}

async function openContender(checkpoint: string): Promise<Contender> {
  if (isTrinity(checkpoint)) {
    return createContender(await openTrinityCheckpoint(checkpoint));
  }
  const { policy, card } = openTrained(checkpoint);
  return {
    async measure(fitted, measuring) {
      const { limits, size, cost } = card;
      const own = { rounds: limits.rounds, size, cost };
      const plans = await writeTestPlans(fitted, policy, { ...own, ...measuring });
      return performPlans(fitted, plans, { name: TRAINED, ...measuring });
    },
  };
}

/** A Conductor that decides while it is performed needs no plans to be written before. */
export function createContender({ conductor, rounds }: { conductor: Conductor; rounds: number }): Contender {
  return {
    measure: ({ set, test, pool, poolFor }, measuring) =>
      evaluate({
        ...{ ...measuring, world: set, concurrency: 1, pool, poolFor, tasks: test },
        ...{ name: TRAINED, conductor, rounds },
      }),
  };
}

function openTests(
  world: TestWorld,
  { count, seed }: { count?: number; seed: number },
): Promise<FittedSet[]> {
  if (world.kind === "rehearsal")
    return Promise.resolve([openRehearsalTest({ count: count ?? REHEARSAL_COUNT, seed })]);
  const { recordings, kind: _, ...splitting } = world;
  return openRecordingTests(recordings, { ...splitting, limit: count ?? RECORDED_COUNT, seed });
}

function toTestResults(rows: readonly BenchRow[], isSimulated: boolean): TestResult[] {
  const own = groupBy(rows, ({ conductor }) => conductor);
  return toResults(rows, { seed: 1, isSimulated }).map((result) => {
    const { conductor, accuracy, low, high, calls, costUsd, validShare } = result;
    const valid = conductor === TRAINED ? `${(100 * validShare).toFixed(1)} % valid` : undefined;
    const notes = [NOTES[conductor], valid, toSetNote(own.get(conductor)!)].filter(Boolean);
    return {
      ...{ name: conductor, accuracy, low, high, calls, costUsd },
      note: notes.length > 0 ? notes.join("; ") : undefined,
    };
  });
}

/** "a 61.0, b 90.2" where there are several sets. */
function toSetNote(rows: readonly BenchRow[]): string | undefined {
  const sets = [...groupBy(rows.filter(isGraded), ({ set }) => set)];
  if (sets.length < 2) return undefined;
  return sets.map(([set, own]) => `${set} ${(100 * meanOf(own.map(toRight))).toFixed(1)}`).join(", ");
}
