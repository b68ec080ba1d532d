// Runs as data, for the dashboard and for whoever wants to know: a list, one in full, and its events as they
// happen. A key sees its own runs; an admin's key, or a gateway without keys, sees all.

import { setImmediate as turn } from "node:timers/promises";
import { isTuttiError } from "../../base/errors.ts";
import type { Connection } from "../../http/connection.ts";
import type { Query } from "../../http/target.ts";
import type { RunEvent, RunFilter, StopReason } from "../../store/types.ts";
import type { GatewayContext } from "../context.ts";
import { KEEP_ALIVE } from "../dialect/common.ts";
import { badRequest } from "../http/object-reader.ts";
import type { Visit } from "../http/route.ts";
import { readWhole } from "../http/route.ts";
import { toViewer } from "../reads/own-run.ts";
import { createPlace, isPiece } from "../runs/live-runs.ts";
import { stopRun } from "../runs/stop-run.ts";
import type { Handler } from "../types.ts";

const STATES = ["ended", "running", "interrupted"] as const;
const MOST_RUNS = 500;
const KEEP_ALIVE_MS = 5_000;
const MOST_AT_ONCE = 1_000_000;

export const listRuns: Handler = async ({ reader }, { connection, key, query }) => {
  const limit = readWhole(query.limit, "limit", 1, MOST_RUNS) ?? 50;
  const filter = parseFilter(query);
  const keyId = key && !key.isAdmin ? key.id : filter.keyId;
  const runs = await reader.read(key, "listRuns", { ...filter, keyId, limit: limit + 1 });
  const data = runs.slice(0, limit);
  const last = data.at(-1);
  const has_more = runs.length > limit;
  const next = has_more && last ? `started_before=${last.startedAt}&before_id=${last.id}` : undefined;
  connection.json(200, { object: "list", data, has_more, next });
};

function parseFilter(query: Query): RunFilter {
  const state = STATES.find((each) => each === query.state);
  if (query.state && !state) throw badRequest(`"state" must be one of ${STATES.join(", ")}.`, "state");
  return {
    state,
    startedFrom: readWhole(query.started_from, "started_from", 0, Number.MAX_SAFE_INTEGER),
    startedBefore: readWhole(query.started_before, "started_before", 0, Number.MAX_SAFE_INTEGER),
    beforeId: query.before_id || undefined,
    text: query.search || undefined,
    model: query.model || undefined,
    keyId: query.key || undefined,
    stopReason: (query.stop_reason as StopReason) || undefined,
    idPrefix: query.id || undefined,
    nested: query.nested === "true",
    shadows: query.shadows === "true",
  };
}

export const showRun: Handler = async ({ runReader }, { connection, key, id }) => {
  connection.jsonBytes(200, await runReader.bytes(key, "showOwnRun", id, toViewer(key)));
};

export const showMessages: Handler = async ({ runReader }, { connection, key, id }) => {
  connection.jsonBytes(200, await runReader.bytes(key, "showOwnMessages", id, toViewer(key)));
};

/** The events of a run that the key may see. Throws "not-found". */
export function loadOwnRun(
  { runReader }: GatewayContext,
  key: Visit["key"],
  id: string,
): Promise<RunEvent[]> {
  return runReader.read(key, "loadOwnEvents", id, toViewer(key));
}

/**
 * Server-sent events, each with an id "journaled.passing": how many events of this run's journal there were, and how
 * much since the last of them is told live only: characters of text, which may be cut into other pieces for another
 * reader, and events of runs within this one. With `Last-Event-ID` it goes on behind that event, also after a restart of the gateway; pieces of text are
 * then in their `step-end`, and a run within this one has events of its own. Where another gateway performs the run the id
 * ends in ".j": pieces are those of the journal. Whoever comes from the one to the other has the pieces of the reply that is
 * being written in its end.
 */
