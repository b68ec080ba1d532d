import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cut, cutStart, padEnd, widthOf, wrap } from "./text-width.ts";

const text = fc.string({
  unit: fc.constantFrom("a", "b", " ", "日", "é", "e\u0301", "😀", "👩‍🚀", "-", "ё"),
});

describe("widthOf", () => {
  it.each([
    ["plain", 5],
    ["日本語", 6],
    ["e\u0301te\u0301", 3],
    ["👩‍🚀", 2],
    ["\u001b[31mred\u001b[0m", 3],
  ])("%j takes %i columns", (value, columns) => expect(widthOf(value)).toBe(columns));
});

describe("cut", () => {
  it("says where something was cut", () => expect(cut("a longer text", 8)).toBe("a longe…"));
  it("never halves a wide character", () => expect(cut("日本語", 4)).toBe("日…"));
  it("shows the end of a text", () => expect(cutStart("a longer text", 6)).toBe("… text"));
  it("never gives more columns than asked for", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 20 }), (value, columns) => {
        expect(widthOf(cut(value, columns))).toBeLessThanOrEqual(columns);
        expect(widthOf(cutStart(value, columns))).toBeLessThanOrEqual(columns);
      }),
      { seed: 1 },
    );
  });
});

describe("wrap", () => {
  it("breaks at spaces", () => expect(wrap("one two three four", 9)).toEqual(["one two", "three", "four"]));
  it("breaks a word that is too long", () =>
    expect(wrap("a abcdefghij", 5)).toEqual(["a", "abcde", "fghij"]));
  it("keeps indents and empty lines", () =>
    expect(wrap("if:\n  x\n\ny", 20)).toEqual(["if:", "  x", "", "y"]));
  it("loses no character but spaces, and keeps to the width", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 4, max: 20 }), (value, columns) => {
        const lines = wrap(value, columns);
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
        expect(lines.join("").replaceAll(" ", "")).toBe(value.replaceAll(" ", ""));
      }),
      { seed: 2 },
    );
  });
});

describe("padEnd", () => {
  it("pads by width, not by length", () => expect(padEnd("日", 4)).toBe("日  "));
});
