// What runs hold in memory while they are performed: a conversation is far larger than the request that goes on from it,
// and one in the background outlives its connection. So it is counted apart from bodies on their way in (uploads.ts).

import { TuttiError } from "../../base/errors.ts";
import { createGrowingList } from "../../base/growing-fold.ts";
import type { GatewayKey } from "./keys.ts";
import { MOST_BYTES_IN_FLIGHT, MOST_BYTES_OF_KEY } from "./request-limits.ts";

const RETRY_MS = 1_000;

export class HeldBytes {
  readonly #byKey = new Map<string, number>();
  #bytes = 0;

  /** Throws "rate-limited" (429) or "overloaded" (503), but never for the only one. */
  check(key: GatewayKey | undefined, bytes: number): void {
    const ofKey = this.#byKey.get(key?.id ?? "") ?? 0;
    const retryAfterMs = RETRY_MS;
    if (key && ofKey > 0 && ofKey + bytes > MOST_BYTES_OF_KEY) {
      const message = `The conversations of this API key that are being answered have ${toMb(MOST_BYTES_OF_KEY)}. Wait for some of them.`;
      throw new TuttiError("rate-limited", message, { retryAfterMs });
    }
    if (this.#bytes > 0 && this.#bytes + bytes > MOST_BYTES_IN_FLIGHT) {
      const message = `The conversations that are being answered here have ${toMb(MOST_BYTES_IN_FLIGHT)}.`;
      throw new TuttiError("overloaded", message, { retryAfterMs });
    }
  }

  /** The same; then it is held. Call what is returned when it is over; again is no matter. */
  take(key: GatewayKey | undefined, bytes: number): () => void {
    this.check(key, bytes);
    const name = key?.id ?? "";
    this.#add(name, bytes);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#add(name, -bytes);
    };
  }

  #add(name: string, bytes: number): void {
    this.#bytes += bytes;
    const left = (this.#byKey.get(name) ?? 0) + bytes;
    if (left > 0) this.#byKey.set(name, left);
    else this.#byKey.delete(name);
  }
}

/** The text inside of plain data, in characters: about what it takes in memory. */
export function sizeOf(data: unknown): number {
  let size = 0;
  const waiting: object[] = [];
  const count = (value: unknown) => {
    if (typeof value === "string") size += value.length;
    else if (typeof value === "object" && value !== null) waiting.push(value);
  };
  count(data);
  for (let parent = waiting.pop(); parent !== undefined; parent = waiting.pop()) {
    if (Array.isArray(parent)) for (const item of parent) count(item);
    else for (const name in parent) count((parent as Record<string, unknown>)[name]);
  }
  return size;
}

/** The same of what never changes (events of the journal, messages): of a conversation that goes on, only the new ones are counted. */
export function sizeOfAll(items: readonly object[]): number {
  let size = 0;
  for (const own of toSizes(items)) size += own;
  return size;
}

const toSizes = createGrowingList((item: object) => [knownSizeOf(item)]);
const knownSizes = new WeakMap<object, number>();

function knownSizeOf(item: object): number {
  const size = knownSizes.get(item) ?? sizeOf(item);
  knownSizes.set(item, size);
  return size;
}

function toMb(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}
