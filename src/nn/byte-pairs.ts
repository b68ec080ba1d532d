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
  for (const [index, { tokens, times }] of words.entries()) pairs.add(tokens, times, index);
  const merges: Merge[] = [];
  while (merges.length < options.count) {
    const best = pairs.findMostFrequent();
    if (!best || best.times < 2) break;
    const pair = [Math.floor(best.key / MAX_VOCABULARY), best.key % MAX_VOCABULARY] as const;
    const joined = options.firstToken + merges.length;
    merges.push(pair);
    for (const index of pairs.holdersOf(best.key)) {
      const word = words[index]!;
      const tokens = joinPair(word.tokens, pair, joined);
      pairs.add(word.tokens, -word.times, index);
      pairs.add(tokens, word.times, index);
      word.tokens = tokens;
    }
  }
  return merges;
}

function joinPair(tokens: readonly number[], [left, right]: Merge, joined: number): number[] {
  const result: number[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const isPair = tokens[i] === left && tokens[i + 1] === right;
    result.push(isPair ? joined : tokens[i]!);
    if (isPair) i++;
  }
  return result;
}

/** How often each pair occurs, and in which words: kept, so that a merge only visits the words it changes. */
class PairCounts {
  readonly #times = new Map<number, number>();
  readonly #holders = new Map<number, Set<number>>();

  add(tokens: readonly number[], times: number, word: number): void {
    for (let i = 0; i + 1 < tokens.length; i++) {
      const key = toPairKey(tokens[i]!, tokens[i + 1]!);
      const total = (this.#times.get(key) ?? 0) + times;
      if (total === 0) this.#times.delete(key);
      else this.#times.set(key, total);
      if (times < 0) continue;
      const holders = this.#holders.get(key);
      if (holders) holders.add(word);
      else this.#holders.set(key, new Set([word]));
    }
  }

  /** A copy: words are changed while it is read. Some may have lost the pair since. */
  holdersOf(key: number): number[] {
    return [...(this.#holders.get(key) ?? [])];
  }

  /** Of equally frequent ones the lowest key, which is the one with the lower tokens. */
  findMostFrequent(): { key: number; times: number } | undefined {
    let best: { key: number; times: number } | undefined;
    for (const [key, times] of this.#times)
      if (!best || times > best.times || (times === best.times && key < best.key)) best = { key, times };
    return best;
  }
}
