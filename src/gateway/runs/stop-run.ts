// A run is cancelled at whichever gateway a client asks: the one that performs it is told so, and one that was left and waits to be
// gone on with is picked up only to be ended.

import { setTimeout as delay } from "node:timers/promises";
import { isTuttiError } from "../../base/errors.ts";
import type { Run } from "../../perform/run.ts";
import { fold } from "../../perform/state.ts";
import type { GatewayContext } from "../context.ts";
import { deletePrivate } from "./after-run.ts";

/** It ends within a second, unless its gateway cannot be reached. */
const PATIENCE_MS = 5_000;

/** Done when it is over. */
export async function stopRun(context: GatewayContext, runId: string): Promise<void> {
  const { live, dispatcher, service, remote, tutti } = context;
  dispatcher.queued.delete(runId);
  if (live.find(runId) || (await endLeft(context, runId)) || !service || !remote) return live.stop(runId);
  const store = await tutti.store();
  const [found] = await store.listRuns({ idPrefix: runId, limit: 1 });
  if (found?.state !== "running" || fold(await store.loadRun(runId))?.ended) return;
  const elsewhere = await remote.follow(runId);
  const leave = elsewhere.attach();
  await service.tell({ about: "stop", run: runId });
  const late = new AbortController();
  const ended = elsewhere.result.catch(() => {});
  await Promise.race([ended, delay(PATIENCE_MS, undefined, { signal: late.signal }).catch(() => {})]);
  late.abort();
  leave();
}

/** Nothing is asked. False where there is nothing to end, or somebody else was faster. */
async function endLeft(context: GatewayContext, runId: string): Promise<boolean> {
  const { tutti, log } = context;
  const store = await tutti.store();
  const [found] = await store.listRuns({ idPrefix: runId, limit: 1 });
  if (found?.state !== "interrupted") return false;
  const left = await tutti.load(found.id);
  if (!left || left.stopReason !== undefined || !(await willGoOn(context, left))) return false;
  try {
    const run = await tutti.resume(found.id, { signal: AbortSignal.abort() }).result;
    await deletePrivate(store, run, log);
    return run.stopReason !== undefined;
  } catch (error) {
    if (isTuttiError(error) && error.code === "run-busy") return false;
    throw error;
  }
}

/** Of a run that nobody performs and that has no end. */
export async function willGoOn(
  { dispatcher, engine }: Pick<GatewayContext, "dispatcher" | "engine">,
  { id, origin }: Pick<Run, "id" | "origin">,
): Promise<boolean> {
  if (engine) return engine.isKept(id);
  return origin?.isBackground === true && !dispatcher.refused.has(id);
}
