// Answers that were given, for requests that are the same to the letter (`gateway.responseCache`). In the memory of this
// process only, bounded in bytes and age, the least recently used leaving first. Who may be answered from here and what is
// the same is in place.ts; here are names and replies.

import type { Fields } from "../http/object-reader.ts";
import type { ReplyHead, ReplyOutcome } from "../types.ts";

/** An answer in our words, or the body of one model that was passed through. */
export type CachedReply = {
  runId: string;
  /** What the run took, and a hit does not. */
  costUsd: number;
} & (
  | { kind: "outcome"; head: Omit<ReplyHead, "request">; outcome: Omit<ReplyOutcome, "head"> }
  | { kind: "body"; body: Fields }
);

interface Entry {
  /** JSON: what is held is what is counted, and whoever gets a reply may change it. */
  text: string;
  runId: string;
  bytes: number;
  keptAt: number;
}

/** Beside the text: the name, the entry, its place in the map. */
const ENTRY_BYTES = 512;
/** One reply is at most this part of the room, so that none empties it. */
const LARGEST_SHARE = 1 / 4;

export class ResponseCache {
  readonly #ttlMs: number;
  readonly #maxBytes: number;
  readonly #now: () => number;
  /** The least recently used first. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor({ ttlMs, maxBytes }: { ttlMs: number; maxBytes: number }, now: () => number = Date.now) {
    this.#ttlMs = ttlMs;
    this.#maxBytes = maxBytes;
    this.#now = now;
  }

  find(name: string): CachedReply | undefined {
    const entry = this.#entries.get(name);
    if (!entry) return undefined;
    this.#entries.delete(name);
    if (this.#now() - entry.keptAt >= this.#ttlMs) {
      this.#bytes -= entry.bytes;
      return undefined;
    }
    this.#entries.set(name, entry);
    return JSON.parse(entry.text) as CachedReply;
  }

  keep(name: string, reply: CachedReply): void {
    this.#drop(name);
    const text = JSON.stringify(reply);
    // Text that is not Latin takes two bytes a character.
    const bytes = 2 * text.length + ENTRY_BYTES;
    if (bytes > this.#maxBytes * LARGEST_SHARE) return;
    this.#entries.set(name, { text, bytes, runId: reply.runId, keptAt: this.#now() });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#drop(oldest);
    }
  }

  /** The run was deleted: so is what was kept of it. */
  forget(runId: string): void {
    for (const [name, entry] of this.#entries) if (entry.runId === runId) this.#drop(name);
  }

  #drop(name: string): void {
    const entry = this.#entries.get(name);
    if (!entry) return;
    this.#entries.delete(name);
    this.#bytes -= entry.bytes;
  }
}
