// The one place where a graded task is performed: settings and stage of the run, the run itself through the
// real driver, and its grade. Bench rows, rollouts and their rewards are made from what comes out here.

import { hostname } from "node:os";
import { traitsOf } from "../base/error-codes.ts";
import type { Conductor } from "../conductor/types.ts";
import { performRun } from "../perform/driver.ts";
import { CircuitBreaker } from "../perform/retry.ts";
import { type Run, toRun } from "../perform/run.ts";
import type { RunState, StepState } from "../perform/state.ts";
import type { Limits } from "../store/limits.ts";
import { createMemoryStore } from "../store/memory.ts";
import { toPoolEntry } from "../store/pool-entry.ts";
import type { EventError, PoolEntry, RunSettings, Store } from "../store/types.ts";
import { type Grade, type GradedTask, toMessages } from "../task/types.ts";
import type { Pool } from "../worker/types.ts";
import { MAX_STEPS } from "../workflow/types.ts";
import type { Grading, PerformedTask, Question } from "./types.ts";

const MAX_OUTPUT_TOKENS = 8192;
const RETRIES = 2;
const TIMEOUTS = { stepMs: 300_000, firstTokenMs: 120_000, idleMs: 60_000 };
/** Recorded and simulated workers answer at once: no timer need watch them. */
const NO_TIMEOUTS = { stepMs: Infinity, firstTokenMs: Infinity, idleMs: Infinity };

export interface PerformTaskOptions {
  rounds: number;
  /** Of this very run. */
  seed: number;
  signal: AbortSignal;
  limits?: Limits;
  /** A run that would have to ask somebody cheaper, or nobody, for lack of money ends as "short". */
  isTight?: boolean;
  allowUnknownPrice?: boolean;
  /** By default in memory, and forgotten. */
  store?: Store;
  runId?: string;
}

export type TaskEnd = { spentUsd: number } & (
  | { type: "graded"; performed: PerformedTask; state: RunState }
  /** The Conductor wanted what a recording does not have. */
  | { type: "refused"; error: EventError }
  /** Not measured: there was less money than it needed. */
  | { type: "short" }
  /** By the signal, in the run or while it was graded. */
  | { type: "stopped" }
);

const forgetful = createMemoryStore({ keepEnded: 0 });
// It never opens: whoever is named is asked, or a short outage would be a long one in the results.
const breaker = new CircuitBreaker(Date.now, Number.POSITIVE_INFINITY, 0);
const owner = { id: "world", pid: process.pid, host: hostname() };

export async function performTask(
  world: Grading,
  { task, pool }: Question,
  conductor: Conductor,
  options: PerformTaskOptions,
): Promise<TaskEnd> {
  const { rounds, seed, signal, limits = {}, isTight = false, allowUnknownPrice = true } = options;
  const { store = forgetful, runId = task.id } = options;
  const settings: RunSettings = {
    conductor: conductor.identity,
    conductorReason: "it is measured",
    rounds,
    maxSteps: MAX_STEPS,
    limits,
    seed,
    maxOutputTokens: MAX_OUTPUT_TOKENS,
    retries: world.isInstant ? 0 : RETRIES,
    timeouts: world.isInstant ? NO_TIMEOUTS : TIMEOUTS,
    maxDepth: 0,
    streaming: false,
    review: false,
    allowUnknownPrice,
  };
  const asked = { id: task.id, messages: toMessages(task) };
  const state = await performRun(
    { type: "run-start", runId, at: Date.now(), task: asked, pool: entriesOf(pool), settings },
    { store, pool, conductor, breaker, owner, now: Date.now, signal },
  );
  const spentUsd = state.spent.usd;
  if (state.ended?.stopReason === "cancelled") return { type: "stopped", spentUsd };
  if (isTight && wasShortOfMoney(state)) return { type: "short", spentUsd };
  const refusal = findReplayRefusal(state);
  if (refusal) return { type: "refused", error: refusal, spentUsd };
  const run = toRun(state);
  const grade = await gradeUnlessStopped(world, task, run, signal);
  if (!grade) return { type: "stopped", spentUsd };
  const { delayOf } = world;
  const delayMs = delayOf && toCriticalPath(state, run, (step) => delayOf(task, step));
  return { type: "graded", performed: toPerformedTask(state, grade, delayMs), state, spentUsd };
}

