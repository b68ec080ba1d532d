import { describe, expect, test } from "vitest";
import {
  CONSENSUS,
  COUNTER,
  POET,
  poem,
  STEADY,
  toTraining,
  toWorldPool,
} from "../testing/learn/made-up-world.ts";
import { measurePool, measureStrength } from "./strength.ts";

describe("profiles measured on training tasks", () => {
  test("say how often each worker was right, drawn a little towards all", () => {
    const { members } = measurePool(toWorldPool(), toTraining());
    const [weak, poet, counter, steady] = members.map(({ profile }) => profile?.success ?? Number.NaN);
    expect(steady).toBeCloseTo((30 + 8 * (78 / 160)) / 48, 12);
    expect(poet).toBe(counter);
    expect(weak! < poet! && poet! < steady! && steady! < 0.75).toBe(true);
    expect(members[STEADY]!.profile).toMatchObject({ tasks: 40, topics: {} });
    expect(members[STEADY]!.profile!.source).toBe("measured on 40 training tasks");
  });

  test("replace what was measured elsewhere, and leave nothing where nothing was measured", () => {
    const { members } = toWorldPool();
    const elsewhere = { success: 0.99, tasks: 9, topics: { logic: 1 }, delayMs: 120 };
    const pool = { members: members.map((member) => ({ ...member, profile: elsewhere })) };
    const training = toTraining().map(({ task, scores }) => ({
      task,
      scores: [undefined, ...scores.slice(1)],
    }));
    const measured = measurePool(pool, training).members;
    expect(measured[0]).not.toHaveProperty("profile");
    expect(measured[CONSENSUS]).not.toHaveProperty("profile");
    expect(measured[STEADY]!.profile!.topics).toEqual({});
    expect(measured[STEADY]!.profile!.delayMs).toBe(120);
    expect(pool.members[0]!.profile).toBe(elsewhere);
  });

  test("know a topic where the category of a task is the name of one", () => {
    const training = toTraining().map(({ task, scores }) => ({
      task: { ...task, category: task.category === "sums" ? "arithmetic" : task.category },
      scores,
    }));
    const { members } = measurePool(toWorldPool(), training);
    const { success, topics } = members[COUNTER]!.profile!;
    expect(topics).toEqual({ arithmetic: expect.closeTo((20 + 4 * success) / 24, 12) });
    expect(members[POET]!.profile!.topics.arithmetic).toBeLessThan(0.1);
  });

  test("of workers that are right as often the cheaper comes first, where all their costs are known", () => {
    const even = (costsUsd?: number[]) =>
      measureStrength(toWorldPool(), [{ task: poem(1), scores: [1, 1, 1, 1], costsUsd }]).order;
    expect(even()).toEqual([0, 1, 2, 3]);
    expect(even([0.3, 0.1, 0.2, 0.1])).toEqual([1, 3, 2, 0]);
  });

  test("a score for a tool counts for nothing", () => {
    const training = [{ task: poem(1), scores: [0, 0, 0, 0, 1] }];
    expect(measureStrength(toWorldPool(), training).rates[CONSENSUS]).toBe(0);
    expect(measureStrength(toWorldPool(), training).order).not.toContain(CONSENSUS);
  });
});
