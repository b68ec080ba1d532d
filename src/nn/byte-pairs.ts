// Byte pairs: which pairs of tokens a vocabulary joins, learned from how often pieces of text occur.
// Apart from the tokenizer because it runs once, before a training; encoding and decoding run always.

export type Merge = readonly [left: number, right: number];

/** Vocabularies stay below this, so that a pair of tokens is one whole number. */
export const MAX_VOCABULARY = 65_536;

export function toPairKey(left: number, right: number): number {
  return left * MAX_VOCABULARY + right;
}

/**
 * Joins the most frequent pair again and again, at most `count` times. Of equally frequent pairs the one with
 * the lower tokens wins, so the result depends on the counts alone and not on the order of the pieces.
 * Stops early where no pair occurs twice: joining what was seen once would only learn the texts by heart.
 */
export function learnMerges(
  pieces: ReadonlyMap<string, number>,
  options: { firstToken: number; count: number },
): Merge[] {
  const words = [...pieces].map(([piece, times]) => ({
    tokens: [...new TextEncoder().encode(piece)],
    times,
  }));
  const pairs = new PairCounts();
  words.forEach((word, index) => {
    pairs.add(word.tokens, word.times, index);
  });

  const merges: Merge[] = [];
  for (let best = pairs.takeMostFrequent(); best !== undefined; best = pairs.takeMostFrequent()) {
    if (best.times < 2 || merges.length >= options.count) break;
    const joined = options.firstToken + merges.length;
    merges.push([best.left, best.right]);
    for (const index of pairs.holders(best)) {
      const word = words[index]!;
      const tokens = joinPair(word.tokens, best, joined);
      // A word is listed once for each time it gained the pair, and may have lost it since.
      if (tokens.length === word.tokens.length) continue;
      pairs.add(word.tokens, -word.times, index);
      pairs.add(tokens, word.times, index);
      word.tokens = tokens;
    }
  }
  return merges;
}

function joinPair(
  tokens: readonly number[],
  pair: { left: number; right: number },
  joined: number,
): number[] {
  const result: number[] = [];
  for (let i = 0; i < tokens.length; i++) {
    if (tokens[i] === pair.left && tokens[i + 1] === pair.right) {
      result.push(joined);
      i++;
    } else {
      result.push(tokens[i]!);
    }
  }
  return result;
}

interface CountedPair {
  left: number;
  right: number;
  times: number;
}

/**
 * How often each pair occurs, and in which words. The heap is lazy: it may hold outdated entries, which are
 * corrected when they come to the top; every pair with a rising count gets a new entry, so none is missed.
 */
class PairCounts {
  readonly #times = new Map<number, number>();
  readonly #holders = new Map<number, number[]>();
  readonly #heap: CountedPair[] = [];
  /** Pairs whose count rose since the last take, so that each is put on the heap once. */
  readonly #risen = new Set<number>();

  add(tokens: readonly number[], times: number, word: number): void {
    for (let i = 0; i + 1 < tokens.length; i++) {
      const key = toPairKey(tokens[i]!, tokens[i + 1]!);
      this.#times.set(key, (this.#times.get(key) ?? 0) + times);
      if (times < 0) continue;
      this.#risen.add(key);
      const holders = this.#holders.get(key);
      if (holders === undefined) this.#holders.set(key, [word]);
      else if (holders.at(-1) !== word) holders.push(word);
    }
  }

  /** A copy: words that are changed while it is read do not change it. */
  holders(pair: CountedPair): number[] {
    return [...(this.#holders.get(toPairKey(pair.left, pair.right)) ?? [])];
  }

  takeMostFrequent(): CountedPair | undefined {
    for (const key of this.#risen) this.#push(key, this.#times.get(key)!);
    this.#risen.clear();
    for (let top = this.#pop(); top !== undefined; top = this.#pop()) {
      const key = toPairKey(top.left, top.right);
      const times = this.#times.get(key)!;
      if (times === top.times) return times > 0 ? top : undefined;
      if (times > 0 && times < top.times) this.#push(key, times);
    }
    return undefined;
  }

  #push(key: number, times: number): void {
    const heap = this.#heap;
    const entry = { left: Math.floor(key / MAX_VOCABULARY), right: key % MAX_VOCABULARY, times };
    let place = heap.length;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!isBefore(entry, heap[parent]!)) break;
      heap[place] = heap[parent]!;
      place = parent;
    }
    heap[place] = entry;
  }

  #pop(): CountedPair | undefined {
    const heap = this.#heap;
    const top = heap[0];
    const last = heap.pop();
    if (top === undefined || last === undefined || heap.length === 0) return top;
    let place = 0;
    for (let child = 1; child < heap.length; child = 2 * place + 1) {
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, last)) break;
      heap[place] = heap[child]!;
      place = child;
    }
    heap[place] = last;
    return top;
  }
}

function isBefore(a: CountedPair, b: CountedPair): boolean {
  if (a.times !== b.times) return a.times > b.times;
  return a.left !== b.left ? a.left < b.left : a.right < b.right;
}
