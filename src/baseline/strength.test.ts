import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CONSENSUS, poem, STEADY, toTraining, toWorldPool } from "../testing/made-up-world.ts";
import { measurePool, measureStrength, shrink } from "./strength.ts";

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

  test("a score for a tool counts for nothing", () => {
    const training = [{ task: poem(1), scores: [0, 0, 0, 0, 1] }];
    expect(measureStrength(toWorldPool(), training).rates[CONSENSUS]).toBe(0);
    expect(measureStrength(toWorldPool(), training).order).not.toContain(CONSENSUS);
  });
});

test("shrinking stays between the two rates, and gives way as tasks grow", () => {
  const rate = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(rate, rate, fc.integer({ min: 1, max: 1000 }), (own, overall, count) => {
      const few = shrink(own * count, count, overall, 8);
      const many = shrink(own * count * 10, count * 10, overall, 8);
      expect(few).toBeGreaterThanOrEqual(Math.min(own, overall) - 1e-9);
      expect(few).toBeLessThanOrEqual(Math.max(own, overall) + 1e-9);
      expect(Math.abs(many - own)).toBeLessThanOrEqual(Math.abs(few - own) + 1e-9);
    }),
    { seed: 1 },
  );
});
