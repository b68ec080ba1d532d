import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countFeatures, textOf } from "./text-features.ts";
import { TextIndex, type Vector } from "./text-index.ts";

const TEXTS = [
  "Add 17 and 25, then double it.",
  "Add 3 and 4, then double it.",
  "Which river flows through Vienna?",
  "Which river flows through Paris and Rouen?",
  "Sort the words: pear, apple, fig.",
];

describe("features of a text", () => {
  test("do not depend on numbers, case or spaces", () => {
    expect(countFeatures("Add 17 and  25!")).toEqual(countFeatures("add 4 and 3!"));
    expect(countFeatures("add 4 or 3!")).not.toEqual(countFeatures("add 4 and 3!"));
  });

  test("know the order of words by their pairs", () => {
    expect(countFeatures("dog bites man")).not.toEqual(countFeatures("man bites dog"));
    expect(countFeatures("a b a b")).toHaveProperty("size", 4);
  });

  test("are characters and their pairs where words are written without spaces", () => {
    const shared = (a: string, b: string) => {
      const other = countFeatures(b);
      return [...countFeatures(a).keys()].filter((hash) => other.has(hash)).length;
    };
    expect(shared("变压器温度最高的部分是", "运行中的变压器油温度")).toBeGreaterThan(7);
    expect(shared("変圧器の温度", "部屋の温度")).toBeGreaterThan(3);
    expect(countFeatures("温度 is high")).toHaveProperty("size", 7);
  });

  test("of a very long text come from its beginning and its end, in bounded time", () => {
    const middle = "filler ".repeat(200_000);
    const features = countFeatures(`beginning ${middle} end`);
    for (const word of ["beginning", "end"]) {
      const [hash] = countFeatures(word).keys();
      expect(features.has(hash!)).toBe(true);
    }
    expect([...features.values()].reduce((a, b) => a + b, 0)).toBeLessThan(2000);
  });

  test("are taken from what the user wrote, as far as it is text", () => {
    const image = { type: "image" as const, image: "data:image/png;base64,AAAA" };
    const text = textOf([
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "text", text: "What is this?" }, image] },
      { role: "assistant", content: "A cat." },
      { role: "user", content: "Sure?" },
    ]);
    expect(text).toBe("What is this?\nSure?");
  });
});

describe("the index", () => {
  const index = new TextIndex(TEXTS);

  test("gives the same similarities as multiplying the vectors out", () => {
    for (const [own, text] of TEXTS.entries()) {
      const found = index.similarities(text);
      for (const [other, vector] of index.vectors.entries()) {
        expect(found[other]).toBeCloseTo(dot(index.vectors[own]!, vector), 5);
      }
    }
  });

  test("finds a twin identical, a relative closer than a stranger, and nothing in foreign words", () => {
    const found = index.similarities("ADD 99 and 1, then double it.");
    expect(found[0]).toBeCloseTo(1, 5);
    const [sum, , river] = index.similarities("Add 5 and 6.");
    expect(sum!).toBeGreaterThan(river!);
    expect([...index.similarities("日本語")]).toEqual([0, 0, 0, 0, 0]);
  });

  test("takes any text, and is never above 1", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        for (const value of index.similarities(text)) expect(value >= 0 && value <= 1 + 1e-5).toBe(true);
      }),
      { seed: 1 },
    );
    expect(new TextIndex([]).similarities("x")).toHaveLength(0);
  });
});

function dot(a: Vector, b: Vector): number {
  const own = new Map([...a.features].map((feature, i) => [feature, a.weights[i]!]));
  return b.features.reduce((sum, feature, i) => sum + (own.get(feature) ?? 0) * b.weights[i]!, 0);
}
