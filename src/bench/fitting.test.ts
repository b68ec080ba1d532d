import { describe, expect, it } from "vitest";
import { toTask } from "../testing/bench-rows.ts";
import { scriptedWorker, toPool } from "../testing/stage.ts";
import { createLiveSet, readScores } from "../world/sets.ts";
import { sampleTasks, splitByFamily, splitOf, splitTasks } from "../world/split.ts";
import { checkSeparation, fitSet } from "./fitting.ts";

const tasks = Array.from({ length: 200 }, (_, i) => toTask(i));

describe("splits of a set", () => {
  it("hold every task once", () => {
    const { train, validation, test } = splitTasks(tasks, "prompt", 0);
    expect([...train, ...validation, ...test].map(({ id }) => id).toSorted()).toEqual(
      tasks.map(({ id }) => id).toSorted(),
    );
    for (const task of test) expect(splitOf(task)).toBe("test");
  });

  it("by family leave no family on both sides, and drop what has a twin in the test", () => {
    const many = Array.from({ length: 300 }, (_, i) => ({ ...toTask(i), family: `family ${i % 30}` }));
    const families = many.map(({ family }) => family);
    const tested = families.find((family) => splitByFamily({ family }) === "test")!;
    const trained = families.find((family) => splitByFamily({ family }) === "train")!;
    const twin = { ...many.find(({ family }) => family === tested)!, id: "twin", family: trained };
    const { train, test } = splitTasks([...many, twin], "family", 0);
    const families0 = new Set(train.map(({ family }) => family));
    for (const { family } of test) expect(families0.has(family)).toBe(false);
    expect(train.some(({ id }) => id === "twin")).toBe(false);
  });

  it("need something to learn from and something to test", () => {
    expect(() => splitTasks(tasks.slice(0, 1), "prompt", 0)).toThrow(/1 tasks are too few/);
  });
});

describe("sampled tasks", () => {
  it("do not depend on the order, and fewer are a part of more", () => {
    const ids = (limit: number, from = tasks) => sampleTasks(from, limit).map(({ id }) => id);
    expect(ids(40, tasks.toReversed())).toEqual(ids(40));
    expect(ids(60).slice(0, 40)).toEqual(ids(40));
    expect(ids(40)).not.toEqual(tasks.slice(0, 40).map(({ id }) => id));
    expect(sampleTasks(tasks, undefined)).toHaveLength(200);
  });
});

describe("fitting", () => {
  const grader = { grade: async () => ({ score: 0, why: "" }) };
  const toSet = (member: Parameters<typeof toPool>[0][number]) =>
    createLiveSet({ id: "sums", tasks, source: "made up" }, toPool([member]), grader);
  const training = [{ task: tasks[0]!, scores: [1] }];

  it("refuses a test task, and a twin of one", () => {
    expect(() => checkSeparation(training, [tasks[0]!])).toThrow("Task t0 is a test task");
    const twin = { ...tasks[0]!, id: "other", prompt: "WHAT is  twice 0?" };
    expect(() => checkSeparation(training, [twin])).toThrow("Task t0 asks the same as test task other");
    expect(() => fitSet(toSet(scriptedWorker("a", "")), training, [tasks[0]!], 0)).toThrow("is a test task");
    expect(() => checkSeparation(training, [tasks[1]!])).not.toThrow();
  });

  it("knows nothing of a worker but what training tasks say", () => {
    const known = {
      worker: scriptedWorker("a", ""),
      profile: { success: 0.99, tasks: 9, topics: { logic: 1 } },
    };
    const { pool } = fitSet(toSet(known), [{ task: tasks[0]!, scores: [0] }], tasks.slice(1), 0);
    expect(pool.members[0]!.profile).toMatchObject({ success: 0, tasks: 1, topics: {} });
  });

  it("reads the share of right samples from a recording", () => {
    const pool = toPool([
      scriptedWorker("a", ""),
      scriptedWorker("b", ""),
      scriptedWorker("tool", "", "tool"),
    ]);
    const recorded = (_: string, worker: string) => (worker === "a" ? [1, 0, 1, 1] : []);
    expect(readScores(tasks.slice(0, 1), pool, { recorded })[0]!.scores).toEqual([
      0.75,
      undefined,
      undefined,
    ]);
  });
});
