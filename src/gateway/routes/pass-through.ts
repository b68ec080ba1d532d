// One worker, in its own dialect: the bytes go to its provider and come back as they are. Journaled afterwards as
// a run of one step, without what was said unless the config or the request wants it kept.

import { isTuttiError, TuttiError } from "../../base/errors.ts";
import type { RelayTarget } from "../../config/endpoint.ts";
import { toPoolEntry } from "../../store/pool-entry.ts";
import type { Origin, RunEvent } from "../../store/types.ts";
import { createRunId } from "../../tutti/run-setup.ts";
import { costOf } from "../../worker/price.ts";
import type { PoolMember, Task } from "../../worker/types.ts";
import type { GatewayContext } from "../context.ts";
import { type Fields, isFields } from "../http/object-reader.ts";
import type { Visit } from "../http/route.ts";
import { boundInput } from "../relay/bound-usage.ts";
import { CopiedResponse } from "../relay/copies.ts";
import { toRelayEvents } from "../relay/journal.ts";
import { relay } from "../relay/relay.ts";
import { spliceModel } from "../relay/splice-model.ts";
import type { Upstream } from "../relay/target.ts";
import type { RelayedTo, RelayReader, RelayResult } from "../relay/types.ts";
import { toPlainNumber } from "../runs/respond.ts";
import type { Dialect } from "../types.ts";

export interface PassThrough {
  dialect: Dialect;
  reader: RelayReader;
  raw: Buffer;
  body: Fields;
  member: PoolMember;
  target: RelayTarget;
  upstream: Upstream;
}

/** With an idempotency key: a repeat gets the bytes of the first, and is not paid for again. */
export async function passThroughOnce(
  context: GatewayContext,
  visit: Visit,
  asked: PassThrough,
  idempotencyKey: string,
  hash: string,
): Promise<void> {
  const { connection, key } = visit;
  const name = JSON.stringify([key?.id ?? null, idempotencyKey]);
  const known = await context.copies.find(name, hash);
  if (known) {
    context.metrics.addJoined();
    if (!known.body)
      throw new TuttiError("conflict", "This request was answered; its reply was too large to be kept.");
    connection.outgoing.writeHead(known.status, known.headers).end(known.body);
    return;
  }
  const settle = context.copies.begin(name, hash);
  const copied = new CopiedResponse(connection.outgoing);
  let isWhole = false;
  try {
    isWhole = await passThrough(context, visit, asked, copied);
  } finally {
    settle(isWhole ? copied.toCopy() : undefined);
  }
}

