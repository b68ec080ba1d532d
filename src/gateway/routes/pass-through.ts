// One worker, in its own dialect: the bytes go to its provider and come back as they are. Journaled afterwards as
// a run of one step, without what was said unless the config or the request wants it kept. For a key with a budget the
// most that the request can cost is reserved first, and only what was counted is sent on.

import { isTuttiError, TuttiError } from "../../base/errors.ts";
import type { RelayTarget } from "../../config/endpoint.ts";
import { toPoolEntry } from "../../store/pool-entry.ts";
import type { Origin, PoolEntry, RunEvent } from "../../store/types.ts";
import { createRunId } from "../../tutti/run-setup.ts";
import { costOf, mostCostOf, ratesFor } from "../../worker/price.ts";
import type { PoolMember, Task } from "../../worker/types.ts";
import type { Admission } from "../access/admission.ts";
import type { GatewayKey } from "../access/keys.ts";
import type { CachedReply } from "../cache/response-cache.ts";
import type { GatewayContext } from "../context.ts";
import { type Fields, isFields } from "../http/object-reader.ts";
import type { Visit } from "../http/route.ts";
import { boundRequest, type RequestBound } from "../relay/bound-request.ts";
import { CopiedResponse } from "../relay/copies.ts";
import { type RelayedRun, toRelayEvents } from "../relay/journal.ts";
import { checkFields } from "../relay/priced-fields.ts";
import { relay } from "../relay/relay.ts";
import { spliceModel } from "../relay/splice-model.ts";
import type { Upstream } from "../relay/target.ts";
import type { RelayedTo, RelayReader, RelayRequest, RelayResult } from "../relay/types.ts";
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
  /** The body is no JSON, and has the provider's name of the model in it already. */
  isForm?: true;
  /** The conversation, where it has caps. */
  session?: string;
  /** Takes a whole good reply that is no stream, for whoever asks the same again. */
  keep?: (reply: CachedReply) => void;
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
  const known = await context.copies.find(key?.id, idempotencyKey, hash);
  if (known) {
    context.metrics.addJoined();
    if (!known.body)
      throw new TuttiError("conflict", "This request was answered; its reply was too large to be kept.");
    connection.outgoing.writeHead(known.status, known.headers).end(known.body);
    return;
  }
  const { kept, settle } = context.copies.begin(key?.id, idempotencyKey, hash);
  const copied = new CopiedResponse(connection.outgoing, kept);
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
  const { reader, raw, body, member, target, upstream } = asked;
  const usualTokens = member.maxOutputTokens ?? context.config.maxOutputTokens;
  const bound = withoutOutput(reader, boundRequest(raw, body, usualTokens));
  const runId = createRunId();
  const startedAt = Date.now();
  const keepsText = context.config.gateway.keepRelayed || connection.header("x-tutti-content") === "keep";
  const origin = toOrigin(asked, key?.id, keepsText);
  const entry: PoolEntry = toPoolEntry(member);
  const isBounded = key?.budget !== undefined && !isFreeOfBudget(key, asked);
  const admission = isBounded
    ? await admitBudgeted(context, visit, key!, asked, { runId, startedAt, origin, entry, bound })
    : await context.admission.admit(key, { runId, usd: key?.budget ? 0 : undefined });
  notes.runId = runId;
  const beforeMs = performance.now() - connection.startedAt;
  let sent: SentRequest = { body: raw, bound, hidesUsage: false };
  let outcome: RelayResult | TuttiError;
  context.relaying++;
  try {
    if (isBounded) sent = toBudgetedBody(asked, bound, admission);
    else sent.body = asked.isForm ? raw : spliceModel(raw, target.model);
    outcome = await relay({
      pools,
      upstream,
      workerId: member.worker.id,
      reader,
      body: sent.body,
      bound: sent.bound,
      hidesUsage: sent.hidesUsage,
      namedModel: reader.namesModel && body.model !== target.model ? String(body.model) : undefined,
      isBudgeted: key?.budget !== undefined,
      clientHeaders: connection.incoming.headers,
      outgoing,
      keepsText,
      keepsBody: asked.keep !== undefined,
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
    if (asked.keep) keepReply(asked.keep, runId, outcome, target);
    if (outcome.firstByteMs !== undefined) notes.firstTokenMs = beforeMs + outcome.firstByteMs;
  } catch (error) {
    // Whatever happened, it is journaled below, and its place and money are given back there.
    outcome = isTuttiError(error)
      ? error
      : new TuttiError("internal", "Something went wrong here", { cause: error });
  } finally {
    context.relaying--;
  }
  // By the token it costs nothing that is known, and bytes of pictures are no tokens.
  if (reader.billing === "unknown" && (isTuttiError(outcome) || !outcome.usage)) entry.price = undefined;
  // Written out, as everything here: this is done for every relayed request, and a spread costs more than the rest of it.
  const events = toRelayEvents({
    runId,
    startedAt,
    endedAt: Date.now(),
    origin,
    entry,
    bound: sent.bound,
    task: keepsText ? toKeptTask(asked) : undefined,
    outcome,
  });
  // Nobody waits for it: the client has its reply, or gets its own error. What cannot be journaled is tried again, and
  // its money stays reserved until then.
  void context.journalBatch.add(events).then(
    () => admission.release(),
    (error: unknown) => {
      log.error("a relayed request could not be journaled yet", { run: runId, error });
      admission.release(context.tutti.backlog.add(events));
    },
  );
  // What a key, or a conversation at several gateways, has left is known from the journal: its next request must not wait behind a reservation.
  if (key || (asked.session !== undefined && context.service)) await context.journalBatch.flush();
  count(context, events, member.worker.id);
  if (asked.session !== undefined) await countCapped(context, asked.session, events);
  if (isTuttiError(outcome)) throw outcome;
  return outcome.isComplete && outcome.status < 500;
}

function keepReply(
  keep: (reply: CachedReply) => void,
  runId: string,
  { status, body, finishReason, error, usage }: RelayResult,
  { price }: RelayTarget,
): void {
  if (status !== 200 || !body || finishReason !== "stop" || error) return;
  const reply = parseBody(body);
  const costUsd = usage && price ? costOf(usage, price) : 0;
  if (reply) keep({ kind: "body", runId, costUsd, body: reply });
}

function parseBody(body: Buffer): Fields | undefined {
  try {
    const reply: unknown = JSON.parse(body.toString());
    return isFields(reply) ? reply : undefined;
  } catch {
    return undefined;
  }
}

function count({ metrics }: GatewayContext, events: readonly RunEvent[], workerId: string): void {
  for (const event of events) {
    if (event.type !== "step-end" && event.type !== "step-error") continue;
    metrics.addCost(event.spending.costUsd ?? 0, false);
    metrics.addTokens(event.spending.usage);
    metrics.addWorkerCall(workerId, event.type === "step-end" ? "ok" : "error");
  }
}

/** What is not billed by what it writes needs no bound of it. */
function withoutOutput({ billing }: RelayReader, bound: RequestBound): RequestBound {
  if (billing === undefined || billing === "tokens") return bound;
  return { ...bound, outputTokens: 0, isStated: true, isInputOnly: true };
}

/**
 * Where nobody knows the price beforehand a budget cannot be kept. True: the key was allowed it all the same, by its name.
 * Throws "forbidden" (403) where it was not.
 */
function isFreeOfBudget({ allowFields = [] }: GatewayKey, { dialect, reader }: PassThrough): boolean {
  if (reader.billing !== "unknown") return false;
  if (allowFields.includes(dialect.name) || allowFields.includes("*")) return true;
  throw new TuttiError(
    "forbidden",
    `What a request to /v1${dialect.path} costs is not known beforehand, and this key has a budget. Have a key created with: --allow-fields ${dialect.name}`,
  );
}

async function countCapped({ sessions }: GatewayContext, session: string, events: readonly RunEvent[]) {
  for (const event of events)
    if (event.type === "run-end") await sessions.add(session, event.spent.usd, event.spent.calls);
}

/** A shorter reply than this is of no use, unless no more was wanted. */
const LEAST_OUTPUT_TOKENS = 256;

type SentRequest = Pick<RelayRequest, "body" | "bound" | "hidesUsage">;
type BeforeRelay = Omit<RelayedRun, "outcome" | "endedAt" | "task">;

/** Reserves what the request can cost. One that does not say how long its reply may be is content with less. */
async function admitBudgeted(
  context: GatewayContext,
  { connection }: Visit,
  key: GatewayKey,
  { reader, body, target: { price } }: PassThrough,
  run: BeforeRelay,
): Promise<Admission> {
  if (!price)
    throw new TuttiError(
      "forbidden",
      "The price of this model is not known, so the budget of this key cannot be kept. Give it a price in the config.",
    );
  checkFields(body, connection.incoming.headers, reader.pricedFields, key.allowFields);
  const { bound, runId, startedAt } = run;
  const usd = mostCostOf(bound.inputTokens(), bound.outputTokens, price);
  const least = bound.isStated ? bound.outputTokens : Math.min(LEAST_OUTPUT_TOKENS, bound.outputTokens);
  const lost = new TuttiError("interrupted", "The process ended while this was running");
  return context.admission.admit(key, {
    runId,
    usd,
    leastUsd: mostCostOf(bound.inputTokens(), least, price),
    lostEvents: toRelayEvents({ ...run, endedAt: startedAt, outcome: lost }),
  });
}

/**
 * Written anew from what was read and counted: of a name that is there twice, a provider could go by the other one.
 * Where the request does not say how long its reply may be, what was reserved does.
 */
function toBudgetedBody(
  { reader, body, target: { model, protocol, price } }: PassThrough,
  bound: RequestBound,
  { budgetUsd = 0 }: Admission,
): SentRequest {
  const withUsage = reader.withUsage?.(body);
  const fields: Fields = { ...(withUsage ?? body), model };
  let { outputTokens } = bound;
  if (!bound.isStated) {
    const copies = typeof body.n === "number" ? body.n : 1;
    const replyUsd = budgetUsd - mostCostOf(bound.inputTokens(), 0, price!);
    // Sums of fractions may be a hair too small for what they were made of.
    const { outputUsd } = ratesFor(price!, bound.inputTokens());
    const affordable = Math.floor((replyUsd * 1e6) / outputUsd / copies + 1e-6);
    const each = outputUsd === 0 ? outputTokens / copies : Math.min(outputTokens / copies, affordable);
    fields[reader.lengthField(protocol)] = each;
    outputTokens = each * copies;
  }
  const written = Buffer.from(JSON.stringify(fields));
  return {
    body: written,
    bound: { ...bound, outputTokens, isStated: true },
    hidesUsage: withUsage !== undefined,
  };
}

function toOrigin(
  { dialect, body, session }: PassThrough,
  keyId: string | undefined,
  keepsText: boolean,
): Origin {
  const { model, user, metadata } = body;
  const isTag = (value: unknown): value is string => typeof value === "string" && value.length <= 512;
  const tags = isFields(metadata)
    ? Object.entries(metadata).filter(([name, value]) => name.length <= 64 && isTag(value))
    : [];
  return {
    model: String(model),
    dialect: dialect.name,
    keyId,
    session,
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
