import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { usageError } from "../base/errors.ts";
import { findBaseline } from "../baseline/all.ts";
import { createOneRound, perform, solve } from "../baseline/decide.ts";
import type { Baseline } from "../baseline/types.ts";
import type { Grader } from "../task/types.ts";
import { toTask } from "../testing/bench-rows.ts";
import { scriptedWorker, toPool } from "../testing/stage.ts";
import type { Pool, WorkerRequest } from "../worker/types.ts";
import { createLiveSet, createRehearsalSet } from "../world/sets.ts";
import { splitOf } from "../world/split.ts";
import { type BenchOptions, runBench } from "./bench.ts";
import { createMemoryFolder, DiskFolder, readFolder } from "./folder.ts";

const grader: Grader = {
  grade: async (task, answer) => ({ score: answer === `Answer: ${task.answer}` ? 1 : 0, why: "compared" }),
};
const tasks = Array.from({ length: 120 }, (_, i) => toTask(i));
const numberOf = ({ brief }: WorkerRequest) => Number(brief!.task.id!.slice(1));
/** Knows what twice a number is where `isGood`. */
const expert = (id: string, isGood: (i: number) => boolean) =>
  scriptedWorker(id, (request) => `Answer: ${isGood(numberOf(request)) ? numberOf(request) * 2 : "no idea"}`);
const workers = () => [
  expert("even", (i) => i % 2 === 0),
  expert("odd", (i) => i % 2 === 1),
  expert("good", (i) => i % 5 !== 0),
];
const groundOf = (members = workers(), price = { inputUsd: 1, outputUsd: 1 }) =>
  createLiveSet({ id: "sums", tasks, source: "made up" }, toPool(members, price), grader);
const find = (...ids: string[]) => ids.map(findBaseline);

function options(parts: Partial<BenchOptions> = {}): BenchOptions {
  return {
    set: groundOf(),
    contenders: find("best-single", "lookup-category", "vote-3"),
    withOracle: false,
    seed: 1,
    splitBy: "prompt",
    splitSeed: 0,
    samples: 1,
    concurrency: 4,
    folder: createMemoryFolder(),
    ...parts,
  };
}

describe("who reads profiles", () => {
  /** Asks whoever is best on similar questions, and remembers what it was shown. */
  function reader(id: string, readsProfiles: boolean) {
    const pools: Pool[] = [];
    const order: string[] = [];
    const baseline: Baseline = {
      ...findBaseline("best-single"),
      id,
      ...(readsProfiles && { readsProfiles: true }),
      async prepare() {
        await Promise.resolve();
        order.push("prepare");
      },
      fit() {
        order.push("fit");
        return createOneRound(id, ({ pool }) => {
          pools.push(pool);
          const similar = pool.members.map(({ profile }) => profile?.similar ?? 0);
          return perform([solve(similar.indexOf(Math.max(...similar)))]);
        });
      },
    };
    return { baseline, pools, order };
  }

  it("is prepared once before it is fitted, and gets the pool with the profiles of each task", async () => {
    const [reading, other] = [reader("reading", true), reader("other", false)];
    const worded = tasks.map((task, i) => ({
      ...task,
      prompt: i % 2 === 0 ? `Double the even number ${i}.` : `For odd ${i}, what is twice that?`,
    }));
    const set = createLiveSet({ id: "sums", tasks: worded, source: "made up" }, toPool(workers()), grader);
    const contenders = [reading.baseline, other.baseline];
    const { results, pool } = await runBench(options({ set, contenders }));
    expect(reading.order).toEqual(["prepare", "fit"]);
    expect(results.find(({ conductor }) => conductor === "reading")!.accuracy).toBeGreaterThan(0.9);
    expect(new Set(other.pools)).toEqual(new Set([pool]));
    expect(reading.pools.length).toBe(other.pools.length);
    for (const { members } of reading.pools) {
      expect(members.map(({ worker }) => worker)).toEqual(pool.members.map(({ worker }) => worker));
      expect(members[0]!.profile!.success).toBeCloseTo(pool.members[0]!.profile!.success, 4);
    }
  });

  it("that cannot be prepared for want of something is refused, and the bench goes on", async () => {
    const { baseline } = reader("unprepared", true);
    const prepare = async () => {
      throw usageError("There are no weights");
    };
    const { refused, results } = await runBench(
      options({ contenders: [{ ...baseline, prepare }, ...find("best-single")] }),
    );
    expect(refused).toEqual([{ conductor: "unprepared", reason: "There are no weights" }]);
    expect(results.map(({ conductor }) => conductor)).toEqual(["best-single"]);
  });
});

