// Relayed replies that were asked for with an idempotency key, kept for a while: a repeat waits for the first and
// gets the same bytes, and a client that leaves does not end what it may come back for. In memory only: after a
// restart a repeat is a new request.

import { EventEmitter } from "node:events";
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { TuttiError } from "../../base/errors.ts";
import type { RelayedTo } from "./types.ts";

const KEPT_MS = 600_000;
const MOST_BYTES = 4 * 1_048_576;
const MOST_COPIES = 1_000;

export interface ReplyCopy {
  status: number;
  headers: OutgoingHttpHeaders;
  /** Undefined: it was too large to keep. */
  body: Buffer | undefined;
}

/** Stands in the place of the client's response, writes on to it as long as it is there, and keeps a copy. */
export class CopiedResponse extends EventEmitter implements RelayedTo {
  readonly destroyed = false;
  readonly #client: ServerResponse;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #status = 0;
  #headers: OutgoingHttpHeaders = {};

  constructor(client: ServerResponse) {
    super();
    this.#client = client;
    client.on("drain", () => this.emit("drain"));
    // Nobody reads any more, so nothing is to be waited for.
    client.on("close", () => this.emit("drain"));
  }

  writeHead(status: number, headers: OutgoingHttpHeaders): this {
    this.#status = status;
    this.#headers = headers;
    if (this.#isThere) this.#client.writeHead(status, headers);
    return this;
  }

  write(bytes: Buffer): boolean {
    this.#keep(bytes);
    return this.#isThere ? this.#client.write(bytes) : true;
  }

  end(bytes?: Buffer | string): void {
    if (bytes !== undefined) this.#keep(Buffer.from(bytes));
    if (this.#isThere) this.#client.end(bytes);
  }

  flushHeaders(): void {
    if (this.#isThere) this.#client.flushHeaders();
  }

  destroy(): void {
    this.#client.destroy();
  }

  toCopy(): ReplyCopy {
    const body = this.#bytes <= MOST_BYTES ? Buffer.concat(this.#chunks) : undefined;
    return { status: this.#status, headers: this.#headers, body };
  }

  get #isThere(): boolean {
    return !this.#client.destroyed && !this.#client.writableEnded;
  }

  #keep(bytes: Buffer): void {
    this.#bytes += bytes.length;
    if (this.#bytes <= MOST_BYTES) this.#chunks.push(bytes);
    else this.#chunks.length = 0;
  }
}

export class ReplyCopies {
  readonly #copies = new Map<string, { hash: string; copy: Promise<ReplyCopy | undefined> }>();

  /** The reply to the first request of this name; undefined where there is none, or it failed. */
  async find(name: string, hash: string): Promise<ReplyCopy | undefined> {
    const known = this.#copies.get(name);
    if (!known) return undefined;
    if (known.hash !== hash)
      throw new TuttiError("conflict", "This idempotency key was used with another request.");
    return known.copy;
  }

  /** Repeats wait from now on, until what is returned is called; without a copy they try for themselves. */
  begin(name: string, hash: string): (copy: ReplyCopy | undefined) => void {
    let settle: (copy: ReplyCopy | undefined) => void = () => {};
    const copy = new Promise<ReplyCopy | undefined>((resolve) => {
      settle = resolve;
    });
    const entry = { hash, copy };
    this.#copies.set(name, entry);
    const forget = () => {
      if (this.#copies.get(name) === entry) this.#copies.delete(name);
    };
    if (this.#copies.size > MOST_COPIES) this.#copies.delete(this.#copies.keys().next().value!);
    return (made) => {
      settle(made);
      if (made) setTimeout(forget, KEPT_MS).unref();
      else forget();
    };
  }
}
