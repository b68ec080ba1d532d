// Runs that other gateways have left, because they died or were told to end: the durable engine hands them out, and here they are
// let in through the same dispatcher as fresh requests. Their key must still be good, have a place free and money left; who has
// to wait for that is tried again every second. What is refused for good stays interrupted, and the log says why.

import { setTimeout as delay } from "node:timers/promises";
import type { ErrorCode } from "../../base/error-codes.ts";
import { isTuttiError, TuttiError } from "../../base/errors.ts";
import { openEngine, type RunEnding } from "../../durable/engine.ts";
import { fold } from "../../perform/state.ts";
import type { RunEvent, Store } from "../../store/types.ts";
import { createOwner } from "../../tutti/run-setup.ts";
import type { GatewayContext } from "../context.ts";
import { findBackground, resumeRun } from "./resume-background.ts";

const AGAIN_MS = 1_000;
/** Its process may live after all, or its lease has not run out; and a server that is away for long is back some time. */
const PASSING: readonly ErrorCode[] = ["run-busy", "journal-failed"];

export async function openRunEngine(
  context: GatewayContext,
  address: string,
  { id }: { id: string },
): Promise<void> {
  const { log } = context;
  const engine = await openEngine(address, {
    id,
    onLeft: (runId) => goOn(context, runId),
    written: (runId) => context.tutti.backlog.written(runId),
    onWarning: (text) => log.warn("durable engine", { text }),
  });
  context.engine = engine;
  // Of a version that had no engine.
  for (const runId of await findBackground(context, new Set())) await engine.adopt(runId);
}

/** Under its lease: what its process sent to the last may still be on its way into the journal, and is refused from then on. */
async function neverBegan(store: Store, runId: string): Promise<boolean> {
  const owner = createOwner();
  if (!(await store.claim(runId, owner))) return false;
  try {
    return (await store.loadRun(runId)).length === 0;
  } finally {
    await store.release(runId, owner);
  }
}

/** What there is to go on with; undefined where its process died after all was done, or before it had begun. */
async function findLeft({ tutti, engine }: GatewayContext, runId: string): Promise<RunEvent[] | undefined> {
  const store = await tutti.store();
  const events = await store.loadRun(runId);
  const state = fold(events);
  if (state?.ended || (!state && (await neverBegan(store, runId)))) return undefined;
  if (!state) throw new TuttiError("run-busy", "It begins at this moment.");
  if (!engine) throw new TuttiError("overloaded", "This gateway is still starting.");
  // Whoever is let in counts for its key's rate: not while its process may live.
  const [found] = await store.listRuns({ idPrefix: runId, shadows: true, limit: 1 });
  if (found?.state === "running") throw new TuttiError("run-busy", "Its process may live.");
  return events;
}

async function goOn(context: GatewayContext, runId: string): Promise<RunEnding> {
  const { dispatcher, log } = context;
  try {
    while (!context.isClosing) {
      dispatcher.queued.add(runId);
      try {
        const events = await findLeft(context, runId);
        if (!events) return "over";
        const live = await resumeRun(context, runId, events);
        dispatcher.queued.delete(runId);
        return (await live.result).stopReason === undefined ? "left" : "over";
      } catch (error) {
        const mayPass = isTuttiError(error) && (error.retryable || PASSING.includes(error.code));
        if (!mayPass) throw error;
      }
      await delay(AGAIN_MS, undefined, { ref: false });
    }
    return "left";
  } catch (error) {
    dispatcher.refused.add(runId);
    const why = isTuttiError(error) ? error.message : error;
    log.warn("a run stays interrupted", { run: runId, why });
    throw error;
  } finally {
    dispatcher.queued.delete(runId);
  }
}
