import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toTable } from "../cli/terminal/table.ts";
import { widthOf } from "../cli/terminal/text-width.ts";
import { toDelay, toMoney, toPrices, toSeries, toTokens, toWhen } from "./format.ts";

describe("toMoney", () => {
  it.each([
    [0, "$0"],
    [0.0004, "$0.0004"],
    [0.00042, "$0.00042"],
    [0.012, "$0.012"],
    [0.01, "$0.01"],
    [0.1, "$0.10"],
    [0.5, "$0.50"],
    [0.999, "$1.00"],
    [1.234, "$1.23"],
    [1234.5, "$1,234.50"],
    [0.00000001, "<$0.000001"],
  ])("%d dollars are %s", (usd, expected) => expect(toMoney(usd)).toBe(expected));

  it("says when a price is unknown and when money is simulated", () => {
    expect(toMoney(undefined, true)).toBe("price unknown");
    expect(toMoney(0.0004, true)).toBe("$0.0004 simulated");
  });

  it("never shows a positive amount as nothing", () => {
    fc.assert(
      fc.property(fc.double({ min: Number.MIN_VALUE, max: 1e6, noNaN: true }), (usd) => {
        expect(toMoney(usd)).toMatch(/[1-9]/);
      }),
      { seed: 1 },
    );
  });
});

describe("toPrices", () => {
  it("knows free, priced and unknown", () => {
    expect(toPrices({ inputUsd: 0, outputUsd: 0 })).toBe("free");
    expect(toPrices({ inputUsd: 0.15, outputUsd: 10 })).toBe("$0.15 / $10.00");
    expect(toPrices(undefined)).toBe("price unknown");
  });
});

describe("times and counts", () => {
  it.each([
    [3, "3 ms"],
    [420, "0.4 s"],
    [9_949, "9.9 s"],
    [42_000, "42 s"],
    [125_000, "2 min 05 s"],
    [600_000, "10 min"],
    [3_900_000, "1 h 05 min"],
  ])("%i ms are %s", (ms, expected) => expect(toDelay(ms)).toBe(expected));

  it("shortens many tokens", () =>
    expect([999, 1204, 12_340].map(toTokens)).toEqual(["999", "1,204", "12.3k"]));
  it("says how long ago", () => {
    const now = Date.UTC(2026, 10, 16, 12);
    expect(toWhen(now - 5_000, now)).toBe("just now");
    expect(toWhen(now - 3 * 60_000, now)).toBe("3 min ago");
    expect(toWhen(now - 3 * 3_600_000, now)).toBe("3 h ago");
    expect(toWhen(now - 50 * 3_600_000, now)).toMatch(/^2026-11-1\d \d\d:\d\d$/);
  });
  it("joins a series", () =>
    expect([[1], [1, 2], [1, 2, 3]].map(toSeries)).toEqual(["1", "1 and 2", "1, 2 and 3"]));
});

describe("toTable", () => {
  const columns = [
    { title: "id" },
    { title: "cost", align: "right" as const },
    { title: "text", min: 6 },
    { title: "none" },
  ];
  const rows = [
    ["a", "$1.00", "a rather long text", ""],
    ["bb", "$10.00", "日本語日本語日本語", ""],
  ];

  it("aligns, and leaves out a column without content", () => {
    expect(toTable(columns, rows, 80)).toEqual([
      "id    cost  text",
      "a    $1.00  a rather long text",
      "bb  $10.00  日本語日本語日本語",
    ]);
  });

  it("narrows what may be narrowed until it fits", () => {
    const lines = toTable(columns, rows, 22);
    expect(lines[1]).toBe("a    $1.00  a rather…");
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(22);
  });

  it("leaves out what is optional, from the right, before it narrows what is not", () => {
    const optional = columns.map((column, i) => (i === 2 ? { ...column, isOptional: true } : column));
    expect(toTable(optional, rows, 15)).toEqual(["id    cost", "a    $1.00", "bb  $10.00"]);
  });
});
