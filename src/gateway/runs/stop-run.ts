// A run is cancelled at whichever gateway a client asks: the one that performs it is told so.

import { setTimeout as delay } from "node:timers/promises";
import { fold } from "../../perform/state.ts";
import type { GatewayContext } from "../context.ts";

/** It ends within a second, unless its gateway cannot be reached. */
const PATIENCE_MS = 5_000;

/** Done when it is over. */
export async function stopRun(
  { live, dispatcher, service, remote, tutti }: GatewayContext,
  runId: string,
): Promise<void> {
  dispatcher.queued.delete(runId);
  if (live.find(runId) || !service || !remote) return live.stop(runId);
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
