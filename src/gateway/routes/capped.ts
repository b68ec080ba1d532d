// A request of a conversation that has caps: which one it is, what is left of it, and its money held while it runs.

import type { Admission, Wanted } from "../access/admission.ts";
import { toSessionId } from "../access/session-id.ts";
import { readSessionCaps, type SessionCaps } from "../access/sessions.ts";
import type { GatewayContext } from "../context.ts";
import type { ObjectReader } from "../http/object-reader.ts";
import type { Visit } from "../http/route.ts";
import type { RunPreferences } from "../runs/preferences.ts";
import { parseReplyId } from "../runs/turns.ts";

export interface CappedRequest {
  session: string;
  caps: SessionCaps;
  preferences: RunPreferences;
}

/** Undefined where there are no caps. Throws "budget-spent" where one is reached. */
export async function enterSession(
  context: GatewayContext,
  { connection, key, dialect }: Visit,
  reader: ObjectReader,
  preferences: RunPreferences,
): Promise<CappedRequest | undefined> {
  const header = (name: string) => connection.header(name);
  const caps = readSessionCaps(reader, header, context.config);
  if (!caps) return undefined;
  const { previous_response_id: before } = reader.fields;
  const found = typeof before === "string" ? parseReplyId(dialect, before) : undefined;
  const session = toSessionId(
    reader.fields,
    header,
    key?.id,
    found && (await sessionOf(context, found.runId, key?.id)),
  );
  if (session === undefined) return undefined;
  const { calls, ms } = await context.sessions.check(session, caps);
  const least = (own: number | undefined, left: number | undefined) =>
    own === undefined || left === undefined ? (own ?? left) : Math.min(own, left);
  return {
    session,
    caps,
    preferences: {
      ...preferences,
      maxCalls: least(preferences.maxCalls, calls),
      deadlineMs: least(preferences.deadlineMs, ms),
    },
  };
}

async function sessionOf({ tutti }: GatewayContext, runId: string, keyId: string | undefined) {
  const [first] = await (await tutti.store()).loadRun(runId);
  if (first?.type !== "run-start" || first.origin?.keyId !== keyId) return undefined;
  return first.origin?.session;
}

/** Lets a run in with no more money than its conversation has left, and holds it until the run is over. */
export async function admitCapped<W extends Wanted>(
  { sessions }: GatewayContext,
  { session, caps }: CappedRequest,
  wanted: W,
  admit: (wanted: W) => Promise<Admission>,
): Promise<Admission> {
  const { usd, release } = await sessions.take(session, caps, wanted);
  try {
    const admission = await admit({ ...wanted, usd });
    const { budgetUsd = usd } = admission;
    return {
      ...admission,
      budgetUsd: usd === undefined ? budgetUsd : Math.min(budgetUsd ?? usd, usd),
      release(written) {
        release(written);
        admission.release(written);
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}
