import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toSum } from "../testing/learn/small-world.ts";
import { digestTasks, parseLabel, type QuestionLabel, toLabelText } from "./label.ts";

const labels: fc.Arbitrary<QuestionLabel> = fc
  .record({
    itself: fc.oneof(
      fc.record({
        world: fc.constant("rehearsal" as const),
        pools: fc.constantFrom("fixed" as const, "random" as const),
        seed: fc.nat(),
        split: fc.constantFrom("train" as const, "test" as const),
        number: fc.nat(),
      }),
      fc.record({
        world: fc.constant("tasks" as const),
        digest: fc.string(),
        task: fc.string(),
        pool: fc.array(fc.string(), { minLength: 1 }),
      }),
    ),
    before: fc.option(fc.array(fc.string(), { minLength: 1 }), { nil: undefined }),
  })
  .map(({ itself, before }) => ({ ...itself, ...(before && { before }) }));

describe("labels", () => {
  test("are read as they were written, as text and as what an engine parsed from it", () => {
    fc.assert(
      fc.property(labels, (label) => {
        expect(parseLabel(toLabelText(label))).toEqual(label);
        expect(toLabelText(parseLabel(JSON.parse(toLabelText(label))))).toBe(toLabelText(label));
      }),
    );
  });

  test.each([
    undefined,
    null,
    "",
    "42",
    42,
    "[]",
    "not JSON",
    '{"world":"moon"}',
    '{"world":"rehearsal","pools":"random","seed":-1,"split":"train","number":1}',
    '{"world":"rehearsal","pools":"random","seed":0,"split":"tune","number":1}',
    '{"world":"tasks","digest":"d","task":"t","pool":[]}',
    '{"world":"tasks","digest":"d","task":"t","pool":["a"],"before":"x"}',
  ])("%j is none of ours, and the error says so", (value) => {
    expect(() => parseLabel(value)).toThrow(/Nothing fits the label .*tutti rl export/);
  });

  test("a long one is shortened in the error", () => {
    expect(() => parseLabel("x".repeat(5_000))).toThrow(/x…/);
  });

  test("the digest of a set follows its questions, answers and graders", () => {
    const tasks = [toSum(1), toSum(2)];
    expect(digestTasks(tasks)).toBe(digestTasks([toSum(1), toSum(2)]));
    expect(digestTasks([toSum(1), { ...toSum(2), answer: "9" }])).not.toBe(digestTasks(tasks));
    expect(digestTasks([toSum(1), { ...toSum(2), grader: "maths" }])).not.toBe(digestTasks(tasks));
  });
});
