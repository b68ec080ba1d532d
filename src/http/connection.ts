// One request and its response, over Node's own objects: bodies are read up to a limit, text is written with
// back-pressure, and a client that leaves is noticed at once. Nothing here knows what is said.

import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { TuttiError } from "../base/errors.ts";

/** A client that reads nothing for so long is gone for all practical purposes. */
const STUCK_MS = 120_000;
/** A body that has not arrived after so long holds memory for nothing: 16 MB at 2 Mbit/s take as long. */
const BODY_MS = 60_000;
/** No byte of it for so long: the client has gone, or wants to hold a connection. */
const BODY_SILENCE_MS = 10_000;

export class Connection {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly requestId: string;
  readonly startedAt: number;
  /** Called once, when the head of the response is written. */
  onBegin: () => void = () => {};
  #isGone = false;
  #gone: AbortController | undefined;
  readonly #headers: Record<string, string> = {};

  constructor(incoming: IncomingMessage, outgoing: ServerResponse) {
    this.incoming = incoming;
    this.outgoing = outgoing;
    this.startedAt = performance.now();
    this.requestId = `req_${randomUUID()}`;
    outgoing.on("close", () => {
      if (!outgoing.writableFinished) this.#leave();
    });
    // A socket that breaks is a client that left; it must not end the process.
    outgoing.on("error", () => this.#leave());
  }

  #leave(): void {
    this.#isGone = true;
    this.#gone?.abort();
  }

  /** The client left before the response was complete. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Fires when it leaves. Made when somebody asks for it: a relayed request does without. */
  get gone(): AbortSignal {
    this.#gone ??= new AbortController();
    if (this.#isGone) this.#gone.abort();
    return this.#gone.signal;
  }

  header(name: string): string | undefined {
    const value = this.incoming.headers[name];
    return Array.isArray(value) ? value[0] : value;
  }

  /** For the head of the response, whoever writes it. */
  set(headers: Record<string, string>): void {
    Object.assign(this.#headers, headers);
  }

  get headers(): Record<string, string> {
    // What is answered is never to be taken for a page or a script that somebody smuggled into it.
    return { "x-request-id": this.requestId, "x-content-type-options": "nosniff", ...this.#headers };
  }

  /** `onBytes` hears of each piece as it arrives, and may throw: then no more is read. */
  readBody(maxBytes: number, onBytes: (bytes: number) => void = () => {}): Promise<Buffer> {
    const { incoming } = this;
    if (Number(this.header("content-length") ?? 0) > maxBytes) return Promise.reject(tooLarge(maxBytes));
    return new Promise((resolve, reject) => {
      const body = new GrowingBuffer(Number(this.header("content-length") ?? 0));
      const refuse = (error: unknown) => {
        stopClocks();
        incoming.pause().off("data", onData);
        reject(error);
      };
      // One clock for most bodies: whoever is not silent is looked at when the next piece comes.
      const silent = setTimeout(() => refuse(tooSlow(BODY_SILENCE_MS)), BODY_SILENCE_MS);
      const stopClocks = () => clearTimeout(silent);
      const onData = (chunk: Buffer) => {
        silent.refresh();
        try {
          if (performance.now() - this.startedAt > BODY_MS) throw tooSlow(BODY_MS);
          if (body.length + chunk.length > maxBytes) throw tooLarge(maxBytes);
          onBytes(chunk.length);
          body.add(chunk);
        } catch (error) {
          refuse(error);
        }
      };
      incoming.on("data", onData).on("end", () => {
        stopClocks();
        resolve(body.toBuffer());
      });
      const broken = () =>
        refuse(new TuttiError("client-left", "The request broke off before it was complete"));
      incoming.on("error", broken).on("aborted", broken);
    });
  }

  /** Said by its headers: a request without one is not complete either while it is being handed out. */
  get #hasBody(): boolean {
    return this.header("transfer-encoding") !== undefined || (this.header("content-length") ?? "0") !== "0";
  }

  get hasBegun(): boolean {
    return this.outgoing.headersSent;
  }

  begin(status: number, headers: Record<string, string>): void {
    if (this.hasBegun) return;
    this.outgoing.writeHead(status, { ...this.headers, ...headers });
    this.onBegin();
  }

  /** Done when the client can take more. Rejects with "client-left" when it is gone or stuck. */
  async write(text: string): Promise<void> {
    if (text === "") return;
    const { outgoing } = this;
    if (this.#isGone || outgoing.destroyed) throw clientLeft();
    if (outgoing.write(text)) return;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => settle(clientLeft()), STUCK_MS);
      const settle = (error?: TuttiError) => {
        clearTimeout(timer);
        outgoing.off("drain", onDrain).off("close", onClose);
        if (!error) return resolve();
        outgoing.destroy();
        reject(error);
      };
      const onDrain = () => settle();
      const onClose = () => settle(clientLeft());
      outgoing.on("drain", onDrain).on("close", onClose);
    });
  }

  end(text = ""): void {
    this.outgoing.end(text);
  }

  json(status: number, body: unknown, headers: Record<string, string> = {}): void {
    this.jsonBytes(status, Buffer.from(JSON.stringify(body)), headers);
  }

  /** JSON that was made elsewhere. */
  jsonBytes(status: number, bytes: Uint8Array, headers: Record<string, string> = {}): void {
    if (this.outgoing.destroyed || this.outgoing.writableEnded) return;
    this.begin(status, {
      "content-type": "application/json",
      "content-length": String(bytes.length),
      // What is left of a body that was refused would be read as the next request.
      ...(this.incoming.complete || !this.#hasBody ? {} : { connection: "close" }),
      ...headers,
    });
    this.outgoing.end(bytes);
  }
}

const HALF_MB = 524_288;

/**
 * What has arrived of a body. A large one is copied into its place as it comes: at the end, in one piece, that would
 * hold everybody up. A client that only says that much will come gets no memory for it.
 */
class GrowingBuffer {
  readonly #declared: number;
  #chunks: Buffer[] = [];
  #whole: Buffer | undefined;
  length = 0;

  constructor(declared: number) {
    this.#declared = declared;
  }

  add(chunk: Buffer): void {
    if (this.#whole) this.#whole.set(chunk, this.length);
    else this.#chunks.push(chunk);
    this.length += chunk.length;
    if (this.#whole || this.length < HALF_MB || this.length > this.#declared) return;
    this.#whole = Buffer.allocUnsafe(this.#declared);
    let at = 0;
    for (const each of this.#chunks) {
      this.#whole.set(each, at);
      at += each.length;
    }
    this.#chunks = [];
  }

  toBuffer(): Buffer {
    if (this.#whole) return this.#whole.subarray(0, this.length);
    return this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
  }
}

function tooLarge(maxBytes: number): TuttiError {
  const most = maxBytes >= 1e6 ? `${maxBytes / 1e6} MB` : `${maxBytes} bytes`;
  return new TuttiError("too-large", `The request is larger than ${most}, the most that is taken here`);
}

function tooSlow(ms: number): TuttiError {
  return new TuttiError("upload-timeout", `The request did not arrive within ${ms / 1000} s`);
}

function clientLeft(): TuttiError {
  return new TuttiError("client-left", "The client left");
}
