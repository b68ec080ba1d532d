// One worker, in its own dialect: the bytes go to its provider and come back as they are. Journaled afterwards as
// a run of one step, without what was said unless the config or the request wants it kept. For a key with a budget the
// most that the request can cost is reserved first, and only what was counted is sent on.

import { isTuttiError, TuttiError } from "../../base/errors.ts";
import type { RelayTarget } from "../../config/endpoint.ts";
import { toPoolEntry } from "../../store/pool-entry.ts";
import type { Origin, PoolEntry, RunEvent } from "../../store/types.ts";
import { createRunId } from "../../tutti/run-setup.ts";
import { costOf } from "../../worker/price.ts";
import type { Task } from "../../worker/types.ts";
import type { CachedReply } from "../cache/response-cache.ts";
import type { GatewayContext } from "../context.ts";
import { type Fields, isFields } from "../http/object-reader.ts";
import type { Visit } from "../http/route.ts";
import { boundRequest, type RequestBound, toBoundRequest } from "../relay/bound-request.ts";
import {
  admitBudgeted,
  boundByCounts,
  isFreeOfBudget,
  type SentRequest,
  toBudgetedBody,
  toConversation,
  toCountedBy,
} from "../relay/budgeted.ts";
import { CopiedResponse, type ReplyCopy } from "../relay/copies.ts";
import { toRelayEvents } from "../relay/journal.ts";
import { relay } from "../relay/relay.ts";
import { spliceModel } from "../relay/splice-model.ts";
import type { PassThrough, RelayedTo, RelayReader, RelayResult } from "../relay/types.ts";
import { toPlainNumber } from "../runs/respond.ts";
import type { SharedReply } from "../service/shared-copies.ts";

/** With an idempotency key: a repeat gets the bytes of the first, and is not paid for again. */
export async function passThroughOnce(
  context: GatewayContext,
  visit: Visit,
  asked: PassThrough,
  idempotencyKey: string,
  hash: string,
): Promise<PassedThrough> {
  const { connection, key } = visit;
  const known = await context.copies.find(key?.id, idempotencyKey, hash);
  if (known) return repeat(context, visit, known);
  const { kept, settle } = context.copies.begin(key?.id, idempotencyKey, hash);
  let copy: ReplyCopy | undefined;
  let shared: SharedReply | undefined;
  try {
    const named = { keyId: key?.id, name: idempotencyKey, hash };
    shared = await context.sharedCopies?.begin(named, connection.gone);
    if (shared?.kind === "known") return repeat(context, visit, shared.copy);
    const copied = new CopiedResponse(connection.outgoing, kept);
    const passed = await passThrough(context, visit, asked, copied);
    if (passed.isWhole) copy = copied.toCopy();
    return passed;
  } finally {
    settle(copy);
    if (shared?.kind === "ours")
      await shared.settle(copy).catch((error: unknown) => {
        context.log.warn("a reply could not be kept for a repeat at another gateway", { error });
      });
  }
}

function repeat({ metrics }: GatewayContext, { connection }: Visit, copy: ReplyCopy): PassedThrough {
  metrics.addJoined();
  if (!copy.body) throw new TuttiError("conflict", "This request was answered; its reply could not be kept.");
  connection.outgoing.writeHead(copy.status, copy.headers).end(copy.body);
  return { isWhole: true };
}

export interface PassedThrough {
  /** There was a whole reply. */
  isWhole: boolean;
  /** The client has nothing yet, and somebody else may be asked (`PassThrough.isPassedOn`). */
  passedOn?: TuttiError;
}

export async function passThrough(
  context: GatewayContext,
  visit: Visit,
  asked: PassThrough,
  outgoing: RelayedTo = visit.connection.outgoing,
): Promise<PassedThrough> {
  const { pools, log } = context;
  const { connection, key, notes } = visit;
  const { reader, raw, body, member, target, upstream } = asked;
  const usualTokens = member.maxOutputTokens ?? context.config.maxOutputTokens;
  const runId = createRunId();
  const startedAt = Date.now();
  const keepsText = context.config.gateway.keepRelayed || connection.header("x-tutti-content") === "keep";
  const origin = toOrigin(asked, key?.id, keepsText);
  const entry: PoolEntry = toPoolEntry(member);
  const isBounded = key?.budget !== undefined && !isFreeOfBudget(key, asked);
  const byBytes = withoutOutput(reader, boundRequest(raw, body, usualTokens));
  const input = isBounded ? toBoundRequest(body, byBytes.inputTokens()) : undefined;
  const bound = input ? boundByCounts(context, toCountedBy(key!, entry), input, byBytes) : byBytes;
  const admission = isBounded
    ? await admitBudgeted(context, visit, key!, asked, { runId, startedAt, origin, entry, bound })
    : await context.admission.admit(key, { runId, usd: key?.budget ? 0 : undefined });
  notes.runId = runId;
  const beforeMs = performance.now() - connection.startedAt;
  let sent: SentRequest = { body: raw, bound, hidesUsage: false };
  let outcome: RelayResult | TuttiError;
  context.relaying++;
  const entering = context.tutti.enterProvider(member.worker, connection.gone, key?.id);
  // A client that has left meanwhile is found out below.
  const leave = entering && (await entering.catch(() => undefined));
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
      isPassedOn: asked.isPassedOn,
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
    if (input && outcome.usage)
      context.counted.report(
        toCountedBy(key!, entry),
        toConversation(input),
        input,
        outcome.usage.inputTokens,
      );
    if (asked.keep) keepReply(asked.keep, runId, outcome, target);
    if (outcome.firstByteMs !== undefined) notes.firstTokenMs = beforeMs + outcome.firstByteMs;
  } catch (error) {
    // Whatever happened, it is journaled below, and its place and money are given back there.
    outcome = isTuttiError(error)
      ? error
      : new TuttiError("internal", "Something went wrong here", { cause: error });
  } finally {
    context.relaying--;
    leave?.();
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
  const failure = isTuttiError(outcome) ? outcome : (outcome.refusal ?? outcome.error);
  if (failure) target.failed?.(failure);
  if (isTuttiError(outcome)) {
    if (asked.isPassedOn?.(outcome)) return { isWhole: false, passedOn: outcome };
    throw outcome;
  }
  if (asked.isShadowed && isAnswer(outcome)) shadow(context, visit, asked, { runId, origin, keepsText });
  return { isWhole: outcome.isComplete && outcome.status < 500 };
}

function isAnswer({ status, isComplete, finishReason, error }: RelayResult): boolean {
  return status === 200 && isComplete && finishReason === "stop" && !error;
}

/** What was asked is read only where it is drawn to be asked again. */
function shadow(
  context: GatewayContext,
  { connection, key }: Visit,
  { dialect, body }: PassThrough,
  { runId, origin, keepsText }: { runId: string; origin: Origin; keepsText: boolean },
): void {
  if (body.store === false) return;
  const toTask = () => dialect.parseRequest(body, (name) => connection.header(name)).task;
  context.shadow.offer(context, { runId, origin, toTask, seed: 0, isKept: keepsText, key });
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

async function countCapped({ sessions }: GatewayContext, session: string, events: readonly RunEvent[]) {
  for (const event of events)
    if (event.type === "run-end") await sessions.add(session, event.spent.usd, event.spent.calls);
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
