// A step given to `self`: the Conductor as a member of its own pool. The step becomes a run of its
// own, one level deeper, with a share of the budget and what is left of the deadline. It is journaled
// under its own id, so a crash in the middle of it loses no more than any other run would.

import { TuttiError } from "../base/errors.ts";
import { LIMIT_NAMES, type Limits } from "../store/limits.ts";
import type { Amount, RunEvent, Spending } from "../store/types.ts";
import { toNestedTask } from "../worker/brief.ts";
import { nests } from "../worker/kinds.ts";
import { addUsage, NO_USAGE } from "../worker/price.ts";
import type { Brief, Pool, WorkerEvent } from "../worker/types.ts";
import { NOTHING_SPENT } from "./budget.ts";
import { deadlineOf } from "./decide.ts";
import { EventQueue } from "./queue.ts";
import type { Stage } from "./stage.ts";
import type { RunState } from "./state.ts";

export interface NestedStep {
  parent: RunState;
  round: number;
  step: number;
  runId: string;
  brief: Brief;
  /** The share of the parent's budget. */
  reserved: Amount;
  /** Its answer is the parent's answer, and streams. */
  isAnswer: boolean;
}

export interface Nested {
  conduct(signal: AbortSignal): AsyncIterable<WorkerEvent>;
  /** Resolves when the nested run, if there was one, has journaled its end. */
  ended(): Promise<void>;
  spending(): Spending;
}

/** The two ways to perform, handed in: the driver depends on this file, not the other way round. */
interface Perform {
  performRun(event: Extract<RunEvent, { type: "run-start" }>, stage: Stage): Promise<RunState>;
  resumeRun(events: readonly RunEvent[], stage: Stage): Promise<RunState>;
}

export function createNested(nested: NestedStep, stage: Stage, perform: Perform): Nested {
  let work: Promise<RunState> | undefined;
  let state: RunState | undefined;

  async function* conduct(signal: AbortSignal): AsyncIterable<WorkerEvent> {
    const deltas = new EventQueue<string>();
    const pool = nestedPool(nested.parent, stage.pool);
    const inner: Stage = {
      ...stage,
      signal,
      pool,
      conductor: stage.nestedConductor ?? stage.conductor,
      review: undefined,
      onEvent: (event) => {
        stage.onEvent?.(event);
        if (event.runId === nested.runId && event.type === "step-delta" && event.answer)
          deltas.push(event.text);
      },
    };
    work = performOrResume(nested, pool, inner, perform);
    work
      .then((ended) => {
        state = ended;
      })
      .catch(() => {})
      .finally(() => deltas.close());
    let streamed = "";
    for await (const text of deltas) {
      streamed += text;
      yield { type: "text-delta", text };
    }
    const { answer, hasAnswer, stopReason } = (await work).ended!;
    if (!hasAnswer || stopReason === "answer-cut") {
      const message = `The nested run ${nested.runId} ended without an answer: ${stopReason}`;
      throw new TuttiError("nested-failed", message);
    }
    if (streamed !== "" && !answer.startsWith(streamed)) {
      yield { type: "text-withdrawn" };
      streamed = "";
    }
    if (streamed === "") yield { type: "text-delta", text: answer };
    yield { type: "finish", usage: usageOf(await work), reason: "stop" };
  }

  return {
    conduct,
    ended: async () => {
      await work?.catch(() => {});
    },
    spending: () => (state ? spendingOf(state) : NOTHING_SPENT),
  };
}

async function performOrResume(
  nested: NestedStep,
  pool: Pool,
  stage: Stage,
  perform: Perform,
): Promise<RunState> {
  const events = await stage.store.loadRun(nested.runId);
  if (events.length > 0) return perform.resumeRun(events, stage);
  const { parent, round, step, runId, brief, reserved, isAnswer } = nested;
  const at = stage.now();
  const ids = new Set(pool.members.map((member) => member.worker.id));
  return perform.performRun(
    {
      type: "run-start",
      runId,
      at,
      parent: { runId: parent.runId, round, step },
      task: toNestedTask(brief),
      pool: parent.pool.filter((entry) => ids.has(entry.id)),
      settings: {
        ...parent.settings,
        conductor: stage.conductor.identity,
        conductorReason: "the Conductor of the run that asked for this",
        limits: shareOf(parent, reserved, at),
        maxDepth: parent.settings.maxDepth - 1,
        // Only the outer run may have further rounds: depth and rounds together would multiply.
        rounds: 1,
        streaming: isAnswer,
        review: false,
      },
    },
    stage,
  );
}

function shareOf(parent: RunState, reserved: Amount, now: number): Limits {
  const left = { ...reserved, deadlineMs: Math.max(0, deadlineOf(parent) - now) };
  const { limits } = parent.settings;
  return Object.fromEntries(
    LIMIT_NAMES.filter((name) => limits[name] !== undefined).map((name) => [name, left[name]]),
  );
}

/** At the last level there is no `self`: nobody can nest deeper than allowed. */
function nestedPool(parent: RunState, pool: Pool): Pool {
  if (parent.settings.maxDepth > 1) return pool;
  return { members: pool.members.filter((member) => !nests(member.worker)) };
}

function usageOf(state: RunState) {
  return totalsOf(state).reduce((sum, totals) => addUsage(sum, totals.usage), NO_USAGE);
}

function totalsOf({ rounds }: RunState) {
  return rounds.flatMap(({ plan, steps }) => [plan.totals, ...steps.map((step) => step.totals)]);
}

function spendingOf(state: RunState): Spending {
  const { spent, unpricedCalls, estimatedUsd } = state;
  const estimated = estimatedUsd > 0 || undefined;
  const cacheSavedUsd = totalsOf(state).reduce((sum, totals) => sum + totals.cacheSavedUsd, 0) || undefined;
  const usage = usageOf(state);
  return { usage, costUsd: spent.usd, calls: spent.calls, unpricedCalls, estimated, cacheSavedUsd };
}
