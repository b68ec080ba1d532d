// Responses that are read again: retrieved, cancelled, deleted. A response is a view of a turn of its run, so
// nothing of it is stored besides the journal.

import { isTuttiError, TuttiError } from "../../../base/errors.ts";
import type { Run } from "../../../perform/run.ts";
import type { GatewayContext } from "../../context.ts";
import { badRequest, type Fields } from "../../http/object-reader.ts";
import { readWhole, type Visit } from "../../http/route.ts";
import { loadOwnRun } from "../../routes/runs.ts";
import { replay } from "../../runs/live-runs.ts";
import { failureOf, toOutcome } from "../../runs/outcome.ts";
import { linesOf, respondStreamed } from "../../runs/respond.ts";
import { stopRun, willGoOn } from "../../runs/stop-run.ts";
import { parseReplyId, type Turn, toReplyId, toTurns } from "../../runs/turns.ts";
import type { Dialect, Handler, ReplyHead, Route } from "../../types.ts";
import { toInputItems } from "./input-items.ts";
import {
  type OutputItem,
  toFailedResponse,
  toFinishedResponse,
  toOutputItems,
  toUnfinishedResponse,
} from "./object.ts";
import { expandReferences, readReferences } from "./references.ts";

/** A conversation that names more of them is longer than any model reads. */
const MOST_REFERENCES = 500;

interface Found extends Turn {
  head: ReplyHead;
  turn: number;
  /** The run as it was at the end of the turn before. */
  before?: Run;
}

async function findResponse(context: GatewayContext, visit: Visit): Promise<Found> {
  const { dialect, id, key } = visit;
  const parsed = parseReplyId(dialect, id);
  const turns = parsed && (await loadTurns(context, key, parsed.runId));
  const found = turns && findTurn(turns, dialect, id);
  if (!found) throw new TuttiError("not-found", `There is no response "${id.slice(0, 60)}".`);
  visit.notes.runId = found.run.id;
  return found;
}

/** Of a run that the key may see. Undefined where there is none. */
async function loadTurns(
  context: GatewayContext,
  key: Visit["key"],
  runId: string,
): Promise<Turn[] | undefined> {
  try {
    return toTurns(await loadOwnRun(context, key, runId));
  } catch (error) {
    if (isTuttiError(error) && error.code === "not-found") return undefined;
    throw error;
  }
}

function findTurn(turns: readonly Turn[], dialect: Dialect, id: string): Found | undefined {
  const { runId, turn } = parseReplyId(dialect, id)!;
  const found = turns[turn];
  const origin = turns.at(-1)?.run.origin;
  // What was not to be stored cannot be read again: only its metrics are left, which would look like an empty answer.
  if (!found || origin?.dialect !== dialect.name || origin.isPrivate) return undefined;
  const request = {
    model: origin.model,
    showsProgress: true,
    isBackground: origin.isBackground ?? false,
    // What is journaled is the first request. A later turn goes on from the one before it.
    echo:
      turn > 0
        ? { ...origin.echo, previous_response_id: toReplyId(dialect, runId, turn - 1) }
        : (origin.echo ?? {}),
  };
  const head = { id, runId, createdAt: found.startedAt, request };
  return { ...found, head, turn, before: turns[turn - 1]?.run };
}

async function toResponse(
  context: GatewayContext,
  { head, turn, run, before, events }: Found,
): Promise<object> {
  if (context.dispatcher.queued.has(run.id)) return toUnfinishedResponse(head, "queued");
  if (run.stopReason === undefined) {
    const status = await findStatus(context, run);
    return status === "lost"
      ? toFailedResponse(head, { code: "interrupted", message: "The gateway ended while this was running." })
      : toUnfinishedResponse(head, status);
  }
  if (run.stopReason === "cancelled") return toUnfinishedResponse(head, "cancelled");
  const outcome = toOutcome(run, head, turn, linesOf(events, before), before);
  const error = await failureOf(run);
  return error ? toFailedResponse(head, error, outcome) : toFinishedResponse(outcome);
}

/** Of a run without an end: this gateway performs it, or another one on the same journal, or one will soon. */
async function findStatus(context: GatewayContext, run: Run): Promise<"in_progress" | "queued" | "lost"> {
  const { live, tutti, engine } = context;
  const { id } = run;
  if (live.find(id)) return "in_progress";
  const store = await tutti.store();
  const find = async () => (await store.listRuns({ idPrefix: id, limit: 1 }))[0];
  if ((await find())?.state === "running") return "in_progress";
  if (await willGoOn(context, run)) return "queued";
  if (!engine) return "lost";
  // It may have ended while it was looked for.
  return (await find())?.state === "interrupted" ? "lost" : "in_progress";
}

