import { describe, expect, it } from "vitest";
import { type BillLine, fromDays, toBars, toSums } from "./bill.ts";

const NOW = Date.UTC(2026, 10, 17, 15);

function line(day: string, key: string, cost_usd: number, simulated = false): BillLine {
  return { day, key, runs: 1, calls: 2, cost_usd, input_tokens: 10, output_tokens: 5, simulated };
}

describe("bars", () => {
  it("are one for each day up to today, with gaps as zero", () => {
    const lines = [line("2026-11-15", "a", 1), line("2026-11-17", "a", 2), line("2026-11-17", "b", 0.5)];
    const { columns, bands } = toBars(lines, "key", 3, NOW, (value) => value);
    expect(columns).toEqual(["2026-11-15", "2026-11-16", "2026-11-17"]);
    expect(bands).toEqual([
      { name: "a", values: [1, 0, 2] },
      { name: "b", values: [0, 0, 0.5] },
    ]);
  });

  it("put those that spent least together, and lose nothing", () => {
    const lines = Array.from({ length: 20 }, (_, i) => line("2026-11-17", `k${i}`, i + 1));
    const { bands } = toBars(lines, "key", 1, NOW, (value) => value);
    expect(bands.at(-1)?.name).toBe("others");
    expect(bands).toHaveLength(9);
    expect(bands.reduce((sum, { values }) => sum + values[0]!, 0)).toBe(210);
  });

  it("leave out days before the first", () => {
    const { bands } = toBars([line("2026-11-01", "a", 1)], "key", 3, NOW, (value) => value);
    expect(bands).toEqual([{ name: "a", values: [0, 0, 0] }]);
  });
});

describe("sums", () => {
  it("never add simulated money to real money", () => {
    const sums = toSums([line("1", "a", 1), line("2", "a", 2), line("1", "a", 9, true)], "key");
    expect(sums.map(({ value, simulated, cost_usd, runs }) => [value, simulated, cost_usd, runs])).toEqual([
      ["a", true, 9, 1],
      ["a", false, 3, 2],
    ]);
  });

  it("tell what caches saved over all days, where bills know it", () => {
    const cached = { cached_input_tokens: 100, cache_saved_usd: -0.5 };
    const lines = [
      { ...line("1", "a", 1), ...cached },
      { ...line("2", "a", 2), ...cached, cache_saved_usd: 2 },
      line("2", "b", 0),
    ];
    expect(toSums(lines, "key")).toMatchObject([
      { value: "a", cached_input_tokens: 200, cache_saved_usd: 1.5 },
      { value: "b", cached_input_tokens: 0, cache_saved_usd: 0 },
    ]);
  });

  it("take days of workers as well", () => {
    const day = { day: "2026-11-17", workerId: "w", runs: 2, calls: 3, costUsd: 4, isSimulated: true };
    expect(toSums(fromDays([day]), "worker")).toMatchObject([{ value: "w", cost_usd: 4, simulated: true }]);
  });
});