/** Whether there was a whole reply. */
export async function passThrough(
  context: GatewayContext,
  visit: Visit,
  asked: PassThrough,
  outgoing: RelayedTo = visit.connection.outgoing,
): Promise<boolean> {
  const { pools, log } = context;
  const { connection, key, notes } = visit;
  const { reader, raw, member, target, upstream } = asked;
  const wantedUsd = key?.budget && toMostUsd(asked);
  const admission = await context.admission.admit(key, wantedUsd);
  const runId = createRunId();
  notes.runId = runId;
  const startedAt = Date.now();
  const beforeMs = performance.now() - connection.startedAt;
  const keepsText = context.config.gateway.keepRelayed || connection.header("x-tutti-content") === "keep";
  let outcome: RelayResult | TuttiError;
  context.relaying++;
  try {
    checkBudget(admission.budgetUsd, wantedUsd);
    outcome = await relay({
      pools,
      upstream,
      workerId: member.worker.id,
      reader,
      body: spliceModel(raw, target.model),
      clientHeaders: connection.incoming.headers,
      outgoing,
      keepsText,
      extraHeaders: ({ usage, upstreamMs }) => {
        const elapsedMs = performance.now() - connection.startedAt;
        notes.overheadMs = Math.max(0, elapsedMs - upstreamMs);
        // Assigned, not spread: this is done for every relayed request.
        const headers = connection.headers;
        for (const name in admission.headers) headers[name] = admission.headers[name]!;
        headers["x-tutti-run-id"] = runId;
        headers["x-tutti-overhead-ms"] = notes.overheadMs.toFixed(1);
        if (usage && target.price) headers["x-tutti-cost-usd"] = toPlainNumber(costOf(usage, target.price));
        return headers;
      },
    });
    if (outcome.firstByteMs !== undefined) notes.firstTokenMs = beforeMs + outcome.firstByteMs;
  } catch (error) {
    if (!isTuttiError(error)) throw error;
    outcome = error;
  } finally {
    context.relaying--;
  }
  const events = toRelayEvents({
    runId,
    startedAt,
    endedAt: Date.now(),
    origin: toOrigin(asked, key?.id, keepsText),
    entry: toPoolEntry(member),
    task: keepsText ? toKeptTask(asked) : undefined,
    outcome,
    inputTokens: () => boundInput(raw),
  });
  // Nobody waits for it: the client has its reply, or gets its own error. A journal that fails is for the log.
  void context.journalBatch
    .add(events)
    .catch((error: unknown) => log.error("a relayed request could not be journaled", { run: runId, error }))
    .finally(() => admission.release());
  // What a key has left is known from the journal: its next request must not wait behind a reservation.
  if (key) await context.journalBatch.flush();
  count(context, events, member.worker.id);
  if (isTuttiError(outcome)) throw outcome;
  return outcome.isComplete && outcome.status < 500;
}

function count({ metrics }: GatewayContext, events: readonly RunEvent[], workerId: string): void {
  for (const event of events) {
    if (event.type !== "step-end" && event.type !== "step-error") continue;
    metrics.addCost(event.spending.costUsd ?? 0, false);
    metrics.addTokens(event.spending.usage);
    metrics.addWorkerCall(workerId, event.type === "step-end" ? "ok" : "error");
  }
}

/** The most it can cost, where that is known: what is passed through cannot be told to be shorter. */
function toMostUsd({ target: { price }, reader, raw, body }: PassThrough): number | undefined {
  if (!price)
    throw new TuttiError(
      "forbidden",
      "The price of this model is not known, so the budget of this key cannot be kept. Give it a price in the config.",
    );
  const longest = reader.lengthFields
    .map((name) => body[name])
    .find((value): value is number => typeof value === "number" && value > 0);
  return longest && (boundInput(raw) * price.inputUsd + longest * price.outputUsd) / 1e6;
}

function checkBudget(leftUsd: number | undefined, wantedUsd: number | undefined): void {
  if (leftUsd === undefined || wantedUsd === undefined || wantedUsd <= leftUsd) return;
  throw new TuttiError(
    "budget-spent",
    `What is left of this key's budget ($${leftUsd.toFixed(4)}) is less than the longest reply could cost ($${wantedUsd.toFixed(4)}). Ask for a shorter one.`,
  );
}

function toOrigin({ dialect, body }: PassThrough, keyId: string | undefined, keepsText: boolean): Origin {
  const { model, user, metadata } = body;
  const isTag = (value: unknown): value is string => typeof value === "string" && value.length <= 512;
  const tags = isFields(metadata) ? Object.entries(metadata).filter(([, value]) => isTag(value)) : [];
  return {
    model: String(model),
    dialect: dialect.name,
    keyId,
    user: isTag(user) ? user : undefined,
    metadata: tags.length > 0 ? (Object.fromEntries(tags.slice(0, 16)) as Origin["metadata"]) : undefined,
    isPrivate: keepsText ? undefined : true,
  };
}

/** What of the conversation the dialect can read; a provider may take more than we know of. */
function toKeptTask({ dialect, body }: PassThrough): Task {
  try {
    return dialect.parseRequest(body, () => undefined).task;
  } catch {
    return { messages: [{ role: "user", content: JSON.stringify(body) }] };
  }
}
