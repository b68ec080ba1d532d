// Any Conductor on any tasks and pool, through the real performer, with the same accounting for all. What
// was down is counted apart: a run that lost a worker says nothing about the Conductor.

import { setMaxListeners } from "node:events";
import { hostname } from "node:os";
import { toErrorCode } from "../base/error-codes.ts";
import { TuttiError } from "../base/errors.ts";
import { hashSeed } from "../base/random.ts";
import type { Conductor } from "../conductor/types.ts";
import { performRun } from "../perform/driver.ts";
import { CircuitBreaker } from "../perform/retry.ts";
import { type Run, toRun } from "../perform/run.ts";
import type { RunState } from "../perform/state.ts";
import { toConductorName } from "../store/conductor-name.ts";
import type { Limits } from "../store/limits.ts";
import { createMemoryStore } from "../store/memory.ts";
import { toPoolEntry } from "../store/pool-entry.ts";
import type { RunSettings } from "../store/types.ts";
import { type Grade, type GradedTask, toMessages } from "../task/types.ts";
import type { Pool } from "../worker/types.ts";
import { MAX_STEPS } from "../workflow/types.ts";
import { findReplayRefusal, toPerformedTask } from "../world/performed-task.ts";
import type { Allowance, LaneBudget } from "./lane-budget.ts";
import type { BenchRow } from "./types.ts";

const MAX_OUTPUT_TOKENS = 8192;
const TIMEOUTS = { stepMs: 300_000, firstTokenMs: 120_000, idleMs: 60_000 };
/** Recorded and simulated workers answer at once: no timer need watch them. */
const NO_TIMEOUTS = { stepMs: Infinity, firstTokenMs: Infinity, idleMs: Infinity };

export interface EvaluateOptions {
  conductor: Conductor;
  /** What its rows are called; by default the Conductor's own id. */
  name?: string;
  rounds: number;
  pool: Pool;
  /** A pool for one task: the same members in the same order, only their profiles differ. */
  poolFor?: (task: GradedTask) => Pool;
  tasks: readonly GradedTask[];
  grade: (task: GradedTask, run: Run, signal: AbortSignal) => Grade | Promise<Grade>;
  /** Each task has its own chance from this and its id, whoever conducts. */
  seed: number;
  concurrency: number;
  signal?: AbortSignal;
  /** Called once a task is over, before the next one of its lane starts. */
  onRow?: (row: BenchRow) => void;
  /** Of each run. */
  limits?: Limits;
  /** Of all runs together. When it is used up the rest is not measured, instead of measured badly. */
  budget?: LaneBudget;
  /** Nothing here takes time: workers are recorded or simulated without delays. */
  isInstant?: boolean;
  /** How long a step takes, where the clock cannot tell because the worker is instant. */
  delayOf?: (task: GradedTask, step: Run["steps"][number]) => number;
}

/**
 * Rows in the order of the tasks. Tasks that were not reached (stopped, budget empty) have none. Rejects with
 * "no-more-samples" or "handoff-not-recorded" when the Conductor wants what a recording does not have.
 */
