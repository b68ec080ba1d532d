// Any Conductor on any tasks and pool, through the real performer, with the same accounting for all. What
// was down is counted apart: a run that lost a worker says nothing about the Conductor.

import { setMaxListeners } from "node:events";
import { toErrorCode } from "../base/error-codes.ts";
import { TuttiError } from "../base/errors.ts";
import { hashSeed } from "../base/random.ts";
import type { Conductor } from "../conductor/types.ts";
import { toConductorName } from "../store/conductor-name.ts";
import type { Limits } from "../store/limits.ts";
import type { GradedTask } from "../task/types.ts";
import type { Pool } from "../worker/types.ts";
import { performTask } from "../world/perform-task.ts";
import type { Grading } from "../world/types.ts";
import type { Allowance, LaneBudget } from "./lane-budget.ts";
import type { BenchRow } from "./types.ts";

export interface EvaluateOptions {
  conductor: Conductor;
  /** What its rows are called; by default the Conductor's own id. */
  name?: string;
  rounds: number;
  pool: Pool;
  /** A pool for one task: the same members in the same order, only their profiles differ. */
  poolFor?: (task: GradedTask) => Pool;
  tasks: readonly GradedTask[];
  world: Grading;
  /** Each task has its own seed from this and its id, whoever conducts. */
  seed: number;
  concurrency: number;
  signal?: AbortSignal;
  /** Called once a task is over, before the next one of its lane starts. */
  onRow?: (row: BenchRow) => void;
  /** Of each run. */
  limits?: Limits;
  /** Of all runs together. When it is used up the rest is not measured, instead of measured badly. */
  budget?: LaneBudget;
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

/** The same for a bench that goes on after it was killed. */
export function toRunId(conductor: string, task: string): string {
  return `${conductor}/${task}`;
}

function createPerformance(options: EvaluateOptions) {
  const { world, conductor, pool, poolFor, rounds, seed, limits = {}, budget } = options;
  const { name = toConductorName(conductor.identity), signal = new AbortController().signal } = options;
  // Every lane listens: many of them are no leak.
  setMaxListeners(0, signal);
  const allowUnknownPrice = limits.usd === undefined && budget === undefined;

  /** Nothing, when it was stopped from outside. Short of money: it was not measured either. */
  return async (
    task: GradedTask,
    allowance: Allowance | undefined,
  ): Promise<BenchRow | "short" | undefined> => {
    const isTight = allowance !== undefined && allowance.usd < (limits.usd ?? Number.POSITIVE_INFINITY);
    const own = poolFor?.(task);
    if (own) checkMembers(own, pool);
    const end = await performTask(world, { task, pool: own ?? pool }, conductor, {
      rounds,
      signal,
      allowUnknownPrice,
      seed: hashSeed(seed, task.id),
      limits: isTight ? { ...limits, usd: allowance.usd } : limits,
      isTight,
      runId: toRunId(name, task.id),
    });
    allowance?.giveBack(end.spentUsd);
    switch (end.type) {
      case "stopped":
        return undefined;
      case "short":
        return "short";
      case "refused":
        throw new TuttiError(toErrorCode(end.error.code, "not-recorded"), end.error.message);
      case "graded": {
        const { id, set, category, family } = task;
        return { conductor: name, set, task: id, category, family, ...end.performed };
      }
    }
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
