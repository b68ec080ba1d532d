import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BoundInput } from "../worker/brief-parts.ts";
import { withOccurrences } from "../worker/brief-parts.ts";
import { CountedInputs } from "./counted-inputs.ts";

/** Parts by number. Each has so many bytes as its number says, and the worker counts fewer tokens than bytes. */
function toInput(numbers: readonly number[]): BoundInput {
  const parts = numbers.map((number) => ({ key: String(number), boundTokens: number, hiddenBytes: 0 }));
  return {
    boundTokens: parts.reduce((sum, each) => sum + each.boundTokens, 0),
    parts: withOccurrences(parts),
  };
}
const tokensOf = (numbers: readonly number[]) =>
  numbers.reduce((sum, number) => sum + Math.ceil((number * ((number % 7) + 1)) / 7), 0);
const request = fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1, maxLength: 12 });

describe("What workers have counted", () => {
  it("bounds what they will count, whatever came before, parts that are there twice included", () => {
    fc.assert(
      fc.property(fc.array(request, { maxLength: 20 }), request, (before, now) => {
        const counted = new CountedInputs();
        for (const [run, numbers] of before.entries())
          counted.report("w", `${run}`, toInput(numbers), tokensOf(numbers));
        expect(counted.bound("w", toInput(now))).toBeGreaterThanOrEqual(tokensOf(now));
        const [first] = before;
        if (first) {
          const twice = [...first, ...first, ...now];
          expect(counted.bound("w", toInput(twice))).toBeGreaterThanOrEqual(tokensOf(twice));
        }
      }),
      { seed: 18 },
    );
  });

  it("is of that worker alone, and its likely tokens follow what it reports, the densest at once", () => {
    const counted = new CountedInputs();
    const input = toInput([4_000]);
    counted.report("w", "1", input, 1_000);
    expect(counted.bound("w", input)).toBeLessThan(1_200);
    expect(counted.bound("other", input)).toBe(Number.POSITIVE_INFINITY);
    expect(counted.estimate("w", input)).toBe(1_000);
    counted.report("w", "2", toInput([100]), 90);
    expect(counted.estimate("w", input)).toBe(3_600);
    for (let run = 0; run < 100; run++) counted.report("w", "3", input, 800);
    expect(counted.estimate("w", input)).toBeLessThan(850);
  });

  it("is asked for once by request, and not for a while where it failed", () => {
    const counted = new CountedInputs();
    const input = toInput([4_000]);
    expect(counted.isWorthCounting("w", input, 0)).toBe(true);
    counted.count("w", input, 900, 0);
    expect(counted.isWorthCounting("w", input, 0)).toBe(false);
    expect(counted.isWorthCounting("w", toInput([5_000]), 0)).toBe(true);
    counted.count("w", toInput([5_000]), undefined, 0);
    expect(counted.isWorthCounting("w", toInput([6_000]), 0)).toBe(false);
    expect(counted.isWorthCounting("w", toInput([6_000]), 600_000)).toBe(true);
  });
});
