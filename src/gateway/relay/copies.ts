// Relayed replies that were asked for with an idempotency key, kept for a while: a repeat waits for the first and
// gets the same bytes, and a client that leaves does not end what it may come back for. In memory only: after a
// restart a repeat is a new request. The bytes are bounded, for each key and in all: where there is no room, the oldest
// are dropped, and a repeat of those hears that they were answered.

import { EventEmitter } from "node:events";
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { TuttiError } from "../../base/errors.ts";
import { MOST_COPIED_BYTES, MOST_COPIED_BYTES_OF_KEY } from "../access/request-limits.ts";
import type { RelayedTo } from "./types.ts";

const KEPT_MS = 600_000;
const MOST_BYTES = 4 * 1_048_576;
/** Of one key: an entry without its bytes is small, and a repeat comes within seconds. */
const MOST_COPIES_OF_KEY = 1_000;

export interface ReplyCopy {
  status: number;
  headers: OutgoingHttpHeaders;
  /** Undefined: it was too large to keep, or others took its place. */
  body: Buffer | undefined;
}

/** Stands in the place of the client's response, writes on to it as long as it is there, and keeps a copy. */
export class CopiedResponse extends EventEmitter implements RelayedTo {
  readonly destroyed = false;
  readonly #client: ServerResponse;
  readonly #kept: KeptBytes;
  #status = 0;
  #headers: OutgoingHttpHeaders = {};

  constructor(client: ServerResponse, kept: KeptBytes) {
    super();
    this.#client = client;
    this.#kept = kept;
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
    this.#kept.add(bytes);
    return this.#isThere ? this.#client.write(bytes) : true;
  }

  end(bytes?: Buffer | string): void {
    if (bytes !== undefined) this.#kept.add(typeof bytes === "string" ? Buffer.from(bytes) : bytes);
    if (this.#isThere) this.#client.end(bytes);
  }

  flushHeaders(): void {
    if (this.#isThere) this.#client.flushHeaders();
  }

  destroy(): void {
    this.#client.destroy();
  }

  toCopy(): ReplyCopy {
    return { status: this.#status, headers: this.#headers, body: this.#kept.toBuffer() };
  }

  get #isThere(): boolean {
    return !this.#client.destroyed && !this.#client.writableEnded;
  }
}

/** The bytes of one reply, while they come and afterwards, until somebody needs their room. */
export class KeptBytes {
  readonly #account: CopyAccount;
  readonly #onDrop: () => void;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #isDropped = false;

  constructor(account: CopyAccount, onDrop: () => void = () => {}) {
    this.#account = account;
    this.#onDrop = onDrop;
  }

  add(chunk: Buffer): void {
    if (this.#isDropped) return;
    if (this.#bytes + chunk.length > MOST_BYTES || !this.#account.take(chunk.length, this)) {
      this.drop();
      return;
    }
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
  }

  toBuffer(): Buffer | undefined {
    if (this.#isDropped) return undefined;
    const whole = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
    this.#chunks = []; // held once, by the copy
    return whole;
  }

  drop(): void {
    if (this.#isDropped) return;
    this.#isDropped = true;
    this.#account.giveBack(this.#bytes, this);
    this.#chunks = [];
    this.#onDrop();
  }
}

/** Who keeps how much, the oldest first; an account may be a part of a larger one. */
class CopyAccount {
  readonly #most: number;
  readonly #whole: CopyAccount | undefined;
  readonly #kept = new Set<KeptBytes>();
  #bytes = 0;

  constructor(most: number, whole?: CopyAccount) {
    this.#most = most;
    this.#whole = whole;
  }

  get isEmpty(): boolean {
    return this.#kept.size === 0;
  }

  /** False where even without all others there is no room. */
  take(bytes: number, by: KeptBytes): boolean {
    while (this.#bytes + bytes > this.#most) {
      const oldest = this.#kept.values().next().value;
      if (!oldest || oldest === by) return false;
      oldest.drop();
    }
    if (this.#whole && !this.#whole.take(bytes, by)) return false;
    this.#bytes += bytes;
    this.#kept.add(by);
    return true;
  }

  giveBack(bytes: number, by: KeptBytes): void {
    this.#bytes -= bytes;
    this.#kept.delete(by);
    this.#whole?.giveBack(bytes, by);
  }
}

interface KeptReply {
  hash: string;
  copy: Promise<ReplyCopy | undefined>;
}

interface BegunReply {
  /** For `CopiedResponse`. */
  kept: KeptBytes;
  /** Repeats wait until this is called; without a copy they try for themselves. */
  settle(copy: ReplyCopy | undefined): void;
}

export class ReplyCopies {
  readonly #byKey = new Map<string, { replies: Map<string, KeptReply>; account: CopyAccount }>();
  readonly #whole = new CopyAccount(MOST_COPIED_BYTES);

  /** The reply to the first request of this name; undefined where there is none, or it failed. */
  async find(keyId: string | undefined, name: string, hash: string): Promise<ReplyCopy | undefined> {
    const known = this.#byKey.get(keyId ?? "")?.replies.get(name);
    if (!known) return undefined;
    if (known.hash !== hash)
      throw new TuttiError("conflict", "This idempotency key was used with another request.");
    return known.copy;
  }

  begin(keyId: string | undefined, name: string, hash: string): BegunReply {
    const { replies, account } = this.#ofKey(keyId ?? "");
    let made: ReplyCopy | undefined;
    const kept = new KeptBytes(account, () => {
      if (made) made.body = undefined;
    });
    let resolve: (copy: ReplyCopy | undefined) => void = () => {};
    const copy = new Promise<ReplyCopy | undefined>((settled) => {
      resolve = settled;
    });
    const reply = { hash, copy };
    replies.set(name, reply);
    const forget = () => {
      kept.drop();
      if (replies.get(name) === reply) replies.delete(name);
      if (replies.size === 0 && account.isEmpty) this.#byKey.delete(keyId ?? "");
    };
    if (replies.size > MOST_COPIES_OF_KEY) replies.delete(replies.keys().next().value!);
    return {
      kept,
      settle(copied) {
        made = copied;
        resolve(copied);
        if (copied) setTimeout(forget, KEPT_MS).unref();
        else forget();
      },
    };
  }

  #ofKey(keyId: string) {
    const known = this.#byKey.get(keyId);
    if (known) return known;
    const account = new CopyAccount(MOST_COPIED_BYTES_OF_KEY, this.#whole);
    const made = { replies: new Map<string, KeptReply>(), account };
    this.#byKey.set(keyId, made);
    return made;
  }
}
