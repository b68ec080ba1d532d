// The words of the relay: what it is given and what it tells afterwards.

import type { IncomingHttpHeaders } from "node:http";
import type { TuttiError } from "../../base/errors.ts";
import type { DialectName } from "../../store/types.ts";
import type { FinishReason, Usage } from "../../worker/types.ts";
import type { RelayPools } from "./pools.ts";
import type { Upstream } from "./target.ts";

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
  upstream: Upstream;
  /** Who is asked, for error messages. */
  workerId: string;
  dialect: DialectName;
  /** With the provider's name of the model (splice-model.ts). */
  body: Buffer;
  clientHeaders: IncomingHttpHeaders;
  outgoing: RelayedTo;
  /** Added to the reply. Asked for when it begins: of a stream, usage is not known by then. */
  extraHeaders?: (known: { usage?: Usage; upstreamMs: number }) => Record<string, string>;
  signal?: AbortSignal;
  keepsText: boolean;
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
  /** Of the reply's body, as far as it was read. */
  bytes: number;
  firstByteMs?: number;
  durationMs: number;
  /** The reply was read to its end. */
  isComplete: boolean;
  clientLeft: boolean;
  /** The client has seen a part of a reply that broke off. */
  error?: TuttiError;
}
