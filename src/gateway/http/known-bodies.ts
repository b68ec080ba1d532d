// Bodies of conversations that were read lately. An agent sends the same conversation with every turn, a little longer: what
// begins like an earlier body, byte for byte, is not parsed again, and its messages are the same objects as before, so that
// whoever has read them knows them. Bounded in bytes and in time; the oldest are forgotten. Nobody may change what was parsed.

import { createHash, type Hash } from "node:crypto";
import type { Fields } from "./object-reader.ts";

/** The one long list of a body, item by item: what came before an item's end is known by its place. */
export interface BodyList {
  /** "messages" or "input". */
  name: string;
  /** Behind its opening bracket. */
  start: number;
  /** Behind each item: its place, and how many values the body had up to there. */
  ends: { at: number; values: number }[];
}

interface KnownBody {
  raw: Buffer;
  list: BodyList;
  items: Fields[];
  /** About what it takes in memory: its bytes, and more for each of its values. */
  size: number;
  usedAt: number;
  /** SHA-256 of the salt and of the bytes up to a place that the next turn has, too. */
  hashed?: { salt: string; at: number; state: Hash };
}

/** What a body shares with an earlier one: the beginning of its list up to the last item that is the same. */
export interface Beginning {
  list: BodyList;
  items: Fields[];
}

/** Shorter ones are parsed before anything could be looked up. */
const LEAST_BYTES = 16_384;
const MOST_BYTES = 64_000_000;
/** A body may be made of little else than empty objects. */
const VALUE_BYTES = 128;
const MOST_BODIES = 256;
const KEPT_MS = 600_000;
/** Those that begin alike are compared: a key's agents share their instructions. */
const MOST_ALIKE = 8;
const NAME_BYTES = 128;
const STRIDE_BYTES = 65_536;
/** So few items at the end may differ in a body that takes the place of an earlier one: agents move their cache marks. */
const MOST_CHANGED = 8;

export class KnownBodies {
  /** By the owner and how they begin, oldest first. */
  readonly #bodies = new Map<string, KnownBody[]>();
  readonly #now: () => number;
  #bytes = 0;
  #count = 0;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** The longest beginning that a body of this owner had; undefined where none is worth anything. */
  find(owner: string, raw: Buffer): Beginning | undefined {
    if (raw.length < LEAST_BYTES) return undefined;
    let found: Beginning | undefined;
    for (const known of this.#bodies.get(toName(owner, raw)) ?? []) {
      if (known.usedAt < this.#now() - KEPT_MS) continue;
      const { list, items } = known;
      const common = commonLength(known.raw, raw);
      const count = countUpTo(list.ends, common);
      if (count === 0 || count <= (found?.items.length ?? 0)) continue;
      known.usedAt = this.#now();
      found = { list: { ...list, ends: list.ends.slice(0, count) }, items: items.slice(0, count) };
    }
    return found;
  }

  /** `list` is undefined where the body has none, or one of other things than objects. */
  keep(owner: string, raw: Buffer, body: Fields, list: BodyList | undefined): void {
    const items = list && (body[list.name] as Fields[]);
    const size = raw.length + VALUE_BYTES * (list?.ends.at(-1)?.values ?? 0);
    if (!list || !items || raw.length < LEAST_BYTES || size > MOST_BYTES) return;
    const name = toName(owner, raw);
    const alike = this.#bodies.get(name) ?? [];
    // The conversation has gone on: what it was before nobody will send again.
    const isBefore = (other: KnownBody) => {
      const least = other.items.length - MOST_CHANGED;
      return (
        items.length >= other.items.length &&
        other.items.every((item, at) => at >= least || item === items[at])
      );
    };
    const kept = alike.filter((other) => !isBefore(other)).slice(1 - MOST_ALIKE);
    const hashed = alike.findLast((other) => !kept.includes(other) && isBefore(other))?.hashed;
    for (const other of alike) if (!kept.includes(other)) this.#subtract(other);
    // Behind the others: the map is in the order of the last use.
    this.#bodies.delete(name);
    this.#bodies.set(name, [...kept, { raw, list, items, size, usedAt: this.#now(), hashed }]);
    this.#bytes += size;
    this.#count += 1;
    this.#forgetOld();
  }

  /** SHA-256 of the salt, a line end and the body: of a conversation that goes on, only of what is new. */
  digest(owner: string, raw: Buffer, salt: string): string {
    const known = this.#bodies.get(toName(owner, raw))?.find((each) => each.raw === raw);
    const before = known?.hashed?.salt === salt ? known.hashed : undefined;
    const state = before ? before.state.copy() : createHash("sha256").update(`${salt}\n`);
    let from = before?.at ?? 0;
    const { at } = known?.list.ends[known.items.length - MOST_CHANGED - 1] ?? { at: 0 };
    if (known && at > from) {
      state.update(raw.subarray(from, at));
      known.hashed = { salt, at, state: state.copy() };
      from = at;
    }
    return state.update(raw.subarray(from)).digest("hex");
  }

  #forgetOld(): void {
    const before = this.#now() - KEPT_MS;
    for (const [name, alike] of this.#bodies) {
      const isFull = this.#bytes > MOST_BYTES || this.#count > MOST_BODIES;
      const kept = alike.filter(({ usedAt }) => usedAt >= before).slice(isFull ? 1 : 0);
      for (const other of alike) if (!kept.includes(other)) this.#subtract(other);
      if (kept.length === 0) this.#bodies.delete(name);
      else if (kept.length < alike.length) this.#bodies.set(name, kept);
    }
  }

  #subtract({ size }: KnownBody): void {
    this.#bytes -= size;
    this.#count -= 1;
  }
}

function toName(owner: string, raw: Buffer): string {
  return `${owner} ${raw.toString("latin1", 0, NAME_BYTES)}`;
}

/** How many bytes two bodies begin with alike. */
function commonLength(a: Buffer, b: Buffer): number {
  const most = Math.min(a.length, b.length);
  const isSame = (from: number, to: number) => a.compare(b, from, to, from, to) === 0;
  let at = 0;
  while (at < most && isSame(at, Math.min(most, at + STRIDE_BYTES))) at = Math.min(most, at + STRIDE_BYTES);
  let end = Math.min(most, at + STRIDE_BYTES);
  // The first byte that differs is in between.
  while (end - at > 0) {
    const middle = at + Math.ceil((end - at) / 2);
    if (isSame(at, middle)) at = middle;
    else end = middle - 1;
  }
  return at;
}

/** How many items end within the first bytes. */
function countUpTo(ends: readonly { at: number }[], bytes: number): number {
  let count = ends.length;
  while (count > 0 && ends[count - 1]!.at > bytes) count--;
  return count;
}
