// Seeded randomness. Everything random in the project comes from here, so that a run, a rollout or a test
// can be repeated from its seed. Not for secrets.

export interface Random {
  /** In [0, 1). */
  next(): number;
  /** A whole number from `min` to `max`, both included. */
  integer(min: number, max: number): number;
  /** One of the items, which must not be empty. */
  pick<T>(items: readonly T[]): T;
  /** A shuffled copy. */
  shuffle<T>(items: readonly T[]): T[];
  /** Standard normal: mean 0, deviation 1. */
  normal(): number;
}

export function createRandom(seed: number | string): Random {
  return new SmallFastCounter(hashSeed(seed));
}

/**
 * A stable 32-bit hash of numbers and texts: equal parts give an equal hash on every machine.
 * Parts do not run together: ("ab", "c") differs from ("a", "bc"), and 1 from "1".
 */
export function hashSeed(...parts: (string | number)[]): number {
  return hashAll(parts);
}

/** The same of however many parts: a call takes only some ten thousand arguments. */
export function hashAll(parts: Iterable<string | number>): number {
  let hash = 0x2545f491;
  for (const part of parts) {
    if (typeof part === "number" && (part | 0) === part) {
      hash = scramble(Math.imul(hash ^ part, 0x9e3779b1) + 0x3c6ef372);
      continue;
    }
    const text = String(part);
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    const tag = typeof part === "string" ? 0x51ed270b : 0x1b873593;
    hash = scramble(hash ^ Math.imul(text.length + 1, tag));
  }
  return scramble(hash) >>> 0;
}

/** Every bit of the input moves about half of the bits of the result. */
function scramble(value: number): number {
  let mixed = value ^ (value >>> 16);
  mixed = Math.imul(mixed, 0x7feb352d);
  mixed ^= mixed >>> 15;
  mixed = Math.imul(mixed, 0x846ca68b);
  return mixed ^ (mixed >>> 16);
}

/** The generator "sfc32": three chaotic words and a counter, so no seed falls into a short cycle. */
class SmallFastCounter implements Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number) {
    this.#a = scramble(seed + 0x9e3779b9);
    this.#b = scramble(seed ^ 0x85ebca6b);
    this.#c = seed | 0;
    for (let i = 0; i < 8; i++) this.next();
  }

  next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 0x1_0000_0000;
  }

  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.next() * items.length)] as T;
  }

  shuffle<T>(items: readonly T[]): T[] {
    const copy = [...items];
    for (let i = copy.length - 1; i > 0; i--) {
      const j = this.integer(0, i);
      [copy[i], copy[j]] = [copy[j] as T, copy[i] as T];
    }
    return copy;
  }

  normal(): number {
    // 1 − next() is never 0, so the logarithm is finite.
    return Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
  }
}
