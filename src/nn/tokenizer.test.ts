import fc from "fast-check";
import { expect, test } from "vitest";
import { isTuttiError } from "../base/errors.ts";
import { createRandom } from "../base/random.ts";
import { startCpuClock } from "../testing/cpu-clock.ts";
import { fromTokenizerJson, type Tokenizer, trainTokenizer } from "./tokenizer.ts";

const LITERALS = ["<free>", "<free>]", "[", "a|b", "é", " all", "\\d+.*", "{0,1}/-"];
const TEXTS = makeTexts(300, 7);
const tokenizer = trainTokenizer(TEXTS, { size: 400, literals: LITERALS });
const plain = trainTokenizer(TEXTS, { size: 400, literals: [] });

/** Sentences of made-up words, some far more frequent than others, with numbers and signs. */
function makeTexts(count: number, seed: number, wordCount = 200): string[] {
  const random = createRandom(seed);
  const word = () =>
    Array.from(
      { length: random.integer(2, 9) },
      () => "etaoinshrdlu"[Math.floor(12 * random.next() ** 2)],
    ).join("");
  const words = Array.from({ length: wordCount }, word);
  const sentence = () =>
    Array.from({ length: 20 }, () => words[Math.floor(wordCount * random.next() ** 3)]).join(" ");
  return Array.from({ length: count }, () => `${sentence()} ${random.integer(0, 99_999)}?! <free>\n`);
}

const throughUtf8 = (text: string) =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(new TextEncoder().encode(text));

/** Each token as text, to see where a text was cut. */
const toPieces = (which: Tokenizer, text: string) => which.encode(text).map((token) => which.decode([token]));

const anyText = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary" }),
  fc
    .array(
      fc.constantFrom(
        ...LITERALS,
        "<fre",
        "e>",
        "tea",
        " tea",
        "42",
        " ",
        "\n",
        "\u0000",
        "👩‍👩‍👧",
        "\ufeff",
      ),
    )
    .map((x) => x.join("")),
  fc.constantFrom(...TEXTS),
);

test("every text comes back as it was, with literals inside or without", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      for (const which of [tokenizer, plain]) {
        const tokens = which.encode(text);
        expect(which.decode(tokens)).toBe(text);
        expect(tokens.every((token) => Number.isInteger(token) && token >= 0 && token < which.size)).toBe(
          true,
        );
      }
    }),
    { seed: 1, numRuns: 500 },
  );
});

test("a lone surrogate comes back as U+FFFD, and changes nothing around it", () => {
  const halves = fc
    .array(fc.constantFrom("\ud83d", "\ude00", "a", "<free>", " ", "😀"))
    .map((x) => x.join(""));
  fc.assert(
    fc.property(halves, (text) => {
      expect(tokenizer.decode(tokenizer.encode(text))).toBe(throughUtf8(text));
    }),
    { seed: 2 },
  );
  expect(tokenizer.decode(tokenizer.encode("a\ud83db"))).toBe("a\ufffdb");
});

test("a literal is one token wherever it occurs, and the longest one is taken", () => {
  expect(tokenizer.encode("<free>")).toEqual([tokenizer.literal("<free>")]);
  expect(tokenizer.encode("x<free>]y")).toEqual([
    "x".charCodeAt(0),
    tokenizer.literal("<free>]"),
    "y".charCodeAt(0),
  ]);
  for (const literal of LITERALS)
    expect(tokenizer.encode(`7${literal}7`)).toEqual([55, tokenizer.literal(literal), 55]);
  expect(tokenizer.encode("<free")).not.toContain(tokenizer.literal("<free>"));
  expect(() => tokenizer.literal("<fre>")).toThrow(/No literal "<fre>".*"<free>"/);
});

test("digits stay single, words keep their space, and tokens never cross from one to the other", () => {
  const texts = Array.from(
    { length: 50 },
    () => "the team has 2024 members, the team has 2024 plans...\n  the end",
  );
  const trained = trainTokenizer(texts, { size: 600, literals: [] });
  expect(toPieces(trained, " the team 2024,  members...\n\n the")).toEqual([
    " the",
    " team",
    " ",
    "2",
    "0",
    "2",
    "4",
    ",",
    " ",
    " members",
    "...",
    "\n",
    "\n",
    " the",
  ]);
  for (let token = 256; token < trained.size; token++) {
    expect(trained.decode([token])).toMatch(/^( ?\p{L}+|[^\s\p{L}\p{N}]+|\s+)$/u);
  }
});

test("frequent words become one token and texts of the domain become short", () => {
  expect(tokenizer.size).toBe(400);
  const text = TEXTS.join("");
  expect(tokenizer.encode(text).length).toBeLessThan(text.length / 1.8);
});

function applyMerge(tokens: number[], [left, right]: readonly [number, number], joined: number): number[] {
  const result: number[] = [];
  for (const token of tokens) {
    // A pair that was just joined ends in `joined`, so "aaa" is joined from the left.
    if (token === right && result.at(-1) === left) result[result.length - 1] = joined;
    else result.push(token);
  }
  return result;
}

