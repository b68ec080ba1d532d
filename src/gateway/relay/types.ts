// The words of the relay: what it is given and what it tells afterwards.

import type { IncomingHttpHeaders } from "node:http";
import type { TuttiError } from "../../base/errors.ts";
import type { RelayTarget } from "../../config/endpoint.ts";
import type { ProviderProtocol } from "../../worker/models.ts";
import type { FinishReason, PoolMember, Usage } from "../../worker/types.ts";
import type { CachedReply } from "../cache/response-cache.ts";
import type { Fields } from "../http/object-reader.ts";
import type { Dialect } from "../types.ts";
import type { RequestBound } from "./bound-request.ts";
import type { RelayPools } from "./pools.ts";
import type { PricedFields } from "./priced-fields.ts";
import type { Upstream } from "./target.ts";

/** How a dialect is passed through: to whom, and what of the provider's own reply is read along the way. */
export interface RelayReader {
  /** Of the providers that understand it as it is. */
  readonly protocols: readonly ProviderProtocol[];
  /** The field of a request that limits the length of its reply. */
  lengthField(protocol: ProviderProtocol): string;
  /**
   * Which price a request has, where it is not that of a conversation ("tokens"). "input": nothing is written that is billed.
   * "unknown": none that could be reserved, nor told where the provider does not count tokens.
   */
  readonly billing?: "tokens" | "input" | "unknown";
  /** What a key with a budget may send. */
  readonly pricedFields: PricedFields;
  /**
   * The request with the wish to be told what it took, where it has none of its own: the client is not shown the event
   * that says it (hide-usage.ts). Absent: the provider always says.
   */
  withUsage?(body: Record<string, unknown>): Record<string, unknown> | undefined;
  /**
   * The request without what we have put into the conversation and its provider would refuse. Undefined: there is nothing
   * of ours in it, and it is passed on as it is.
   */
  withoutOurs?(raw: Buffer, body: Record<string, unknown>): Record<string, unknown> | undefined;
  /** How the provider learns who pays; by default a bearer token. */
  toCredentials?(apiKey: string | undefined): Record<string, string>;
  /** False: the stream will not say what it took, so its text is counted. Absent: it always says. */
  reportsUsage?(body: Buffer): boolean;
  /** What is known of a reply after one more event of its stream, or after its body. */
  read(event: Record<string, unknown>, known: ReplyFields): ReplyFields;
  /** False: more of the usage is still to come. Absent: it is said all at once. */
  isUsageWhole?(known: ReplyFields): boolean;
  /** Its clients go by the name of the model in the reply, so it is the one that was asked for (name-model.ts). */
  readonly namesModel?: true;
  /** The last event of a stream that broke off after so many events: the status is out, so it must say so itself. */
  toErrorEvent(error: TuttiError, events: number): string;
}

/** What is known of a provider's reply so far. */
export interface ReplyFields {
  usage?: Usage;
  finishReason?: FinishReason;
  /** Of the answer. */
  text: string;
  /** Bytes of all that was written (answer, reasoning, arguments of tools), where its tokens are not reported. */
  writtenBytes: number;
  hasError: boolean;
}

/** What the relay needs of a response: a copied one (copies.ts) will do. */
export interface RelayedTo {
  readonly destroyed: boolean;
  writeHead(status: number, headers: Record<string, string | string[]>): { end(body: Buffer): unknown };
  /** False: wait for "drain". */
  write(bytes: Buffer): boolean;
  end(text?: string): unknown;
  flushHeaders(): void;
  destroy(): unknown;
  on(event: "close", listener: () => void): unknown;
  once(event: "drain", listener: () => void): unknown;
  off(event: "close", listener: () => void): unknown;
}

export interface RelayRequest {
  pools: RelayPools;
  /** By default POST. */
  method?: "GET" | "POST" | "DELETE";
  upstream: Upstream;
  /** Who is asked, for error messages. */
  workerId: string;
  reader: RelayReader;
  /** With the provider's name of the model (splice-model.ts). */
  body: Buffer;
  clientHeaders: IncomingHttpHeaders;
  outgoing: RelayedTo;
  /** What it can cost at the most. */
  bound: RequestBound;
  /** Whoever has a budget: a reply whose usage nobody says counts with all that it can have cost. */
  isBudgeted: boolean;
  /** The model as the client calls it, where its reply must say so. */
  namedModel?: string;
  /** The client did not ask for the event that says what a stream took. */
  hidesUsage: boolean;
  /** Added to the reply. Asked for when it begins: of a stream, usage is not known by then. */
  extraHeaders?: (known: { usage?: Usage; upstreamMs: number }) => Record<string, string>;
  keepsText: boolean;
  /** See `PassThrough`. A refusal is then held until it is whole. */
  isPassedOn?(error: TuttiError): boolean;
  /** The result has the body that the client got, where it was no stream and small enough. */
  keepsBody?: boolean;
}

export interface RelayResult {
  /** The provider's; 499 where the client left before there was one. */
  status: number;
  /** As the provider reported it. */
  usage?: Usage;
  /** Where it did not, though it may have worked: an upper bound. */
  bound?: Usage;
  text?: string;
  finishReason?: FinishReason;
  /** Where it was wanted (`keepsBody`). */
  body?: Buffer;
  /** Of the reply's body, as far as it was read. */
  bytes: number;
  firstByteMs?: number;
  /** It reached the provider, as far as is known. */
  isSent: boolean;
  /** The reply was read to its end. */
  isComplete: boolean;
  clientLeft: boolean;
  /** The provider refused: the code says why. */
  refusal?: TuttiError;
  /** The client has seen a part of a reply that broke off. */
  error?: TuttiError;
}

/** One request that is passed through, and to whom. */
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
  /**
   * True: of this failure the client hears nothing, since somebody else can still be asked. Asked only while nothing has been
   * sent to the client.
   */
  isPassedOn?(error: TuttiError): boolean;
  /** It may be asked again (shadow/shadow-desk.ts). */
  isShadowed?: boolean;
  /** Takes a whole good reply that is no stream, for whoever asks the same again. */
  keep?: (reply: CachedReply) => void;
}
