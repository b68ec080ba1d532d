import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldOf, SPLIT_SHARES, splitByFamily, splitOf } from "./split.ts";

const prompts = Array.from({ length: 4000 }, (_, i) => ({ prompt: `What is ${i} plus ${i * 7}?` }));

describe("a split", () => {
  it("has the stated shares", () => {
    const counts = { train: 0, validation: 0, test: 0 };
    for (const task of prompts) counts[splitOf(task)]++;
    for (const name of ["train", "validation", "test"] as const)
      expect(Math.abs(counts[name] / prompts.length - SPLIT_SHARES[name])).toBeLessThan(0.025);
  });

  it("keeps twins together: other ids, other spacing and case, options in another order", () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.array(fc.string(), { maxLength: 5 }),
        fc.nat(5),
        (prompt, choices, seed) => {
          const twin = { id: "other", prompt: ` ${prompt}\n`, choices: choices.toReversed() };
          expect(splitOf(twin, seed)).toBe(splitOf({ prompt, choices }, seed));
        },
      ),
    );
    expect(splitOf({ prompt: "WHAT  is\n1 plus 1?" })).toBe(splitOf({ prompt: "what is 1 plus 1?" }));
  });

  it("goes by the options too", () => {
    const splits = prompts.map((_, i) => splitOf({ prompt: "Which one?", choices: [`${i}`, "none"] }));
    expect(new Set(splits).size).toBe(3);
  });

  it("is another one with another seed, and stays what it is", () => {
    expect(prompts.some((task) => splitOf(task, 1) !== splitOf(task, 2))).toBe(true);
    // Results of today and trained weights rely on these.
    expect(prompts.slice(0, 8).map((task) => splitOf(task))).toMatchInlineSnapshot(`
      [
        "train",
        "train",
        "train",
        "train",
        "test",
        "train",
        "validation",
        "train",
      ]
    `);
  });

  it("by family keeps a family whole", () => {
    const families = Array.from({ length: 300 }, (_, i) => splitByFamily({ family: `family ${i}` }));
    expect(new Set(families).size).toBe(3);
    expect(splitByFamily({ family: "Graph colouring" })).toBe(splitByFamily({ family: "graph  colouring" }));
  });
});

it("folds are even, and twins share theirs", () => {
  const counts = [0, 0, 0, 0, 0];
  for (const task of prompts) counts[foldOf(task, 5)]!++;
  for (const count of counts) expect(Math.abs(count - prompts.length / 5)).toBeLessThan(100);
  expect(foldOf({ prompt: "A  b" }, 5)).toBe(foldOf({ prompt: "a b" }, 5));
});
