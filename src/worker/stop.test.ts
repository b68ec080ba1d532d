import fc from "fast-check";
import { expect, it } from "vitest";
import { createStopFilter } from "./stop.ts";

function filter(pieces: string[], stop: string[]): string {
  const stopFilter = createStopFilter(stop);
  return pieces.map((piece) => stopFilter.push(piece)).join("") + stopFilter.end();
}

it("ends the text before the earliest stop sequence, wherever the pieces are cut", () => {
  expect(filter(["one ##", "# two"], ["###"])).toBe("one ");
  expect(filter(["a", "b", "c"], ["bc", "b"])).toBe("a");
  expect(filter(["aab"], ["ab"])).toBe("a");
});

it("holds nothing back for good", () => {
  expect(filter(["one ##"], ["###"])).toBe("one ##");
  expect(filter(["one"], [""])).toBe("one");
});

it("shows the same text as cutting the whole", () => {
  const pieces = fc.array(fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 4 }), { maxLength: 8 });
  const sequences = fc.array(fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 3,
  });
  fc.assert(
    fc.property(pieces, sequences, (given, stop) => {
      const whole = given.join("");
      const ends = stop.map((sequence) => whole.indexOf(sequence)).filter((at) => at >= 0);
      const expected = ends.length === 0 ? whole : whole.slice(0, Math.min(...ends));
      // A longer sequence that starts earlier but is complete later loses against one already complete.
      expect(expected.startsWith(filter(given, stop)) || filter(given, stop).startsWith(expected)).toBe(true);
      for (const sequence of stop) expect(filter(given, stop)).not.toContain(sequence);
      if (ends.length === 0) expect(filter(given, stop)).toBe(whole);
    }),
    { seed: 3, numRuns: 500 },
  );
});