export const streamEvents: Handler = async (context, visit) => {
  const { connection, id } = visit;
  connection.outgoing.once("close", context.readers.ofKey.take(visit.key?.id ?? ""));
  const local = context.live.find(id);
  const after = parseEventId(connection.header("last-event-id"));
  const earlier = await loadOwnRun(context, visit.key, id).catch((error: unknown) => {
    // It is running, and its first event may not be journaled yet.
    if (local && isTuttiError(error) && !visit.key) return [];
    throw error;
  });
  connection.outgoing.once("close", context.readers.ofRun.take(id));
  const live = local ?? (await context.remote?.find(id));
  const first = await live?.first();
  connection.begin(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
  const numbering = createNumbering(id, after, local === undefined && live !== undefined);
  // Of a run that went on after tools of the client, the earlier turns are in the journal only.
  const past = live ? upTo(earlier, first) : earlier;
  await writeInTurns(connection, past.filter(isWhole), numbering);
  const beat = setInterval(() => void connection.write(KEEP_ALIVE).catch(() => {}), KEEP_ALIVE_MS);
  connection.gone.addEventListener("abort", () => live?.wake());
  try {
    for (const place = createPlace(); live; ) {
      const events = await live.next(place, connection.gone);
      if (!events) break;
      await connection.write(events.map(numbering).join(""));
    }
  } finally {
    clearInterval(beat);
  }
  connection.end();
};

/** A megabyte or so at a time, with a turn for everybody else after it. */
async function writeInTurns(
  connection: Connection,
  events: readonly RunEvent[],
  toText: (event: RunEvent) => string,
): Promise<void> {
  let text = "";
  for (const event of events) {
    text += toText(event);
    if (text.length < MOST_AT_ONCE) continue;
    await connection.write(text);
    await turn();
    text = "";
  }
  await connection.write(text);
}

/** Pieces of text are journaled in other pieces than they were shown in: told again, they come with their step's end. */
function isWhole(event: RunEvent): boolean {
  return event.type !== "step-delta" && event.type !== "plan-delta";
}

/** What came before the first event that is known live. It may have come after the journal was read. */
function upTo(events: readonly RunEvent[], first: RunEvent | undefined): readonly RunEvent[] {
  if (first?.type === "run-start") return [];
  const index = events.findIndex((event) => event.type === first?.type && event.at === first.at);
  return index < 0 ? events : events.slice(0, index);
}

interface EventId {
  journaled: number;
  passing: number;
  /** Counted by the pieces of the journal. */
  isFromJournal: boolean;
}

function createNumbering(runId: string, seen: EventId, isFromJournal: boolean) {
  const isOther = seen.passing > 0 && seen.isFromJournal !== isFromJournal;
  const after = isOther ? { ...seen, passing: Number.POSITIVE_INFINITY } : seen;
  const tail = isFromJournal ? ".j" : "";
  let journaled = 0;
  let passing = 0;
  return (event: RunEvent): string => {
    if (isWhole(event) && event.runId === runId) {
      journaled++;
      passing = 0;
    } else passing += isPiece(event) ? event.text.length : 1;
    const isSeen = journaled < after.journaled || (journaled === after.journaled && passing <= after.passing);
    if (isSeen) return "";
    const newCharacters = journaled === after.journaled ? passing - after.passing : Number.POSITIVE_INFINITY;
    const shown =
      isPiece(event) && newCharacters < event.text.length
        ? { ...event, text: event.text.slice(-newCharacters) }
        : event;
    return `id: ${journaled}.${passing}${tail}\nevent: ${event.type}\ndata: ${toJson(shown)}\n\n`;
  };
}

/** The end of a step may hold a megabyte, and all readers of a run want it at the same moment: it is written once. */
const written = new WeakMap<RunEvent, string>();
const LONG_EVENT = 65_536;

function toJson(event: RunEvent): string {
  const known = written.get(event);
  if (known !== undefined) return known;
  const text = JSON.stringify(event);
  if (text.length >= LONG_EVENT) written.set(event, text);
  return text;
}

export function parseEventId(text: string | undefined): EventId {
  const found = /^(\d{1,9})\.(\d{1,9})(\.j)?$/.exec(text ?? "");
  return {
    journaled: Number(found?.[1] ?? 0),
    passing: Number(found?.[2] ?? 0),
    isFromJournal: found?.[3] !== undefined,
  };
}

export const cancelRun: Handler = async (context, visit) => {
  await loadOwnRun(context, visit.key, visit.id);
  await stopRun(context, visit.id);
  return showRun(context, visit);
};