const showResponse: Handler = async (context, visit) => {
  const found = await findResponse(context, visit);
  if (visit.query.stream !== "true") return visit.connection.json(200, await toResponse(context, found));
  const { head, turn, run, before, events } = found;
  // With what the journal has of the way to the answer: its items then have the same places as at first. Not with
  // pieces of text, which may be those of an attempt that failed.
  const steps = events.filter(({ type }) => type !== "step-delta");
  const isElsewhere =
    context.remote && run.stopReason === undefined && (await findStatus(context, run)) !== "lost";
  const live =
    context.live.find(run.id) ??
    ((isElsewhere && (await context.remote?.follow(run.id))) || replay(run, steps));
  const startingAfter = readStart(visit, head);
  const reply = { live, head: { ...head, startingAfter }, turn, before, isJoined: true };
  const { error } = await respondStreamed(visit.connection, visit.dialect, reply);
  if (error && !visit.connection.hasBegun) throw error;
};

/** The last event that its reader has seen. */
function readStart({ query }: Visit, { request }: ReplyHead): number | undefined {
  const after = readWhole(query.starting_after, "starting_after", 0, Number.MAX_SAFE_INTEGER);
  if (after === undefined || request.isBackground) return after;
  throw badRequest(
    '"starting_after" is for responses that were asked for with "background": leave it out to read this one from its beginning.',
    "starting_after",
  );
}

const cancelResponse: Handler = async (context, visit) => {
  const { run } = await findResponse(context, visit);
  await stopRun(context, run.id);
  visit.connection.json(200, await toResponse(context, await findResponse(context, visit)));
};

const deleteResponse: Handler = async (context, visit) => {
  const { run } = await findResponse(context, visit);
  await (await context.tutti.store()).deleteRun(run.id);
  await context.shadow.delete(context, run.id);
  context.responseCache?.forget(run.id);
  visit.connection.json(200, { id: visit.id, object: "response", deleted: true });
};

const listInputItems: Handler = async (context, visit) => {
  const { run, head } = await findResponse(context, visit);
  const order = visit.query.order === "asc" ? "asc" : "desc";
  visit.connection.json(200, toInputItems(run.task.messages, head, order));
};

export const RESPONSE_ROUTES: readonly Route[] = [
  { method: "GET", path: "/v1/responses/:id", serve: showResponse },
  { method: "DELETE", path: "/v1/responses/:id", serve: deleteResponse },
  { method: "POST", path: "/v1/responses/:id/cancel", serve: cancelResponse },
  { method: "GET", path: "/v1/responses/:id/input_items", serve: listInputItems },
];

/** The body with the items that it only names: what earlier responses of this key have said. */
export async function withReferences(context: GatewayContext, visit: Visit, body: Fields): Promise<Fields> {
  const { dialect, key } = visit;
  const items: OutputItem[] = [];
  const turnsOf = new Map<string, Promise<Turn[] | undefined>>();
  let characters = 0;
  for (const id of readReferences(body).slice(0, MOST_REFERENCES)) {
    const { runId } = parseReplyId(dialect, id) ?? {};
    if (runId === undefined) continue;
    // Each run once: a request of kilobytes may name five hundred turns of one that has megabytes.
    if (!turnsOf.has(runId)) turnsOf.set(runId, loadTurns(context, key, runId));
    const turns = await turnsOf.get(runId);
    const found = turns && findTurn(turns, dialect, id);
    if (found?.run.stopReason === undefined) continue;
    const { run, head, turn, before } = found;
    const own = toOutputItems(toOutcome(run, head, turn, [], before));
    characters += JSON.stringify(own).length;
    if (characters > context.config.gateway.maxBodyBytes) throw tooMuch(context);
    items.push(...own);
  }
  return items.length === 0 ? body : expandReferences(body, items);
}

function tooMuch({ config }: GatewayContext): TuttiError {
  const most = `${config.gateway.maxBodyBytes / 1e6} MB`;
  return badRequest(
    `What this conversation names has more than ${most}, the most that is taken here.`,
    "input",
  );
}
