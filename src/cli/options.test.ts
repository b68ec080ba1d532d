import { describe, expect, test } from "vitest";
import {
  collect,
  dollars,
  numberBetween,
  oneOf,
  toCommandLine,
  toDecimal,
  unknownVerb,
  wholeNumber,
} from "./options.ts";

describe("a whole number", () => {
  const read = wholeNumber("--n", 1, 5);
  test.each([
    ["1", 1],
    ["5", 5],
    ["+3", 3],
  ])("%s", (text, value) => {
    expect(read(text)).toBe(value);
  });
  test.each([["0"], ["6"], ["2.5"], ["1e0"], [""], [" 3"], ["three"], ["-1"]])("refuses %j", (text) => {
    expect(() => read(text)).toThrow(`--n must be a whole number from 1 to 5, not "${text}"`);
  });
  test("without an upper bound says so", () => {
    expect(() => wholeNumber("--n", 2)("1")).toThrow('--n must be a whole number of 2 or more, not "1"');
    expect(wholeNumber("--n", -2)("-2")).toBe(-2);
  });
});

describe("decimals", () => {
  test.each([
    ["1", 1],
    ["0.5", 0.5],
    [".5", 0.5],
    ["007.50", 7.5],
  ])("%s is %d", (text, value) => {
    expect(toDecimal(text)).toBe(value);
  });
  test.each([["1."], ["1e3"], ["-1"], ["Infinity"], ["0x10"], [""], ["1,5"]])("%j is none", (text) => {
    expect(toDecimal(text)).toBeNaN();
  });
  test("between bounds", () => {
    expect(numberBetween("--x", 0, 1)("0.25")).toBe(0.25);
    expect(() => numberBetween("--x", 0, 1)("1.01")).toThrow('--x must be a number from 0 to 1, not "1.01"');
  });
  test("dollars may be none, and nothing else that is no amount", () => {
    expect(dollars("--usd")("none")).toBe("none");
    expect(dollars("--usd")("0.05")).toBe(0.05);
    expect(() => dollars("--usd")("free")).toThrow('such as 0.05, or none, not "free"');
  });
});

test("one of several words, and what there is otherwise", () => {
  const read = oneOf("--log", ["info", "warn", "off"] as const);
  expect(read("warn")).toBe("warn");
  expect(() => read("WARN")).toThrow('--log must be info, warn or off, not "WARN"');
});

test("a flag that may be given several times keeps its order", () => {
  expect(collect("b", collect("a"))).toEqual(["a", "b"]);
});

test("an unknown verb is told with the nearest one, or with all", () => {
  expect(unknownVerb("tutti keys", "creat", ["create", "list"]).message).toMatch(
    /"tutti keys creat".*create/,
  );
  expect(unknownVerb("tutti keys", "zzzzzz", ["create", "list"]).message).toContain(
    "There are: create, list.",
  );
});

test("a command can be typed again as it is shown", () => {
  expect(toCommandLine(["ask", "what's up?", "--seed", "1"])).toBe(`tutti ask 'what'\\''s up?' --seed 1`);
});