export async function evaluate(options: EvaluateOptions): Promise<BenchRow[]> {
  const { tasks, concurrency, signal, budget, onRow } = options;
  const perform = createPerformance(options);
  const rows: (BenchRow | undefined)[] = new Array(tasks.length);
  const waiting = [...tasks.keys()].reverse();
  const work = async (lanes: number): Promise<void> => {
    let isShort = false;
    const lane = async (): Promise<void> => {
      while (waiting.length > 0 && !isShort && !signal?.aborted) {
        const allowance = budget?.take(lanes);
        if (budget && !allowance) return;
        const number = waiting.pop()!;
        const row = await perform(tasks[number]!, allowance);
        if (row === "short") {
          isShort = true;
          waiting.push(number);
        } else if (row) {
          rows[number] = row;
          onRow?.(row);
        }
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    // A share was not enough: what is left may be enough for one run after the other.
    if (isShort && budget?.narrow(lanes)) await work(1);
  };
  await work(budget?.isNarrow ? 1 : Math.min(concurrency, tasks.length));
  return rows.filter((row) => row !== undefined);
}

function createPerformance(options: EvaluateOptions) {
  const { conductor, pool, poolFor, rounds, seed, limits = {}, grade, isInstant = false } = options;
  const {
    name = toConductorName(conductor.identity),
    delayOf,
    signal = new AbortController().signal,
  } = options;
  // Every lane listens: many of them are no leak.
  setMaxListeners(0, signal);
  const settings: RunSettings = {
    conductor: conductor.identity,
    conductorReason: "it is measured",
    rounds,
    maxSteps: MAX_STEPS,
    limits,
    seed,
    maxOutputTokens: MAX_OUTPUT_TOKENS,
    retries: 2,
    timeouts: isInstant ? NO_TIMEOUTS : TIMEOUTS,
    maxDepth: 0,
    streaming: false,
    review: false,
    allowUnknownPrice: limits.usd === undefined && options.budget === undefined,
  };
  const entries = pool.members.map(toPoolEntry);
  const stage = {
    store: createMemoryStore({ keepEnded: 0 }),
    pool,
    conductor,
    // It never opens: whoever is named is asked, or a short outage would be a long one in the figures.
    breaker: new CircuitBreaker(Date.now, Number.POSITIVE_INFINITY, 0),
    owner: { id: "bench", pid: process.pid, host: hostname() },
    now: Date.now,
    signal,
  };

  /** Nothing, when it was stopped from outside. Short of money: it was not measured either. */
  return async (
    task: GradedTask,
    allowance: Allowance | undefined,
  ): Promise<BenchRow | "short" | undefined> => {
    const isTight = allowance !== undefined && allowance.usd < (limits.usd ?? Number.POSITIVE_INFINITY);
    const own = poolFor?.(task);
    if (own) checkMembers(own, pool);
    const state = await performRun(
      {
        type: "run-start",
        runId: `${name}/${task.id}`,
        at: Date.now(),
        task: { id: task.id, messages: toMessages(task) },
        pool: own?.members.map(toPoolEntry) ?? entries,
        settings: {
          ...settings,
          seed: hashSeed(seed, task.id),
          ...(isTight && { limits: { ...limits, usd: allowance.usd } }),
        },
      },
      own ? { ...stage, pool: own } : stage,
    );
    allowance?.giveBack(state.spent.usd);
    if (state.ended?.stopReason === "cancelled") return undefined;
    if (isTight && wasShortOfMoney(state)) return "short";
    const refusal = findReplayRefusal(state);
    if (refusal) throw new TuttiError(toErrorCode(refusal.code, "not-recorded"), refusal.message);
    const run = toRun(state);
    const graded = await gradeUnlessStopped(grade, task, run, signal);
    if (!graded) return undefined;
    const delayMs = delayOf && toCriticalPath(state, run, (step) => delayOf(task, step));
    const { id, set, category, family } = task;
    return { conductor: name, set, task: id, category, family, ...toPerformedTask(state, graded, delayMs) };
  };
}

/** Numbers in a workflow mean positions in the pool: another order would measure somebody else. */
function checkMembers(own: Pool, common: Pool): void {
  const isSame =
    own.members.length === common.members.length &&
    own.members.every(({ worker }, number) => worker === common.members[number]!.worker);
  if (!isSame)
    throw new TypeError("The pool of a task must have the members of the common pool, in their order");
}

/** A grader that was stopped says nothing about the answer. */
async function gradeUnlessStopped(
  grade: EvaluateOptions["grade"],
  task: GradedTask,
  run: Run,
  signal: AbortSignal,
): Promise<Grade | undefined> {
  try {
    const graded = await grade(task, run, signal);
    return signal.aborted && graded.ungraded ? undefined : graded;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** Its own stop, or the performer asked somebody cheaper than the one who was named. */
function wasShortOfMoney({ ended, rounds }: RunState): boolean {
  if (ended?.stopReason === "budget-usd") return true;
  return rounds.some(
    ({ plan, steps }) =>
      plan.fallback?.includes("budget") ||
      steps.some(({ instead, failures }) => instead && failures.length === 0),
  );
}

/** Steps that do not wait for each other take their time together; rounds follow each other. */
function toCriticalPath(
  { rounds }: RunState,
  run: Run,
  delayOf: (step: Run["steps"][number]) => number,
): number {
  return rounds.reduce((total, { dependencies }, round) => {
    const ends: number[] = [];
    for (const [number, step] of run.rounds[round]!.steps.entries()) {
      const start = (dependencies[number] ?? []).reduce((latest, other) => Math.max(latest, ends[other]!), 0);
      ends.push(start + delayOf(step));
    }
    return total + Math.max(0, ...ends);
  }, 0);
}
