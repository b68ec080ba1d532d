// One request and its response, over Node's own objects: bodies are read up to a limit, text is written with
// back-pressure, and a client that leaves is noticed at once. Nothing here knows what is said.

import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { TuttiError } from "../base/errors.ts";

/** A client that reads nothing for so long is gone for all practical purposes. */
const STUCK_MS = 120_000;

export class Connection {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly requestId: string;
  readonly startedAt: number;
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
    return { "x-request-id": this.requestId, ...this.#headers };
  }

  readBody(maxBytes: number): Promise<Buffer> {
    const { incoming } = this;
    if (Number(this.header("content-length") ?? 0) > maxBytes) return Promise.reject(tooLarge(maxBytes));
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      incoming.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > maxBytes) {
          incoming.pause();
          reject(tooLarge(maxBytes));
        } else chunks.push(chunk);
      });
      incoming.on("end", () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
      const broken = () =>
        reject(new TuttiError("client-left", "The request broke off before it was complete"));
      incoming.on("error", broken).on("aborted", broken);
    });
  }

  get hasBegun(): boolean {
    return this.outgoing.headersSent;
  }

  begin(status: number, headers: Record<string, string>): void {
    if (!this.hasBegun) this.outgoing.writeHead(status, { ...this.headers, ...headers });
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
    if (this.outgoing.destroyed || this.outgoing.writableEnded) return;
    const text = JSON.stringify(body);
    this.begin(status, {
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(text)),
      // What is left of a body that was refused would be read as the next request.
      ...(this.incoming.complete ? {} : { connection: "close" }),
      ...headers,
    });
    this.end(text);
  }
}

function tooLarge(maxBytes: number): TuttiError {
  const most = maxBytes >= 1e6 ? `${maxBytes / 1e6} MB` : `${maxBytes} bytes`;
  return new TuttiError("too-large", `The request is larger than ${most}, the most that is taken here`);
}

function clientLeft(): TuttiError {
  return new TuttiError("client-left", "The client left");
}
