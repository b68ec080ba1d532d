// One request to a chat completions server and what comes back: bytes → text → parts, with the server made to
// wait for a slow reader, and the socket closed at once when nobody wants the rest. Apart from model.ts
// because undici calls it by a protocol of its own, which a fetch can follow too.

import { StringDecoder } from "node:string_decoder";
import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import type { Dispatcher } from "undici";
import { createSecretFilter, type SecretFilter } from "../../base/secret-filter.ts";
import { giveWay } from "../../base/turn.ts";
import { EndlessReply, Redirected } from "../failure.ts";
import type { ReplyStream } from "../provider.ts";
import { toMaxBytes, toMaxCharacters } from "../reply-limit.ts";
import { type ChatStream, createChatStream } from "./stream.ts";

/** What has arrived and nobody has read yet; beyond it the server is made to wait. */
const MAX_UNREAD_BYTES = 262_144;
/** More of an error page would not be shown to anybody. */
const MAX_ERROR_LENGTH = 65_536;
/** How long a server may take to end a body after its last event. Then its connection can be used again. */
const LAST_BYTES_MS = 1000;

type Controller = Pick<Dispatcher.DispatchController, "paused" | "pause" | "resume" | "abort">;
type Headers = Record<string, string | string[] | undefined>;

export interface Waiting {
  resolve(reply: ReplyStream): void;
  reject(error: unknown): void;
}

/** What a reply is held to. */
export interface ChatCallLimits {
  /** Taken out of whatever comes back. */
  secret?: string;
  /** By default more than any model writes. */
  maxOutputTokens?: number;
}

const LONGEST_REPLY = 131_072;

export class ChatCall implements Dispatcher.DispatchHandler {
  readonly #waiting: Waiting;
  readonly #signal: AbortSignal | undefined;
  readonly #decoder = new StringDecoder("utf8");
  #controller: Controller | undefined;
  #status = 0;
  readonly #headers: Record<string, string> = {};
  #errorBody = "";
  #reply: { queue: PartQueue; stream: ChatStream } | undefined;
  #unreadBytes = 0;
  #bytes = 0;
  #isOver = false;
  readonly #filter: SecretFilter | undefined;
  readonly #maxOutputTokens: number;

