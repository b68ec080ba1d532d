// How often a key may ask what there is: lists, runs, bills, the pool. A bucket of its own, beside the key's rate of
// questions, which cost money and have their own limits. What was sent is counted too, after it was sent: a key that
// asked for much waits until its bucket is full again. Without keys there is one user, and nobody to protect from it.

import { TuttiError } from "../../base/errors.ts";
import type { Connection } from "../../http/connection.ts";
import type { GatewayKey } from "./keys.ts";
import { Places } from "./places.ts";
import { MOST_READS_AT_ONCE, READ_BURST, READ_UNIT_BYTES, READS_PER_SECOND } from "./request-limits.ts";

interface Bucket {
  /** Below zero: more was sent than there was. */
  tokens: number;
  filledAt: number;
}

export class ReadLimit {
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();
  readonly #places = new Places(MOST_READS_AT_ONCE, "requests of this API key that only read");

  constructor(now: () => number = performance.now.bind(performance)) {
    this.#now = now;
  }

  /** Throws "rate-limited" (429). Its place is free when the answer begins. */
  enter(connection: Connection, key: GatewayKey | undefined): void {
    if (!key) return;
    const bucket = this.#fill(key.id);
    if (bucket.tokens < 1)
      throw new TuttiError(
        "rate-limited",
        `API key "${key.name}" reads more than ${READS_PER_SECOND} times a second, or too much.`,
        { retryAfterMs: ((1 - bucket.tokens) / READS_PER_SECOND) * 1000 },
      );
    const leave = this.#places.take(key.id);
    bucket.tokens--;
    const { socket } = connection.incoming;
    const before = socket.bytesWritten;
    connection.onBegin = leave;
    connection.outgoing.once("close", () => {
      leave();
      this.#fill(key.id).tokens -= Math.floor((socket.bytesWritten - before) / READ_UNIT_BYTES);
    });
  }

  #fill(name: string): Bucket {
    const now = this.#now();
    const bucket = this.#buckets.get(name) ?? { tokens: READ_BURST, filledAt: now };
    bucket.tokens = Math.min(READ_BURST, bucket.tokens + ((now - bucket.filledAt) / 1000) * READS_PER_SECOND);
    bucket.filledAt = now;
    this.#buckets.set(name, bucket);
    return bucket;
  }
}
