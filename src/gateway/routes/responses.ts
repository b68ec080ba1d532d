// Responses that are read again: retrieved, cancelled, deleted. A response is a view of a turn of its run, so
// nothing of it is stored besides the journal.

import { TuttiError } from "../../base/errors.ts";
import type { Run } from "../../perform/run.ts";
import type { RunEvent } from "../../store/types.ts";
import type { GatewayContext } from "../context.ts";
import type { Fields } from "../dialect/fields.ts";
import { responsesDialect } from "../dialect/responses/dialect.ts";
import { toInputItems } from "../dialect/responses/input-items.ts";
import {
  type OutputItem,
  toFailedResponse,
  toOutputItems,
  toUnfinishedResponse,
} from "../dialect/responses/object.ts";
import { expandReferences, readReferences } from "../dialect/responses/references.ts";
import type { Visit } from "../http/route.ts";
import { parseReplyId, toReplyId } from "../runs/ids.ts";
import { failureOf, toOutcome } from "../runs/outcome.ts";
import { linesOf, respondStreamed } from "../runs/respond.ts";
import { replay } from "../runs/run-desk.ts";
import { toTurns } from "../runs/turns.ts";
import type { ReplyHead } from "../types.ts";
import { loadOwnRun } from "./runs.ts";

/** A conversation that names more of them is longer than any model reads. */
const MOST_REFERENCES = 500;

interface Found {
  head: ReplyHead;
  turn: number;
  run: Run;
  before?: Run;
  /** Of this turn. */
  events: RunEvent[];
}

async function findResponse(context: GatewayContext, visit: Visit, id: string): Promise<Found> {
  const parsed = parseReplyId("responses", id);
  const missing = new TuttiError("not-found", `There is no response "${id.slice(0, 60)}".`, { status: 404 });
  if (!parsed) throw missing;
  const { run: latest, events } = await loadOwnRun(context, visit, parsed.runId).catch(() => {
    throw missing;
  });
  const turns = toTurns(events);
  const found = turns[parsed.turn];
  const { origin } = latest;
  // What was not to be stored cannot be read again: of it only the figures are left, which would look like an empty answer.
  if (!found || origin?.dialect !== "responses" || origin.isPrivate) throw missing;
  const { run } = found;
  visit.notes.runId = run.id;
  const request = {
    dialect: origin.dialect,
    model: origin.model,
    showsProgress: true,
    isBackground: origin.isBackground ?? false,
    echo: {
      ...origin.echo,
      // What is journaled is the first request. A later turn goes on from the one before it.
      ...(parsed.turn > 0 && {
        previous_response_id: toReplyId(origin.dialect, parsed.runId, parsed.turn - 1),
      }),
    },
  };
  const head: ReplyHead = { id, runId: run.id, createdAt: found.startedAt, request };
  const before = turns[parsed.turn - 1]?.run;
  return {
    head,
    turn: parsed.turn,
    run,
    ...(before && { before }),
    events: found.events,
  };
}

export async function showResponse(
  context: GatewayContext,
  visit: Visit,
  id: string,
  isStream: boolean,
): Promise<void> {
  const found = await findResponse(context, visit, id);
  const { head, turn, run, before, events } = found;
  if (isStream) {
    // With what the journal has of the way to the answer: its items then have the same places as at first. Not with
    // pieces of text, which may be those of an attempt that failed.
    const steps = events.filter(({ type }) => type !== "step-delta");
    const live = context.live.find(run.id) ?? replay(run, steps);
    const reply = { live, head, turn, ...(before && { before }), isJoined: true };
    const { error } = await respondStreamed(visit.connection, responsesDialect, reply);
    if (error && !visit.connection.hasBegun) throw error;
    return;
  }
  visit.connection.json(200, toResponse(context, found));
}

function toResponse(context: GatewayContext, { head, turn, run, before, events }: Found): object {
  if (context.desk.queued.has(run.id)) return toUnfinishedResponse(head, "queued");
  if (run.stopReason === undefined)
    return context.live.find(run.id)
      ? toUnfinishedResponse(head, "in_progress")
      : toFailedResponse(head, { code: "interrupted", message: "The gateway ended while this was running." });
  if (run.stopReason === "cancelled") return toUnfinishedResponse(head, "cancelled");
  const outcome = toOutcome(run, head, turn, linesOf(events, before), before);
  const error = failureOf(run);
  return error ? toFailedResponse(head, error, outcome) : responsesDialect.toReply(outcome);
}

/** The body with the items that it only names: what earlier responses of this key have said. */
export async function withReferences(context: GatewayContext, visit: Visit, body: Fields): Promise<Fields> {
  const items: OutputItem[] = [];
  for (const id of readReferences(body).slice(0, MOST_REFERENCES)) {
    const found = await findResponse(context, visit, id).catch(() => undefined);
    if (found?.run.stopReason === undefined) continue;
    const { run, head, turn, before } = found;
    items.push(...toOutputItems(toOutcome(run, head, turn, [], before)));
  }
  return items.length === 0 ? body : expandReferences(body, items);
}

export async function cancelResponse(context: GatewayContext, visit: Visit, id: string): Promise<void> {
  const { run } = await findResponse(context, visit, id);
  context.desk.queued.delete(run.id);
  const live = context.live.find(run.id);
  live?.stop();
  await live?.result.catch(() => {});
  visit.connection.json(200, toResponse(context, await findResponse(context, visit, id)));
}

export async function deleteResponse(context: GatewayContext, visit: Visit, id: string): Promise<void> {
  const { run } = await findResponse(context, visit, id);
  await (await context.tutti.store()).deleteRun(run.id);
  visit.connection.json(200, { id, object: "response", deleted: true });
}

export async function listInputItems(
  context: GatewayContext,
  visit: Visit,
  id: string,
  order: "asc" | "desc",
): Promise<void> {
  const { run, head } = await findResponse(context, visit, id);
  visit.connection.json(200, toInputItems(run.task.messages, head, order));
}
