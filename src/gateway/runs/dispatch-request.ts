// What a request wants of a run, and what is made from it: where the run comes from, within what it goes on, and the reply that
// follows it.

import type { Run } from "../../perform/run.ts";
import type { Origin } from "../../store/types.ts";
import type { ResumeOptions } from "../../tutti/ask-options.ts";
import type { Admission } from "../access/admission.ts";
import type { WantedRun } from "../access/admit-run.ts";
import type { GatewayKey } from "../access/keys.ts";
import type { Dialect, GatewayRequest, ReplyHead } from "../types.ts";
import type { LiveRun } from "./live-runs.ts";
import { type OneWorker, type Team, toStage } from "./models.ts";
import type { RunPreferences } from "./preferences.ts";
import { toReplyId } from "./turns.ts";

export interface DispatchRequest {
  dialect: Dialect;
  request: GatewayRequest;
  preferences: RunPreferences;
  destination: Team | OneWorker;
  key: GatewayKey | undefined;
  /** Its question may be sent to the embeddings of the config. */
  embeds: boolean;
  idempotencyKey?: string;
  /** The conversation, where it has caps. */
  session?: string;
  /** Of the body and what else makes two requests the same. */
  hash: string;
  /** Its words are chosen by chance: whoever asks the same at once wants another answer. An idempotency key says otherwise. */
  isSampled?: boolean;
  /** Lets the run in, where one is started: a request that joins takes no place. */
  admit(wanted: WantedRun): Promise<Admission>;
}

/** A run that a reply is made from. */
export interface LiveReply {
  live: LiveRun;
  head: ReplyHead;
  /** How often tools of the client have returned before this reply. */
  turn: number;
  /** The run as it was at the end of the turn before: its usage was in that reply. */
  before?: Run;
  /** The key's own budget is what limits it, and not the usual limit of a run. */
  isShort?: boolean;
  isJoined: boolean;
}

/** Of a turn that goes on with a run. */
export function toTurnOptions(
  { request, preferences, destination }: DispatchRequest,
  { budgetUsd }: Admission,
): ResumeOptions {
  return {
    output: request.task.output ?? {},
    budgetUsd: budgetUsd ?? null,
    deadlineMs: preferences.deadlineMs,
    maxCalls: preferences.maxCalls,
    streamsAnswer: request.isStream,
    isFinal: true,
    patienceMs: patienceOf(request),
    pool: toStage(destination).pool,
  };
}

/** Clients wait for a limit of a rate by themselves, once they know of it; for work in the background nobody waits. */
const PATIENCE_MS = 1_000;

export function patienceOf({ isBackground }: GatewayRequest): number | undefined {
  return isBackground ? undefined : PATIENCE_MS;
}

/** Nobody has to wait for it at a connection. */
export function goesOn({ request, idempotencyKey }: DispatchRequest): boolean {
  return request.isBackground || idempotencyKey !== undefined;
}

export async function toReply(
  asked: DispatchRequest,
  live: LiveRun,
  { isShort }: Admission,
  turn: number,
  before?: Run,
): Promise<LiveReply> {
  // The time that is journaled: a reply that is read again says the same. Without a first event it fails anyway.
  const first = await live.first();
  const head = toHead(asked, live.runId, turn, first?.at ?? Date.now());
  return { live, head, turn, before, isShort, isJoined: false };
}

export function toHead(
  { dialect, request }: DispatchRequest,
  runId: string,
  turn: number,
  createdAt: number,
): ReplyHead {
  return { id: toReplyId(dialect, runId, turn), runId, createdAt, request };
}

export function toOrigin({ dialect, request, key, idempotencyKey, session, hash }: DispatchRequest): Origin {
  const { model, user, metadata, isStored, isBackground, echo } = request;
  return {
    model,
    dialect: dialect.name,
    keyId: key?.id,
    user,
    metadata,
    idempotencyKey,
    session,
    requestHash: idempotencyKey === undefined ? undefined : hash,
    isPrivate: isStored ? undefined : true,
    isBackground: isBackground || undefined,
    echo: Object.keys(echo).length > 0 ? echo : undefined,
  };
}
