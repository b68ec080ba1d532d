// Passes one request through to a provider and its reply back, byte for byte, as fast as the slower side
// takes it. What the gateway must know (usage, why it stopped) is read along the way. Works on the sockets'
// own streams: web streams cost a multiple, and a client that leaves in the middle can kill the process there.

import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { isTuttiError, TuttiError } from "../../base/errors.ts";
import { giveWay } from "../../base/turn.ts";
import { isContextError, toWorkerError } from "../../worker/failure.ts";
import { tellRefusedUsage } from "../../worker/usage.ts";
import { boundUsage } from "./bound-request.ts";
import { toUpstreamHeaders } from "./headers.ts";
import { withoutUsageEvent } from "./hide-usage.ts";
import { createLineBuffer, type LineBuffer } from "./line-buffer.ts";
import { nameModelInBody, nameModelInStream } from "./name-model.ts";
import { createUsageReader, type RelayReading, readBody, type UsageReader } from "./read-usage.ts";
import { guardReply, type ReplyGuard } from "./reply-guard.ts";
import type { RelayRequest, RelayResult } from "./types.ts";

/** A body this size is held until it is whole: then usage is known before the headers, and a cut is no half body. */
const MAX_HELD_BYTES = 4 * 1_048_576;
/** But not for long: some providers send blanks while they think, to keep the client waiting. */
const MAX_HELD_MS = 1_000;
/** So much of a refusal says why it is one. */
const MAX_REFUSAL_BYTES = 4_096;

/**
 * Throws TuttiError "unreachable" (503), "timeout" (504) or "stream-cut" (502) while nothing
 * has been sent to the client. After that it does not throw: the result says what happened. A reply with an error status
 * is a reply.
 */
export function relay(request: RelayRequest): Promise<RelayResult> {
  return new Promise((resolve, reject) => new Transfer(request, resolve, reject).start());
}

class Transfer implements Dispatcher.DispatchHandler {
  readonly #request: RelayRequest;
  readonly #resolve: (result: RelayResult) => void;
  readonly #reject: (error: TuttiError) => void;
  readonly #startedAt = performance.now();
  #controller: Dispatcher.DispatchController | undefined;
  #status: number | undefined;
  #headers: Record<string, string | string[]> = {};
  /** Why the provider refused, as far as its status and headers tell. */
  #refusal: TuttiError | undefined;
  #guard: ReplyGuard | undefined;
  #isStream = false;
  /** Something has been sent to the client. */
  #isOpen = false;
  #isOver = false;
  #bytes = 0;
  #firstByteMs: number | undefined;
  #lines: LineBuffer | undefined;
  #reader: UsageReader | undefined;
  /** Of a reply that is no stream, as long as it is small enough. */
  #body: Buffer[] = [];
  #clock: NodeJS.Timeout | undefined;

