// A question to one model that its provider understands as it is: bytes go there and come back. Where a place of the model
// fails before anything was said the next one is asked, and then whoever the config names after it: relayed too where that is
// possible, else in a run.

import type { TuttiError } from "../../base/errors.ts";
import { isFaultOfPlace, toAffinity } from "../../config/deployments.ts";
import { type RelayTarget, relayTargetOf } from "../../config/endpoint.ts";
import { checkOneModel } from "../access/keys.ts";
import type { GatewayContext } from "../context.ts";
import { type Fields, isFields } from "../http/object-reader.ts";
import type { Visit } from "../http/route.ts";
import { toUpstream } from "../relay/target.ts";
import type { PassThrough, RelayReader } from "../relay/types.ts";
import type { OneWorker } from "../runs/models.ts";
import { passThrough, passThroughOnce } from "./pass-through.ts";

export interface RelayedQuestion {
  reader: RelayReader;
  raw: Buffer;
  body: Fields;
  idempotencyKey: string | undefined;
  hash(): string;
  more: Pick<PassThrough, "session" | "keep" | "isShadowed">;
}

/** Undefined: nobody of these is relayed in this dialect. */
export function firstTarget(
  { member }: OneWorker,
  { dialect }: Visit,
  body: Fields,
): RelayTarget | undefined {
  const target = relayTargetOf(member.worker, affinityOf(body));
  return target && toUpstream(target, dialect) ? target : undefined;
}

/** Undefined where it was answered; else who has to be asked in a run. */
export async function askRelayed(
  context: GatewayContext,
  visit: Visit,
  named: OneWorker,
  { reader, raw, body, idempotencyKey, hash, more }: RelayedQuestion,
): Promise<OneWorker | undefined> {
  const { dialect, key, notes } = visit;
  const affinity = affinityOf(body);
  // Inside a tool loop nobody takes the place of the worker whose calls these results are of.
  const members = [named.member, ...((!hasResults(body) && named.fallbacks) || [])];
  // Lines of progress pose as thoughts in some dialects, and a provider takes none that it has not signed.
  const cleaned = reader.withoutOurs?.(raw, body);
  const sent = cleaned ? { raw: Buffer.from(JSON.stringify(cleaned)), body: cleaned } : { raw, body };
  let tries = 0;
  for (let at = 0; at < members.length; ) {
    const member = members[at]!;
    const after = members.slice(at + 1);
    const target = relayTargetOf(member.worker, affinity);
    const upstream = target && toUpstream(target, dialect);
    if (!upstream) return { ...named, member, fallbacks: after.length > 0 ? after : undefined };
    notes.modelKind = "relay";
    checkOneModel(key, body);
    tries += 1;
    const hasPlaces = tries < (target.places ?? 1);
    const isPassedOn = (error: TuttiError) =>
      (hasPlaces && isFaultOfPlace(error)) || (after.length > 0 && isFaultOfModel(error));
    const asked: PassThrough = { dialect, reader, ...sent, member, target, upstream, ...more };
    // Without anybody else its refusals go to the client as they come.
    if (hasPlaces || after.length > 0) asked.isPassedOn = isPassedOn;
    const passed =
      idempotencyKey === undefined
        ? await passThrough(context, visit, asked)
        : await passThroughOnce(context, visit, asked, idempotencyKey, hash());
    const failure = passed.passedOn;
    if (!failure) return undefined;
    if (hasPlaces && isFaultOfPlace(failure)) continue;
    at += 1;
    tries = 0;
  }
  return undefined;
}

/** Another model may well answer. */
function isFaultOfModel(error: TuttiError): boolean {
  return isFaultOfPlace(error) || error.code === "context-length" || error.code === "bad-response";
}

/** The newest message is what tools of the client have returned. */
function hasResults({ messages, input }: Fields): boolean {
  const newest: unknown = Array.isArray(messages)
    ? messages.at(-1)
    : Array.isArray(input)
      ? input.at(-1)
      : undefined;
  if (!isFields(newest)) return false;
  const { role, type, content } = newest;
  if (role === "tool" || (typeof type === "string" && type.endsWith("_output"))) return true;
  return Array.isArray(content) && content.some((part) => isFields(part) && part.type === "tool_result");
}

/** By what a conversation stays where it is; what is no conversation goes by its words. */
function affinityOf({ messages, input, prompt, query }: Fields): string {
  const said = Array.isArray(messages) ? messages : Array.isArray(input) ? input : [input ?? prompt ?? query];
  return toAffinity(said);
}