test("encoding a piece is applying all merges in the order they were learned", () => {
  const { merges } = plain.toJson();
  const word = fc.string({ unit: fc.constantFrom(..."etaoinshr"), minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(word, (text) => {
      const expected = merges.reduce(
        (tokens, merge, i) => applyMerge(tokens, merge, 256 + i),
        [...Buffer.from(text)],
      );
      expect(plain.encode(text)).toEqual(expected);
    }),
    { seed: 4, numRuns: 300 },
  );
});

test("the vocabulary depends on the texts and not on their order", () => {
  const options = { size: 400, literals: LITERALS };
  const shuffled = trainTokenizer(createRandom(3).shuffle(TEXTS), options).toJson();
  expect(shuffled).toEqual(tokenizer.toJson());
  expect(trainTokenizer(makeTexts(300, 8), options).toJson()).not.toEqual(tokenizer.toJson());
});

test("too few pairs give a smaller vocabulary", () => {
  expect(trainTokenizer(["abcd"], { size: 1000, literals: ["x"] }).size).toBe(257);
  expect(trainTokenizer(["ab ab"], { size: 1000, literals: [] }).toJson().merges).toEqual([[97, 98]]);
  expect(trainTokenizer([], { size: 256, literals: [] }).encode("é")).toEqual([0xc3, 0xa9]);
});

test("a tokenizer read from its file encodes the same", () => {
  const again = fromTokenizerJson(JSON.parse(JSON.stringify(tokenizer.toJson())));
  expect(again.size).toBe(tokenizer.size);
  fc.assert(
    fc.property(anyText, (text) => {
      expect(again.encode(text)).toEqual(tokenizer.encode(text));
    }),
    { seed: 5 },
  );
});

const good = {
  format: "tutti-tokenizer",
  version: 1,
  literals: ["<x>"],
  merges: [
    [97, 98],
    [257, 99],
  ],
};
const doubling = Array.from({ length: 60 }, (_, i) => (i === 0 ? [97, 97] : [256 + i, 256 + i]));

test.each([
  ["another format", { ...good, format: "gpt" }, /not a "tutti-tokenizer" file/],
  ["no object", "tokens", /not a "tutti-tokenizer" file/],
  ["another version", { ...good, version: 2 }, /version 2, and this program reads 1/],
  ["no merges", { ...good, merges: undefined }, /merges/],
  ["a merge of three", { ...good, merges: [[1, 2, 3]] }, /merges\.0/],
  [
    "a merge of a later token",
    {
      ...good,
      merges: [
        [97, 98],
        [258, 99],
      ],
    },
    /merge 1 joins 258 and 99/,
  ],
  ["a merge of a literal", { ...good, merges: [[97, 256]] }, /merge 0 joins 97 and 256/],
  [
    "a merge twice",
    {
      ...good,
      merges: [
        [97, 98],
        [97, 98],
      ],
    },
    /merge 1 joins 97 and 98 a second time/,
  ],
  ["merges that double without end", { ...good, merges: doubling }, /merge 8 is longer than 256 bytes/],
  ["an empty literal", { ...good, literals: [""] }, /literal is empty/],
  ["a literal twice", { ...good, literals: ["a", "a"] }, /"a" is there twice/],
])("a broken file is refused: %s", (_, json, message) => {
  expect(fromTokenizerJson(good).encode("abc<x>")).toEqual([258, 256]);
  const error = thrownBy(() => fromTokenizerJson(json));
  expect(isTuttiError(error) && error.code).toBe("bad-tokenizer");
  expect(String(error)).toMatch(message);
});

test("sizes, literals and tokens that cannot be are refused with what would be right", () => {
  expect(() => trainTokenizer([], { size: 257, literals: ["a", "b"] })).toThrow(/257 tokens.*from 258/);
  expect(() => trainTokenizer([], { size: 300, literals: ["\ud83d"] })).toThrow(/half a character/);
  expect(() => tokenizer.decode([97, 400])).toThrow(/Token 400.*0 to 399/);
  expect(() => tokenizer.decode([-1])).toThrow(/Token -1/);
});

// Retried, because the clock also counts what else the machine does.
test("a megabyte of hostile text takes under a second", { retry: 2 }, () => {
  const random = createRandom(9);
  const megabyte = 1_000_000;
  const letters = Array.from({ length: megabyte }, () => random.pick([..."etaoinshrdlu"])).join("");
  const gothic = Array.from({ length: megabyte / 4 }, () => random.pick(["𐌰", "𐌱", "𐌲"])).join("");
  const hostile = [letters, gothic, " ".repeat(megabyte), "a".repeat(megabyte), "<fre".repeat(megabyte / 4)];
  for (const text of hostile) {
    const cpuMs = startCpuClock();
    const tokens = tokenizer.encode(text);
    expect(cpuMs()).toBeLessThan(1000);
    expect(tokenizer.decode(tokens) === text).toBe(true);
  }
});

test("20,000 short texts give 2,048 tokens well within ten seconds", () => {
  const texts = makeTexts(20_000, 11, 5000);
  const cpuMs = startCpuClock();
  const trained = trainTokenizer(texts, { size: 2048, literals: LITERALS });
  expect(cpuMs()).toBeLessThan(10_000);
  expect(trained.size).toBe(2048);
});

test("more words than the cache holds are encoded as they are without it", () => {
  const random = createRandom(12);
  const words = Array.from(
    { length: 40_000 },
    () =>
      ` ${random
        .integer(0, 2 ** 31)
        .toString(2)
        .replaceAll("0", "t")
        .replaceAll("1", "e")}`,
  );
  const fresh = fromTokenizerJson(plain.toJson());
  for (const word of words) fresh.encode(word);
  for (const word of words.slice(0, 200))
    expect(fresh.encode(word)).toEqual(fromTokenizerJson(plain.toJson()).encode(word));
});

function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
}