describe("a bench of tasks and a pool", () => {
  it("measures on training tasks, fits, and reports on test tasks alone", async () => {
    const members = workers();
    const { results, counts, rows } = await runBench(options({ set: groundOf(members) }));
    expect(results.map(({ conductor }) => conductor)).toEqual(["best-single", "lookup-category", "vote-3"]);
    const [single, lookup] = results;
    expect(counts.train + counts.validation + counts.test).toBe(120);
    expect(rows.every(({ task }) => splitOf(tasks[Number(task.slice(1))]!) === "test")).toBe(true);
    expect(single).toMatchObject({ n: counts.test, calls: 1, isSimulated: false });
    expect(single!.accuracy).toBeGreaterThan(0.7);
    expect(lookup).toMatchObject({ accuracy: 1 });
    expect(lookup!.against[0]).toMatchObject({
      conductor: "best-single",
      difference: expect.closeTo(1 - single!.accuracy, 9),
    });
    // Tasks kept for tuning are nobody's here.
    const asked = new Set(
      members.flatMap(({ requests }) => requests.map((request) => request.brief!.task.id)),
    );
    for (const task of tasks) if (splitOf(task) === "validation") expect(asked.has(task.id)).toBe(false);
  });

  it("has no oracle on a live pool, and says why", async () => {
    const { refused } = await runBench(options({ withOracle: true }));
    expect(refused).toEqual([
      { conductor: "oracle", reason: expect.stringContaining("record the pool first") },
    ]);
  });

  it("compares at equal calls with as many samples of the best one, where that is allowed", async () => {
    const { equal } = await runBench(options({ samples: 3 }));
    const vote = equal.find(({ conductor, by }) => conductor === "vote-3" && by === "calls")!;
    expect(vote).toMatchObject({ samples: 3, worker: "good", outcome: { type: "compared" } });
    const { equal: few } = await runBench(options({ samples: 1 }));
    expect(few.find(({ conductor }) => conductor === "vote-3")!.outcome).toEqual({
      type: "not-compared",
      reason: "not measured: --samples 3 asks good that often, which would cost more",
    });
  });

  it("keeps to its budget and says that it is not finished", async () => {
    const all = await runBench(options());
    const spent = all.rows.reduce((sum, { costUsd }) => sum + costUsd, 0);
    const members = workers().map((worker) => ({
      worker,
      price: { inputUsd: 1, outputUsd: 1 },
      maxOutputTokens: 10,
    }));
    const set = createLiveSet({ id: "sums", tasks, source: "made up" }, toPool(members), grader);
    const folder = createMemoryFolder();
    const { budget, isStopped } = await runBench(options({ set, folder, budgetUsd: spent }));
    expect(isStopped).toBe(true);
    expect(budget).toMatchObject({ isUsedUp: true });
    const names = ["rows", "training"] as const;
    const kept = names
      .flatMap((name) => folder.file(name).rows)
      .reduce((sum, { costUsd }) => sum + costUsd, 0);
    expect(kept).toBeLessThanOrEqual(spent);
  });

  it("tells its progress up to the end", async () => {
    const seen: [number, number][] = [];
    await runBench(options({ onProgress: ({ done, total }) => seen.push([done, total]) }));
    expect(seen.every(([done, total]) => done <= total)).toBe(true);
    expect(seen.at(-1)![0]).toBe(seen.at(-1)![1]);
  });
});

describe("a bench that was stopped", () => {
  const identity = { set: "sums", seed: 1 };

  it("goes on where it was, and gives what it would have given at once", async () => {
    const path = join(mkdtempSync(join(tmpdir(), "tutti-bench-")), "out");
    const controller = new AbortController();
    let seen = 0;
    const first = new DiskFolder(path, identity);
    const stopped = await runBench(
      options({
        folder: first,
        signal: controller.signal,
        onProgress: ({ what }) => {
          if (what === "lookup-category") seen++;
          if (seen > 10) controller.abort();
        },
      }),
    );
    first.close();
    expect(stopped.isStopped).toBe(true);
    // A crash in the middle of a line.
    const text = readFileSync(join(path, "rows.jsonl"), "utf8");
    writeFileSync(join(path, "rows.jsonl"), text.slice(0, -20));

    const members = workers();
    const second = new DiskFolder(path, identity);
    const resumed = await runBench(options({ folder: second, set: groundOf(members) }));
    second.close();
    const whole = await runBench(options());
    expect(resumed.results.map(withoutTime)).toEqual(whole.results.map(withoutTime));
    // What was learned is not asked for again.
    const asked = members.flatMap(({ requests }) =>
      requests.map(({ brief }) => tasks[Number(brief!.task.id!.slice(1))]!),
    );
    expect(asked.filter((task) => splitOf(task) === "train")).toEqual([]);
    expect(readFolder(path).rows).toHaveLength(whole.rows.length);
  });

  it("is not mixed with another one", () => {
    const path = join(mkdtempSync(join(tmpdir(), "tutti-bench-")), "out");
    new DiskFolder(path, identity).close();
    expect(() => new DiskFolder(path, { ...identity, seed: 2 })).toThrow(
      "holds another bench: its seed is 1, not 2",
    );
  });
});

describe("a bench in the rehearsal", () => {
  it("is called simulated, has hand-offs, and an oracle that nobody beats by choosing one worker", async () => {
    const set = createRehearsalSet({ count: 90, seed: 3 });
    const contenders = find("best-single", "random-worker", "lookup-subtask", "self-reflection");
    const { results, refused } = await runBench(
      options({ set, contenders, withOracle: true, concurrency: 1 }),
    );
    expect(refused).toEqual([]);
    expect(results.every(({ isSimulated }) => isSimulated)).toBe(true);
    const accuracy = (id: string) => results.find(({ conductor }) => conductor === id)!.accuracy;
    for (const id of ["best-single", "random-worker", "lookup-subtask"])
      expect(accuracy("oracle")).toBeGreaterThanOrEqual(accuracy(id));
    expect(results[0]!.durationMs).toBeGreaterThan(100);
  });

  it("repeats with its seed", async () => {
    const measure = () =>
      runBench(
        options({
          set: createRehearsalSet({ count: 60, seed: 3 }),
          contenders: find("best-single", "random-workflow"),
        }),
      );
    expect((await measure()).results).toEqual((await measure()).results);
  });
});

/** Delays are measured with the clock. */
function withoutTime<T extends { durationMs: number }>({ durationMs: _, ...rest }: T) {
  return rest;
}
