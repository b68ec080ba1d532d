// Requests that are passed through for a key with a budget: the most that one can cost is reserved before it is sent, and only
// what was counted is sent on.

import { TuttiError } from "../../base/errors.ts";
import type { PoolEntry } from "../../store/types.ts";
import type { BoundInput } from "../../worker/brief-parts.ts";
import { mostCostOf, ratesFor, withHourWrites } from "../../worker/price.ts";
import type { Price } from "../../worker/types.ts";
import type { Admission } from "../access/admission.ts";
import type { GatewayKey } from "../access/keys.ts";
import type { GatewayContext } from "../context.ts";
import type { Fields } from "../http/object-reader.ts";
import type { Visit } from "../http/route.ts";
import type { RequestBound } from "./bound-request.ts";
import { type RelayedRun, toRelayEvents } from "./journal.ts";
import { checkFields } from "./priced-fields.ts";
import type { PassThrough, RelayRequest } from "./types.ts";

/**
 * Where nobody knows the price beforehand a budget cannot be kept. True: the key was allowed it all the same, by its name.
 * Throws "forbidden" (403) where it was not.
 */
export function isFreeOfBudget({ allowFields = [] }: GatewayKey, { dialect, reader }: PassThrough): boolean {
  if (reader.billing !== "unknown") return false;
  if (allowFields.includes(dialect.name) || allowFields.includes("*")) return true;
  throw new TuttiError(
    "forbidden",
    `What a request to /v1${dialect.path} costs is not known beforehand, and this key has a budget. Have a key created with: --allow-fields ${dialect.name}`,
  );
}

function mostPriceOf(price: Price, { keepsForHour }: RequestBound): Price {
  return keepsForHour ? withHourWrites(price) : price;
}

/** A key learns from its own requests alone. */
export const toCountedBy = ({ id }: GatewayKey, entry: PoolEntry): string => `${id} ${entry.id}`;

/** By its beginning; others begin alike, so what it began with is remembered apart. */
export function toConversation({ parts }: BoundInput): string {
  const begin = parts.slice(0, BEGINNING).map(({ key }) => key);
  return [...begin, parts.length > BEGINNING ? "newest" : "first"].join(" ");
}

/** Instructions, a question and some tools. */
const BEGINNING = 6;

/** What was in a request before, and was counted then, needs not be bounded by its bytes. */
export function boundByCounts(
  { counted }: GatewayContext,
  workerId: string,
  input: BoundInput,
  byBytes: RequestBound,
): RequestBound {
  const inputTokens = Math.min(input.boundTokens, counted.bound(workerId, input));
  return { ...byBytes, inputTokens: () => inputTokens };
}

/** A shorter reply than this is of no use, unless no more was wanted. */
const LEAST_OUTPUT_TOKENS = 256;

export type SentRequest = Pick<RelayRequest, "body" | "bound" | "hidesUsage">;
type BeforeRelay = Omit<RelayedRun, "outcome" | "endedAt" | "task">;

/** Reserves what the request can cost. One that does not say how long its reply may be is content with less. */
export async function admitBudgeted(
  context: GatewayContext,
  { connection }: Visit,
  key: GatewayKey,
  { reader, body, target: { price: list } }: PassThrough,
  run: BeforeRelay,
): Promise<Admission> {
  if (!list)
    throw new TuttiError(
      "forbidden",
      "The price of this model is not known, so the budget of this key cannot be kept. Give it a price in the config.",
    );
  checkFields(body, connection.incoming.headers, reader.pricedFields, key.allowFields);
  const { bound, runId, startedAt } = run;
  const price = mostPriceOf(list, bound);
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
export function toBudgetedBody(
  { reader, body, target: { model, protocol, price: list } }: PassThrough,
  bound: RequestBound,
  { budgetUsd = 0 }: Admission,
): SentRequest {
  const withUsage = reader.withUsage?.(body);
  const fields: Fields = { ...(withUsage ?? body), model };
  let { outputTokens } = bound;
  if (!bound.isStated) {
    const price = mostPriceOf(list!, bound);
    const copies = typeof body.n === "number" ? body.n : 1;
    const replyUsd = budgetUsd - mostCostOf(bound.inputTokens(), 0, price);
    // Sums of fractions may be a hair too small for what they were made of.
    const { outputUsd } = ratesFor(price, bound.inputTokens());
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
