import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRandom } from "../../base/random.ts";
import { decimal, dollars, integer, listOf, oneOf, type Slot, word } from "./slots.ts";

const fits = <T>({ pattern }: Slot<T>, text: string) => new RegExp(`^(?:${pattern})$`, "i").test(text);
const drawnFrom = <T>(slot: Slot<T>, seed: number) => slot.draw!(createRandom(seed), 1);

describe("what a slot writes fits its pattern and is read back as the same value", () => {
  const slots: [string, Slot<string | number>][] = [
    ["an integer", integer([3, 4000])],
    ["an integer of few digits", integer([1, 99], 2)],
    ["a decimal", decimal([0, 5_000_000])],
    ["dollars", dollars([1, 60_000])],
    ["a word", word(["lamps", "mugs"])],
    ["one of several", oneOf(["Monday", "Tuesday"])],
  ];
  test.each(slots)("%s", (_, slot) => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const value = drawnFrom(slot, seed);
        expect(fits(slot, slot.write(value))).toBe(true);
        expect(slot.read(slot.write(value))).toEqual(value);
      }),
      { seed: 1, numRuns: 100 },
    );
  });
});

test("a number is drawn between its bounds, and both of them are", () => {
  const drawn = new Set(Array.from({ length: 200 }, (_, seed) => drawnFrom(integer([2, 5]), seed)));
  expect([...drawn].sort()).toEqual([2, 3, 4, 5]);
});

describe("numbers as people type them", () => {
  test.each([
    [decimal(), "1,234.5", 1234.5],
    [decimal(), "007", 7],
    [decimal(), "0.25", 0.25],
    [dollars(), "$1,200", 1200],
    [dollars(), "12.50 dollars", 12.5],
    [dollars(), "$3 dollars", 3],
  ] as const)("%o reads %s", (slot, text, value) => {
    expect(fits(slot, text)).toBe(true);
    expect(slot.read(text)).toBe(value);
  });

  test.each([
    [integer(), "1,234"],
    [integer(), "-5"],
    [integer(), "1234567890"],
    [integer(undefined, 2), "100"],
    [decimal(), "1,23"],
    [decimal(), "1."],
    [dollars(), "€5"],
  ] as const)("%o does not take %s", (slot, text) => {
    expect(fits(slot, text)).toBe(false);
  });
});

test("one of several is read in our spelling, whatever the case, and nothing else is read", () => {
  const slot = oneOf(["New Zealand", "Niger"]);
  expect(slot.read("new zealand")).toBe("New Zealand");
  expect(slot.read("NIGER")).toBe("Niger");
  expect(slot.read("Nigeria")).toBeUndefined();
});

describe("a list", () => {
  const letters = listOf(oneOf(["a", "b", "c"]), [2, 4], ", ", "[,;] ");

  test("of few enough and many enough items fits, and is read with any of its separators", () => {
    expect(fits(letters, "a")).toBe(false);
    expect(fits(letters, "a, b")).toBe(true);
    expect(fits(letters, "a; b, c, a")).toBe(true);
    expect(fits(letters, "a, b, c, a, b")).toBe(false);
    expect(letters.read("A; b, c")).toEqual(["a", "b", "c"]);
    expect(letters.write(["c", "b"])).toBe("c, b");
  });

  test("means nothing where one of its items means nothing", () => {
    const even: Slot<number> = {
      ...integer(),
      read: (text) => (Number(text) % 2 === 0 ? Number(text) : undefined),
    };
    const list = listOf(even, [1, 9], " ");
    expect(list.read("2 4 6")).toEqual([2, 4, 6]);
    expect(list.read("2 5 6")).toBeUndefined();
  });
});