  constructor(
    request: RelayRequest,
    resolve: (result: RelayResult) => void,
    reject: (error: TuttiError) => void,
  ) {
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  start(): void {
    const { pools, upstream, method = "POST", body, clientHeaders, outgoing } = this.#request;
    outgoing.on("close", this.#onClientClose);
    if (outgoing.destroyed) this.#onClientClose();
    if (this.#isOver) return;
    const { url } = upstream;
    const headers = toUpstreamHeaders(clientHeaders, upstream);
    try {
      pools
        .of(url)
        .dispatch(
          { path: `${url.pathname}${url.search}`, method, headers, ...(method === "POST" && { body }) },
          this,
        );
    } catch (error) {
      this.#fail(error);
    }
  }

  // ---- From the provider ------------------------------------------------------------------------

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // It may have waited long for a free connection.
    if (this.#isOver) controller.abort(new Error("nobody waits for this any more"));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (this.#isOver || status < 200) return;
    const { reader, keepsText, body } = this.#request;
    const longestReply = this.#longestReply;
    this.#guard = guardReply(this.#request, status, headers);
    this.#status = status;
    if (status >= 400) this.#refusal = toRefusal(this.#request.workerId, status, headers);
    this.#headers = this.#guard.headers;
    this.#isStream = String(this.#headers["content-type"]).startsWith("text/event-stream");
    if (this.#mayPassOn) this.#isStream = false;
    if (!this.#isStream) {
      if (this.#mayPassOn) return;
      this.#clock = setTimeout(this.#onHeldLong, MAX_HELD_MS);
      return;
    }
    const countsText = reader.reportsUsage?.(body) === false;
    this.#lines = createLineBuffer();
    this.#reader = createUsageReader({ reader, keepsText, countsText, longestReply });
    this.#open();
    // Headers leave with the first event, but do not wait for it.
    setImmediate(() => {
      if (!this.#isOver && this.#bytes === 0) this.#request.outgoing.flushHeaders();
    });
  }

  onResponseData(controller: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.#isOver) return;
    this.#firstByteMs ??= performance.now() - this.#startedAt;
    this.#take(this.#guard!.push(bytes));
    giveWay(controller, this.#bytes);
  }

  #take(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#bytes += chunk.length;
    if (this.#isStream) {
      this.#sendLines(this.#lines!.push(chunk));
      return;
    }
    if (this.#isOpen) this.#send(chunk);
    this.#body.push(chunk);
    if (this.#bytes > MAX_HELD_BYTES) {
      this.#open();
      this.#body = [];
    }
  }

  onResponseEnd(): void {
    if (this.#isOver) return;
    this.#take(this.#guard!.end());
    const { outgoing } = this.#request;
    if (this.#isStream) {
      this.#sendLines(this.#lines!.rest());
      this.#end({ isComplete: true });
      outgoing.end();
      return;
    }
    const body = this.#body.length === 1 ? this.#body[0]! : Buffer.concat(this.#body);
    const reading = this.#read(body);
    const passedOn = this.#mayPassOn ? this.#toPassedOn(body) : undefined;
    if (passedOn) {
      this.#close();
      this.#reject(passedOn);
      return;
    }
    const { namedModel, keepsBody } = this.#request;
    const named = () => (namedModel === undefined ? body : nameModelInBody(body, namedModel));
    if (this.#isOpen) outgoing.end();
    else {
      const shown = named();
      this.#headers["content-length"] = String(shown.length);
      outgoing.writeHead(this.#status!, this.#allHeaders(reading)).end(shown);
    }
    const isKept = keepsBody === true && this.#bytes === body.length;
    this.#end({ isComplete: true, body: isKept ? named() : undefined }, reading);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  /** It refuses, and somebody else could be asked: it is read to its end first, since only its words may say why. */
  get #mayPassOn(): boolean {
    return this.#refusal !== undefined && this.#request.isPassedOn !== undefined && !this.#isOpen;
  }

  #toPassedOn(body: Buffer): TuttiError | undefined {
    const isLong = this.#status === 400 && isContextError(body.toString("utf8", 0, MAX_REFUSAL_BYTES));
    const refusal = isLong ? tooLong(this.#request.workerId) : this.#refusal!;
    return this.#request.isPassedOn!(refusal) ? refusal : undefined;
  }

  // ---- To the client ----------------------------------------------------------------------------

  #open(): void {
    if (this.#isOpen || this.#isOver) return;
    clearTimeout(this.#clock);
    this.#request.outgoing.writeHead(this.#status!, this.#allHeaders());
    this.#isOpen = true;
    for (const chunk of this.#body) this.#send(chunk);
    // Blanks may be all there is for now.
    if (!this.#isStream && this.#body.length === 0) this.#request.outgoing.flushHeaders();
  }

  #allHeaders(reading?: RelayReading): Record<string, string | string[]> {
    const { usage } = reading ?? {};
    const upstreamMs = performance.now() - this.#startedAt;
    const extra = this.#request.extraHeaders?.(usage ? { usage, upstreamMs } : { upstreamMs });
    return extra ? Object.assign(this.#headers, extra) : this.#headers;
  }

  #sendLines(lines: Buffer): void {
    if (lines.length === 0) return;
    this.#guard!.count(this.#reader!.push(lines));
    const { hidesUsage, namedModel } = this.#request;
    const shown = hidesUsage ? withoutUsageEvent(lines) : lines;
    this.#send(namedModel === undefined ? shown : nameModelInStream(shown, namedModel));
  }

  /** The provider is read no faster than the client reads: nothing piles up here. */
  #send(bytes: Buffer): void {
    const controller = this.#controller!;
    if (this.#request.outgoing.write(bytes) || controller.paused) return;
    controller.pause();
    this.#request.outgoing.once("drain", () => controller.resume());
  }

  // ---- How it ends ------------------------------------------------------------------------------

  readonly #onClientClose = (): void => {
    if (this.#isOver) return;
    this.#end({ isComplete: false, clientLeft: true });
    this.#controller?.abort(new Error("the client left"));
  };

  readonly #onHeldLong = (): void => {
    try {
      this.#open();
    } catch (error) {
      // Headers that Node refuses to send. Elsewhere undici catches what is thrown; a timer has nobody.
      this.#fail(error);
      this.#controller?.abort(new Error("its headers cannot be sent on"));
    }
  };

  #fail(cause: unknown): void {
    if (this.#isOver) return;
    const error = toRelayError(cause, this.#request.workerId, this.#status !== undefined);
    if (!this.#isOpen) {
      this.#close();
      this.#reject(error);
      return;
    }
    const { outgoing, reader } = this.#request;
    const reading = this.#read();
    this.#end({ isComplete: false, error }, reading);
    // Half a line that is held back is dropped: the error would become a part of it. The empty line ends what was begun.
    if (this.#isStream) outgoing.end(`\n${reader.toErrorEvent(error, reading.events)}`);
    else outgoing.destroy();
  }

  #end(
    outcome: Pick<RelayResult, "isComplete" | "body"> & { clientLeft?: true; error?: TuttiError },
    reading = this.#read(),
  ): void {
    this.#close();
    const { usage, text, finishReason, hasError } = reading;
    const { workerId, bound, isBudgeted } = this.#request;
    const isWhole = outcome.isComplete && !hasError && !isBudgeted;
    const isSent = this.#controller !== undefined;
    if (reading.isUsageRefused) tellRefusedUsage(workerId);
    const isRefused = (this.#status ?? 0) >= 400;
    const saidSo = hasError && !isRefused ? failedInside(workerId) : undefined;
    this.#resolve({
      status: this.#status ?? 499,
      usage,
      bound: usage || isRefused || !isSent ? undefined : boundUsage(bound, reading, isWhole),
      isSent,
      text,
      finishReason,
      body: outcome.body,
      bytes: this.#bytes,
      firstByteMs: this.#firstByteMs,
      isComplete: outcome.isComplete,
      clientLeft: outcome.clientLeft ?? false,
      refusal: this.#refusal,
      error: outcome.error ?? saidSo,
    });
  }

  /** Undefined where the request does not say. */
  get #longestReply(): number | undefined {
    const { isStated, outputTokens } = this.#request.bound;
    return isStated ? outputTokens : undefined;
  }

  #read(body: Buffer = Buffer.concat(this.#body)): RelayReading {
    const { reader, keepsText } = this.#request;
    const longestReply = this.#longestReply;
    const isCut = this.#bytes > body.length;
    if (this.#reader) return this.#reader.read();
    if (isCut) return { writtenTokens: this.#bytes, events: 0, hasError: false };
    return readBody(body, { reader, keepsText, longestReply });
  }

  #close(): void {
    this.#isOver = true;
    clearTimeout(this.#clock);
    this.#request.outgoing.off("close", this.#onClientClose);
  }
}

/** What the provider wrote is content, and stays out of it. */
function toRefusal(workerId: string, statusCode: number, headers: IncomingHttpHeaders): TuttiError {
  const responseHeaders = headers as Record<string, string>;
  return toWorkerError({ statusCode, responseHeaders }, { workerId, isAborted: false, isStreaming: false });
}

function tooLong(workerId: string): TuttiError {
  const message = `Worker "${workerId}": the prompt is too long for its context.`;
  return new TuttiError("context-length", message, { status: 400 });
}

const TIMEOUTS = new Set(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]);

/** `isStreaming`: the reply had begun. */
function toRelayError(cause: unknown, workerId: string, isStreaming: boolean): TuttiError {
  if (isTuttiError(cause)) return cause;
  if (TIMEOUTS.has((cause as { code?: string })?.code ?? "")) {
    const what = isStreaming ? "was silent for too long in the middle of its reply" : "did not reply in time";
    return new TuttiError("timeout", `Worker "${workerId}" ${what}.`);
  }
  return toWorkerError(cause, { workerId, isAborted: false, isStreaming });
}

/** The provider said so itself, in an event of its own that was relayed. */
function failedInside(workerId: string): TuttiError {
  const message = `Worker "${workerId}": its provider failed in the middle of the reply.`;
  return new TuttiError("provider-error", message);
}
