import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { startCpuClock } from "../../testing/cpu-clock.ts";
import { isSameJson, isSameOutput } from "./compare.ts";

describe("isSameOutput", () => {
  const cases: [expected: string, actual: string, isSame: boolean][] = [
    ["3\n", "3", true],
    ["3", "3  \n\n\n", true],
    ["a b", "a   b", true],
    ["a\nb", "a\r\nb\r\n", true],
    ["1\n2", "1 2", false],
    ["a\n\nb", "a\nb", false],
    ["0.5", "0.50000001", true],
    ["0.5", "0.5001", false],
    ["1000000.0", "1000000.5", true],
    ["2", "2.0", true],
    ["2", "2.1", false],
    ["10000000", "10000001", false],
    ["1e3", "1000.0", true],
    ["007", "7", true],
    ["YES", "Yes", false],
    ["nan", "NaN", false],
    ["", "", true],
    ["", "0", false],
  ];
  it.each(cases)("%j and %j: %j", (expected, actual, isSame) => {
    expect(isSameOutput(expected, actual)).toBe(isSame);
  });

  it("finds every output equal to itself, whatever stands at its end", () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom("", "\n", "  \n\n"), (text, end) =>
        isSameOutput(text, text + end),
      ),
      { seed: 7 },
    );
  });

  it("tells different whole numbers apart, however long", () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.bigInt(), (a, b) => isSameOutput(String(a), String(b)) === (a === b)),
      { seed: 7 },
    );
  });
});

describe("isSameJson", () => {
  const cases: [expected: string, actual: string, isSame: boolean][] = [
    ["[1, 2]", "[1,2]", true],
    ["[1, 2]", "[2,1]", false],
    ['{"a": 1, "b": 2}', '{"b":2,"a":1}', true],
    ['{"a": 1}', '{"a":1,"b":2}', false],
    ["0.1", "0.10000000001", true],
    ["1", "1.0", true],
    ["1", "2", false],
    ["1", "true", false],
    ["1", '"1"', false],
    ["null", "0", false],
    ["[]", "{}", false],
    ["9007199254740993", "9007199254740992", false],
    ["9007199254740993", "9007199254740993", true],
    ['"9007199254740993"', "9007199254740993", false],
    ["[0.12345678901234567890]", "[0.1234567890]", true],
    ['"a\\"1234567890123456789"', '"a\\"1234567890123456789"', true],
    ['{"__proto__": 1}', "{}", false],
    ["not json", " not json ", true],
  ];
  it.each(cases)("%s and %s: %j", (expected, actual, isSame) => {
    expect(isSameJson(expected, actual)).toBe(isSame);
  });

  it("finds every value equal to itself in any layout", () => {
    fc.assert(
      fc.property(fc.json(), (text) => isSameJson(text, JSON.stringify(JSON.parse(text), null, 2))),
      { seed: 7 },
    );
  });
});

describe("outputs that are written to keep the comparison busy", () => {
  const MB = 1_048_576;
  it.each<[name: string, compare: typeof isSameOutput, expected: string, actual: string]>([
    ["a number of millions of digits", isSameOutput, "12345", "9".repeat(8 * MB)],
    ["digits that end in a letter", isSameOutput, "12345", `${"1".repeat(8 * MB)}x`],
    ["millions of lines", isSameOutput, "1\n2", "1\n".repeat(8 * MB)],
    ["millions of words", isSameOutput, "1 2", "1 ".repeat(8 * MB)],
    ["spaces inside a line", isSameOutput, "1 2", `1${" ".repeat(8 * MB)}3`],
    ["a string that does not end", isSameJson, '"a"', `"${'\\"'.repeat(MB)}`],
    ["quotes alone", isSameJson, '"a"', '"'.repeat(2 * MB + 1)],
    ["brackets alone", isSameJson, "[[1]]", "[".repeat(4 * MB)],
    ["a long integer", isSameJson, "1", "9".repeat(8 * MB)],
  ])("are told apart soon: %s", (_, compare, expected, actual) => {
    const cpuMs = startCpuClock();
    expect(compare(expected, actual)).toBe(false);
    expect(cpuMs()).toBeLessThan(3_000);
  });
});
