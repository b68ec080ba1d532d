import { describe, expect, it } from "vitest";
import { didYouMean } from "./suggest.ts";

const KNOWN = ["tutti", "tutti-fast", "openai/gpt-6-sol", "maxOutputTokens"];

describe("a suggestion", () => {
  it.each([
    ["tuti", "tutti"],
    ["tutit", "tutti"],
    ["tutti-fats", "tutti-fast"],
    ["max_output_tokens", "maxOutputTokens"],
  ])("for %s is %s", (wrong, right) => {
    expect(didYouMean(wrong, KNOWN)).toBe(` Did you mean "${right}"?`);
  });

  it("is not made where nothing is near", () => {
    expect(didYouMean("claude", KNOWN)).toBe("");
    expect(didYouMean("x", [])).toBe("");
  });

  it("is not made for a word that is longer than any name, however long it is", () => {
    expect(didYouMean(`tutti${"i".repeat(60)}`, ["tutti"])).toBe("");
    expect(didYouMean("t".repeat(200_000_000), KNOWN)).toBe("");
    expect(didYouMean("tuti", ["t".repeat(200_000_000), "tutti"])).toBe(' Did you mean "tutti"?');
  });

  it("looks at some hundred names at the most", () => {
    let seen = 0;
    const names = new Proxy(Array(1_000_000).fill("name"), {
      get(list, property, receiver) {
        if (typeof property === "string" && /^\d+$/.test(property)) seen++;
        return Reflect.get(list, property, receiver);
      },
    });
    didYouMean("nome", names);
    expect(seen).toBeLessThan(1_000);
  });
});