  constructor(waiting: Waiting, signal: AbortSignal | undefined, limits: ChatCallLimits = {}) {
    this.#waiting = waiting;
    this.#signal = signal;
    this.#filter = createSecretFilter(limits.secret);
    this.#maxOutputTokens = limits.maxOutputTokens ?? LONGEST_REPLY;
    signal?.throwIfAborted();
    signal?.addEventListener("abort", this.#stop, { once: true });
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    // It may have waited for a connection, and nobody for it.
    if (this.#isOver) controller.abort(new Error("stopped"));
  }

  onResponseStart(controller: Controller, status: number, headers: Headers): void {
    if (this.#isOver || status < 200) return;
    this.#status = status;
    for (const name in headers) this.#headers[name] = String(headers[name]);
    if (status >= 300) return;
    const encoding = this.#headers["content-encoding"] ?? "identity";
    if (encoding !== "identity") {
      this.#fail(new Error(`its server answers in "${encoding}" although that was not asked for`));
      controller.abort(new Error("unreadable"));
      return;
    }
    const queue = new PartQueue(() => {
      this.#unreadBytes = 0;
      this.#controller?.resume();
    });
    this.#reply = { queue, stream: createChatStream(queue, toMaxCharacters(this.#maxOutputTokens)) };
    this.#waiting.resolve({ stream: { getReader: () => queue }, response: { headers: this.#headers } });
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (this.#isOver) return;
    const text = this.#decoder.write(this.#filter ? this.#filter.push(chunk) : chunk);
    if (this.#reply) {
      this.#bytes += chunk.length;
      if (this.#bytes > toMaxBytes(this.#maxOutputTokens)) {
        this.#fail(new EndlessReply());
        controller.abort(new Error("too long"));
        return;
      }
      this.#unreadBytes += chunk.length;
      const { stream, queue } = this.#reply;
      stream.push(text);
      queue.flush();
      // Comments and pieces of a tool call are nothing that anybody could read: then there is nobody to wait for.
      if (queue.isEmpty) this.#unreadBytes = 0;
      else if (this.#unreadBytes > MAX_UNREAD_BYTES) controller.pause();
      giveWay(controller, this.#bytes);
      return;
    }
    this.#errorBody += text;
    if (this.#errorBody.length <= MAX_ERROR_LENGTH) return;
    this.onResponseEnd();
    controller.abort(new Error("too long"));
  }

  onResponseEnd(): void {
    if (this.#isOver) return;
    this.#close();
    if (!this.#reply) {
      this.#waiting.reject(toCallError(this.#status, this.#headers, this.#errorBody));
      return;
    }
    const { stream, queue } = this.#reply;
    stream.push(this.#decoder.end(this.#filter?.end()));
    stream.end();
    queue.flush();
  }

  onResponseError(_controller: unknown, error: Error): void {
    // A key with a line break in it is not the network's fault, and does not get better by asking again.
    const isOurs = (error as { code?: string }).code === "UND_ERR_INVALID_ARG";
    this.#fail(isOurs ? new Error(error.message) : error);
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#close();
    if (this.#reply) {
      this.#reply.queue.end({ error });
      this.#reply.queue.flush();
      return;
    }
    // A status of failure says more than that its body broke off.
    const hasFailed = this.#status >= 300;
    this.#waiting.reject(hasFailed ? toCallError(this.#status, this.#headers, this.#errorBody) : error);
  }

  #close(): void {
    this.#isOver = true;
    this.#signal?.removeEventListener("abort", this.#stop);
  }

  readonly #stop = (): void => {
    const controller = this.#controller;
    const stopped = new Error("stopped");
    if (!this.#reply?.stream.isFinished) {
      this.#fail(stopped);
      controller?.abort(stopped);
      return;
    }
    // All has been said, and most often the end of the body is already on the way.
    controller?.resume();
    setTimeout(() => this.#isOver || controller?.abort(stopped), LAST_BYTES_MS).unref();
  };
}

/** In the shape of the AI SDK's error, which failure.ts reads. */
function toCallError(
  statusCode: number,
  responseHeaders: Record<string, string>,
  responseBody: string,
): Error {
  if (statusCode < 400) return new Redirected(statusCode, responseHeaders.location);
  const fields = { name: "AI_APICallError", statusCode, responseHeaders, responseBody };
  const data = parseErrorBody(responseBody);
  return Object.assign(new Error(data?.error.message ?? ""), fields, data && { data });
}

function parseErrorBody(body: string): { error: { message: string } } | undefined {
  try {
    const data = JSON.parse(body);
    return typeof data?.error?.message === "string" ? data : undefined;
  } catch {
    return undefined;
  }
}

// ---- The queue of parts --------------------------------------------------------------------------

// Parts of a reply on their way from the socket to whoever reads them: what a ReadableStream does, at a
// tenth of its price. Deltas of the same kind that arrived together are handed out as one, because each
// costs everybody downstream the same, however short it is.

type Delta = Extract<LanguageModelV3StreamPart, { type: "text-delta" | "reasoning-delta" }>;
type ReadResult = { done: false; value: LanguageModelV3StreamPart } | { done: true; value: undefined };

export class PartQueue {
  #parts: LanguageModelV3StreamPart[] = [];
  #end: { error?: unknown } | undefined;
  #waiting: { resolve: (result: ReadResult) => void; reject: (error: unknown) => void } | undefined;
  readonly #onEmpty: () => void;

  /** `onEmpty` is called when everything has been read: more may come. */
  constructor(onEmpty: () => void) {
    this.#onEmpty = onEmpty;
  }

  get isEnded(): boolean {
    return this.#end !== undefined;
  }

  get isEmpty(): boolean {
    return this.#parts.length === 0;
  }

  addDelta(type: Delta["type"], delta: string): void {
    if (this.#end || delta === "") return;
    const last = this.#parts.at(-1);
    if (last?.type === type) last.delta += delta;
    else this.#parts.push({ type, id: "0", delta });
  }

  add(part: LanguageModelV3StreamPart): void {
    if (!this.#end) this.#parts.push(part);
  }

  /** Nothing comes after this; with an error, reading fails once the parts before it have been read. */
  end(failure: { error?: unknown } = {}): void {
    this.#end ??= failure;
  }

  /** Wakes the reader. Not done at each part, so that those of one piece of the body can become one. */
  flush(): void {
    const waiting = this.#waiting;
    if (!waiting || (this.#parts.length === 0 && !this.#end)) return;
    this.#waiting = undefined;
    this.#take(waiting.resolve, waiting.reject);
  }

  /** As with a stream, one read at a time. */
  read(): Promise<ReadResult> {
    return new Promise((resolve, reject) => {
      if (this.#parts.length > 0 || this.#end) this.#take(resolve, reject);
      else this.#waiting = { resolve, reject };
    });
  }

  #take(resolve: (result: ReadResult) => void, reject: (error: unknown) => void): void {
    const value = this.#parts.shift();
    if (value) {
      resolve({ done: false, value });
      if (this.#parts.length === 0) this.#onEmpty();
    } else if (this.#end && "error" in this.#end) reject(this.#end.error);
    else resolve({ done: true, value: undefined });
  }
}
