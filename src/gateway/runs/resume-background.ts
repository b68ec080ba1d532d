// Background runs that another process left behind go on, when the gateway starts and as long as it runs: the process may
// have been another gateway on the same journal. Through the same dispatcher as fresh requests: their key must still be
// good, have a place free and money left. Who has to wait for a place is let in later; what is refused stays interrupted,
// and the log says why.

import { setTimeout as delay } from "node:timers/promises";
import { isTuttiError } from "../../base/errors.ts";
import type { RunEvent } from "../../store/types.ts";
import { admitRun, type WantedRun } from "../access/admit-run.ts";
import type { GatewayContext } from "../context.ts";
import { checkRoom } from "../routes/ask.ts";
import type { LiveRun } from "./live-runs.ts";

const AGAIN_MS = 1_000;
const PAGE = 100;

/** How often it is looked for runs of processes that have died. */
const LOOK_MS = 5_000;

/** The first look resolves when each has been tried once; then it is looked again, until `stop`. */
export async function resumeBackground(context: GatewayContext): Promise<{ stop(): void }> {
  /** Interrupted runs that are not looked at again: none of ours to go on with. */
  const settled = new Set<string>();
  await look(context, settled);
  let isLooking = false;
  const timer = setInterval(async () => {
    if (isLooking || context.isClosing) return;
    isLooking = true;
    await look(context, settled).catch((error) =>
      context.log.warn("left runs could not be looked for", { error }),
    );
    isLooking = false;
  }, LOOK_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

async function look(context: GatewayContext, settled: Set<string>): Promise<void> {
  const { queued } = context.dispatcher;
  const isWaiting = queued.size > 0;
  for (const id of await findBackground(context, settled)) queued.add(id);
  if (isWaiting) return; // they are tried every second already
  await resumeQueued(context, settled);
  if (queued.size > 0) void resumeLater(context, settled);
}

async function resumeLater(context: GatewayContext, settled: Set<string>): Promise<void> {
  while (context.dispatcher.queued.size > 0) {
    await delay(AGAIN_MS, undefined, { ref: false });
    if (context.isClosing) return;
    await resumeQueued(context, settled);
  }
}

/** Those that are let in now leave the queue, and so do those that never will be. */
async function resumeQueued(context: GatewayContext, settled: Set<string>): Promise<void> {
  const { dispatcher, log } = context;
  for (const id of [...dispatcher.queued]) {
    const left = (error: unknown) => {
      // Another gateway was faster, and may die as well.
      if (isTuttiError(error) && error.code === "run-busy") return void settled.delete(id);
      dispatcher.refused.add(id);
      const why = isTuttiError(error) ? error.message : error;
      log.warn("a background run stays interrupted", { run: id, why });
    };
    try {
      await resume(context, id, left);
      dispatcher.queued.delete(id);
      settled.delete(id);
    } catch (error) {
      if (isTuttiError(error) && error.retryable) continue;
      dispatcher.queued.delete(id);
      left(error);
    }
  }
}

async function resume(context: GatewayContext, id: string, onLost: (error: unknown) => void): Promise<void> {
  const live = await resumeRun(context, id, await (await context.tutti.store()).loadRun(id));
  live.result.catch(onLost);
}

/** Lets a run in that another process left, as if it was asked now. Rejects where it is not let in. */
export async function resumeRun(
  context: GatewayContext,
  id: string,
  events: readonly RunEvent[],
): Promise<LiveRun> {
  const { keys, models, dispatcher, log } = context;
  checkRoom(context);
  const { keyId, model } = originOf(events)!;
  const key = keyId === undefined ? undefined : keys.findById(keyId);
  const destination = await models.resolve(model, key, { preferences: {} });
  const admit = (wanted: WantedRun) => admitRun(context, key, wanted);
  const { live } = await dispatcher.resume(events, { destination, admit, goesOn: true });
  log.info("goes on with a run that was left", { run: id });
  return live;
}

/** The oldest first: they have waited the longest. */
export async function findBackground(
  { tutti }: Pick<GatewayContext, "tutti">,
  settled: Set<string>,
): Promise<string[]> {
  const store = await tutti.store();
  const found: string[] = [];
  for (let cursor: { startedBefore?: number; beforeId?: string } = {}; ; ) {
    const page = await store.listRuns({ state: "interrupted", limit: PAGE, ...cursor });
    for (const { id, origin } of page) {
      if (settled.has(id)) continue;
      settled.add(id);
      if (origin && originOf(await store.loadRun(id))?.isBackground) found.push(id);
    }
    const last = page.at(-1);
    if (!last || page.length < PAGE) return found.reverse();
    cursor = { startedBefore: last.startedAt, beforeId: last.id };
  }
}

function originOf([start]: readonly RunEvent[]) {
  return start?.type === "run-start" ? start.origin : undefined;
}
