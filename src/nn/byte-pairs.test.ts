import fc from "fast-check";
import { expect, test } from "vitest";
import { learnMerges } from "./byte-pairs.ts";

test("merges are those of counting everything anew after each one", () => {
  const pieces = fc.array(
    fc.tuple(
      fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 9 }),
      fc.integer({ min: 1, max: 4 }),
    ),
  );
  fc.assert(
    fc.property(pieces, (list) => {
      const merges = learnMerges(new Map(list), { firstToken: 300, count: 12 });
      expect(merges).toEqual(countAnew(new Map(list), 300, 12));
    }),
    { seed: 3, numRuns: 500 },
  );
});

function countAnew(pieces: Map<string, number>, firstToken: number, count: number): number[][] {
  const words = [...pieces].map(([piece, times]) => ({ tokens: [...Buffer.from(piece)], times }));
  const merges: number[][] = [];
  while (merges.length < count) {
    const counts = new Map<string, number>();
    for (const { tokens, times } of words) {
      for (let i = 1; i < tokens.length; i++) {
        const pair = JSON.stringify([tokens[i - 1], tokens[i]]);
        counts.set(pair, (counts.get(pair) ?? 0) + times);
      }
    }
    const ranked = [...counts]
      .map(([pair, times]) => [-times, ...JSON.parse(pair)] as [number, number, number])
      .sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
    const best = ranked[0];
    if (best === undefined || best[0] > -2) break;
    for (const word of words)
      word.tokens = applyMerge(word.tokens, [best[1], best[2]], firstToken + merges.length);
    merges.push([best[1], best[2]]);
  }
  return merges;
}

function applyMerge(tokens: number[], [left, right]: readonly [number, number], joined: number): number[] {
  const result: number[] = [];
  for (const token of tokens) {
    // A pair that was just joined ends in `joined`, so "aaa" is joined from the left.
    if (token === right && result.at(-1) === left) result[result.length - 1] = joined;
    else result.push(token);
  }
  return result;
}

test("the most frequent pair comes first, of equal ones that of the lower tokens, and none that occurs once", () => {
  const [a, b, c, d] = [97, 98, 99, 100] as const;
  const options = { firstToken: 256, count: 10 };
  expect(
    learnMerges(
      new Map([
        ["cd", 3],
        ["ab", 3],
        ["bc", 4],
        ["da", 1],
      ]),
      options,
    ),
  ).toEqual([
    [b, c],
    [a, b],
    [c, d],
  ]);
  expect(learnMerges(new Map([["abc", 2]]), { firstToken: 300, count: 10 })).toEqual([
    [a, b],
    [300, c],
  ]);
  expect(learnMerges(new Map([["abc", 2]]), { firstToken: 300, count: 1 })).toEqual([[a, b]]);
});
