import { describe, expect, test } from "vitest";
import { findBaseline } from "../baseline/all.ts";
import { runBench } from "../bench/bench.ts";
import { createMemoryFolder } from "../bench/folder.ts";
import type { LiarKind } from "../rehearsal/liars.ts";
import { createRehearsalPool } from "../rehearsal/pool.ts";
import { createTurn } from "./rehearsal-pools.ts";
import { createRehearsalSet, withConsensus } from "./sets.ts";

const pool = withConsensus(createRehearsalPool({ delayScale: 0 }));
const turned = (kind: LiarKind, count = 3, seed = 1) => createTurn(pool, { kind, count, seed });

describe("a pool in which workers turn", () => {
  test.each(["always", "random", "topic", "crafted", "colluding"] as const)("%s", (kind) => {
    const { liars, turn } = turned(kind);
    const changed = turn(pool);
    const different = changed.members.filter(({ worker }, i) => worker !== pool.members[i]!.worker);
    expect(different.map(({ worker }) => worker.id).sort()).toEqual([...liars].sort());
    expect(new Set(liars).size).toBe(3);
    // Under the same id and with the profile that the honest one was given.
    for (const [i, { worker, profile, price }] of changed.members.entries())
      expect([worker.id, profile, price]).toEqual([
        pool.members[i]!.worker.id,
        pool.members[i]!.profile,
        pool.members[i]!.price,
      ]);
    // Any pool of these members gets the very same liars, whatever profiles it has.
    const bare = turn({ members: pool.members.map((member) => ({ ...member, profile: undefined })) });
    expect(bare.members.map(({ worker }) => worker)).toEqual(changed.members.map(({ worker }) => worker));
    expect(bare.members.every(({ worker }, i) => worker === changed.members[i]!.worker)).toBe(true);
  });

  test("the seed decides who lies, and a vote never does", () => {
    expect(turned("always").liars).toEqual(turned("always", 3).liars);
    const sampled = Array.from({ length: 20 }, (_, seed) => turned("always", 2, seed).liars);
    expect(new Set(sampled.flat()).size).toBe(7);
    expect(turned("always", 7).liars).not.toContain("consensus");
  });

  test.each([0, 8, 1.5])("%s liars of seven are refused in a sentence", (count) => {
    expect(() => turned("always", count)).toThrow(`There can be 1 to 7 liars in a pool of 7, not ${count}`);
  });
});

test("a bench measures them honest and tests them lying", async () => {
  const measure = async (liars?: { count: number; kind: LiarKind }) => {
    const set = createRehearsalSet({ count: 150, seed: 4, liars });
    const { results, pool } = await runBench({
      ...{ set, seed: 0, splitBy: "prompt", splitSeed: 0, samples: 1, concurrency: 1, withOracle: true },
      contenders: [findBaseline("best-single"), findBaseline("vote-all")],
      folder: createMemoryFolder(),
    });
    const accuracy = Object.fromEntries(results.map(({ conductor, accuracy }) => [conductor, accuracy]));
    return { accuracy, profiles: pool.members.map(({ profile }) => profile), source: set.source };
  };
  const before = await measure();
  const all = await measure({ count: 7, kind: "always" });
  expect(all.profiles).toEqual(before.profiles);
  expect(before.accuracy["best-single"]).toBeGreaterThan(0.5);
  expect(all.accuracy).toEqual({ "best-single": 0, "vote-all": 0, oracle: 0 });
  const [alone, together] = [
    await measure({ count: 3, kind: "always" }),
    await measure({ count: 3, kind: "colluding" }),
  ];
  expect(together.source).toMatch(/^rehearsal \(simulated\), who lies \(colluding\): rehearsal\/\w+, /);
  expect(together.accuracy["vote-all"]!).toBeLessThan(alone.accuracy["vote-all"]!);
  expect(alone.accuracy["vote-all"]!).toBeLessThan(before.accuracy["vote-all"]!);
});