/** Thousands of tasks share a pool. */
const entries = new WeakMap<Pool, PoolEntry[]>();

function entriesOf(pool: Pool): PoolEntry[] {
  let known = entries.get(pool);
  if (!known) {
    known = pool.members.map(toPoolEntry);
    entries.set(pool, known);
  }
  return known;
}

/** A grader that was stopped says nothing about the answer. */
async function gradeUnlessStopped(
  { grade }: Grading,
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
      plan.lacking === "budget-usd" ||
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

// ---- What is kept --------------------------------------------------------------------------------

// What is kept of one run: who was asked, what it took, how it was graded, whether somebody was down.

export function toPerformedTask(
  state: RunState,
  { score, why, ungraded = false, decidedIn }: Grade,
  delayMs?: number,
): PerformedTask {
  const { rounds, spent, ended, startedAt } = state;
  const performed = rounds.filter(({ steps }) => steps.length > 0);
  const [first] = rounds;
  const { asked, calls } = toAsked(state);
  return {
    score,
    why,
    ungraded,
    decidedIn,
    isOutage: hadOutage(state),
    calls,
    conductorCalls: rounds.reduce((sum, { plan }) => sum + plan.totals.calls, 0),
    tokens: spent.tokens,
    costUsd: spent.usd,
    ...(state.unpricedCalls > 0 && { unpricedCalls: state.unpricedCalls }),
    durationMs: delayMs ?? ended!.at - startedAt,
    steps: performed.at(-1)?.steps.length ?? 0,
    rounds: performed.length,
    valid: first !== undefined && first.plan.formatErrors.length === 0 && first.plan.fallback === undefined,
    asked,
    answer: ended!.answer,
    stopReason: ended!.stopReason,
  };
}

/** One entry per ask: retries and those who stepped in too, tools and what a recording refused not. */
function toAsked({ rounds, pool }: RunState): { asked: string[]; calls: number } {
  const asked: string[] = [];
  let calls = 0;
  for (const { steps } of rounds) {
    for (const { failures, totals, worker } of steps) {
      let answered = totals.calls;
      for (const { worker: other, error, spending } of failures) {
        answered -= spending.calls;
        if (spending.calls === 0 || traitsOf(error.code).isUnrecorded) continue;
        asked.push(pool[other]!.id);
        calls += spending.calls;
      }
      if (answered > 0) asked.push(pool[worker]!.id);
      calls += Math.max(0, answered);
    }
  }
  return { asked, calls };
}

/**
 * A step got its reply from somebody else, or none, because the one it named was down; or nobody could
 * plan. A worker that refuses or breaks at this very task is no outage: that is how well it does.
 */
function hadOutage({ rounds, ended }: RunState): boolean {
  if (ended!.stopReason === "journal-failed") return true;
  return rounds.some(
    ({ plan, steps }) =>
      (plan.fallback !== undefined && plan.faults.some(isOutage)) ||
      steps.some((step) => lostItsWorker(step)),
  );
}

function lostItsWorker({ status, instead, failures }: StepState): boolean {
  if (status !== "failed" && !instead) return false;
  return failures.some(({ error }) => isOutage(error));
}

function isOutage({ code, retryable }: EventError): boolean {
  return retryable || traitsOf(code).isOutage;
}

/** A recording has no such reply. Thrown where the Conductor itself wanted it: then it cannot be replayed. */
function findReplayRefusal({ rounds }: RunState): EventError | undefined {
  for (const { workflow, steps } of rounds) {
    for (const [number, { failures }] of steps.entries()) {
      const named = workflow!.steps[number]!.worker;
      const refusal = failures.find(
        ({ worker, error }) => worker === named && traitsOf(error.code).isUnrecorded,
      );
      if (refusal) return refusal.error;
    }
  }
  return undefined;
}
