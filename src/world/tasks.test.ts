import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { createRandom, hashSeed } from "../base/random.ts";
import { evaluate } from "../bench/evaluate.ts";
import { textOf } from "../calibration/text-features.ts";
import type { Calibration } from "../calibration/types.ts";
import { AskBudget, Ledger } from "../perform/ledger.ts";
import { type GradedTask, toMessages } from "../task/types.ts";
import { adder, grader, PRICE, tasksOf } from "../testing/recording.ts";
import { playedConductor, scriptedWorker, step, toPool } from "../testing/stage.ts";
import { createFiles } from "../testing/temporary-files.ts";
import type { Pool } from "../worker/types.ts";
import { openReplyCache, type ReplyCache } from "./live/reply-cache.ts";
import { splitOf } from "./split.ts";
import { createTasksWorld, type TasksWorldOptions } from "./tasks.ts";

const files = createFiles();
let used = 0;
let cache: ReplyCache | undefined;
afterEach(() => {
  cache?.close();
  cache = undefined;
});

const NAMES = ["adder", "b", "c", "d"];
const set = { id: "sums", tasks: tasksOf(200), source: "made up" };
const workers = () => [adder(), ...NAMES.slice(1).map((id) => scriptedWorker(id, "Answer: 0"))];
const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);
const idsOf = ({ members }: Pool) => members.map(({ worker }) => worker.id);

async function open(parts: Partial<TasksWorldOptions> = {}) {
  cache?.close();
  cache = await openReplyCache(join(files.folder, `${used++}.jsonl`));
  const budget = new AskBudget(new Ledger(10));
  const pool = toPool(workers(), PRICE);
  return createTasksWorld({ set, pool, grader, cache, budget, seed: 1, pools: "random", ...parts });
}

/** Two lists of tasks in which every word counts, since digits look all alike to whoever compares questions. */
function wordTasks(count: number): GradedTask[] {
  const word = (i: number) => [...String(hashSeed(i))].map((digit) => "abcdefghij"[Number(digit)]).join("");
  return numbers(count).map((i) => ({
    ...tasksOf(1)[0]!,
    id: `words/${i}`,
    prompt: `Which ${word(i % 5)} has ${word(i)} and ${word(i + 3)}?`,
  }));
}

function calibrationOf(tasks: readonly GradedTask[], turned: ReadonlySet<string> = new Set()): Calibration {
  return {
    workers: NAMES,
    tasks: tasks.map((task) => ({ text: task.prompt })),
    scores: tasks.map(({ id }) =>
      NAMES.map((name) => {
        const isRight = createRandom(hashSeed(id, name)).next() < 0.5;
        return isRight !== turned.has(id) ? 1 : 0;
      }),
    ),
    source: "a test",
  };
}

describe("draws of tasks", () => {
  test("are the same for a seed, shuffled, with two or more models and `consensus`", async () => {
    const world = await open();
    const seen = (each: typeof world) => numbers(40).map((number) => JSON.stringify(each.sample(number)));
    const first = seen(world);
    expect(seen(await open())).toEqual(first);
    expect(seen(await open({ seed: 2 }))).not.toEqual(first);
    const pools = numbers(300).map((number) => idsOf(world.sample(number).pool));
    for (const ids of pools) {
      expect(ids).toContain("consensus");
      expect(ids.length).toBeGreaterThanOrEqual(3);
    }
    expect(new Set(pools.map(([id]) => id)).size).toBe(5);
    expect(new Set(pools.map(({ length }) => length))).toEqual(new Set([3, 4, 5]));
    const fixed = await open({ pools: "fixed" });
    for (const number of numbers(20)) expect(fixed.sample(number).pool.members).toHaveLength(5);
  });

  test("are of the train split, tune questions of the tune split, and the tokenizer reads the former", async () => {
    const world = await open({ validation: 5 });
    fc.assert(
      fc.property(fc.nat(), (number) => {
        expect(splitOf(world.sample(number).task)).toBe("train");
      }),
      { seed: 1, numRuns: 200 },
    );
    expect(world.validation).toHaveLength(5);
    for (const { task } of world.validation) expect(splitOf(task)).toBe("validation");
    const trained = new Set(
      set.tasks.filter((task) => splitOf(task) === "train").map((task) => textOf(toMessages(task))),
    );
    expect(new Set(world.texts())).toEqual(trained);
  });
});

describe("profiles of a live pool", () => {
  const tasks = wordTasks(120);
  const similarOf = async (parts: Partial<TasksWorldOptions>) => {
    const world = await open({
      set: { id: "words", tasks, source: "made up" },
      pools: "fixed",
      validation: 20,
      ...parts,
    });
    const figures = new Map<string, string>();
    for (const { task, pool } of [
      ...world.validation,
      ...numbers(300).map((number) => world.sample(number)),
    ]) {
      const members = pool.members.map(({ worker, profile }) => [worker.id, profile?.similar]);
      figures.set(task.id, JSON.stringify(members.sort()));
    }
    return figures;
  };

  test("know nothing of what was measured on tune and test tasks", async () => {
    const held = new Set(tasks.filter((task) => splitOf(task) !== "train").map(({ id }) => id));
    expect(held.size).toBeGreaterThan(30);
    const honest = await similarOf({ calibration: calibrationOf(tasks) });
    expect(await similarOf({ calibration: calibrationOf(tasks, held) })).toEqual(honest);
    const one = new Set([tasks.find((task) => splitOf(task) === "train")!.id]);
    expect(await similarOf({ calibration: calibrationOf(tasks, one) })).not.toEqual(honest);
  });

  test("take in ratings of other questions, and none of the set's own", async () => {
    const rate = (question: string) =>
      numbers(20).map(() => ({ workers: ["b"], question, score: 0, at: Date.now() }));
    const successOf = async (question: string, configured = "") => {
      const isConfigured = (id: string) => id === configured;
      const ratings = { observations: rate(question), halfLifeDays: 30, isConfigured };
      const world = await open({ calibration: calibrationOf(set.tasks), ratings, pools: "fixed" });
      const { members } = world.sample(0).pool;
      return members.find(({ worker }) => worker.id === "b")!.profile!.success;
    };
    const measured = await successOf(set.tasks[3]!.prompt);
    expect(await successOf("Who wrote Faust?")).toBeLessThan(measured - 0.02);
    expect(await successOf("Who wrote Faust?", "b")).toBe(measured);
  });

  test("leave out the task itself, and are absent without a calibration", async () => {
    const train = tasks.filter((task) => splitOf(task) === "train");
    const honest = await similarOf({ calibration: calibrationOf(tasks) });
    for (const { id } of train.slice(0, 5)) {
      const turned = await similarOf({ calibration: calibrationOf(tasks, new Set([id])) });
      const rates = (figures: Map<string, string>) =>
        JSON.parse(figures.get(id)!) as [string, number | undefined][];
      const before = new Map(rates(honest));
      for (const [worker, rate] of rates(turned)) {
        if (worker === "consensus") continue;
        // Of the overall rate this task is one of sixty; among its own neighbours it would be the nearest.
        expect(Math.abs(rate! - before.get(worker)!)).toBeLessThan(0.02);
      }
    }
    const bare = await open();
    expect(bare.sample(1).pool.members.every(({ profile }) => profile === undefined)).toBe(true);
  });
});

describe("practice with a live pool", () => {
  const perform = (
    world: Awaited<ReturnType<typeof open>>,
    pool: Pool,
    tasks: GradedTask[],
    worker: number,
  ) =>
    evaluate({
      conductor: playedConductor({ steps: [step(worker, "Answer it.")] }),
      ...{ world, pool, tasks, rounds: 1, seed: 1, concurrency: 1 },
    });

  test("asks for the same step once, and grades it every time", async () => {
    const asked = adder();
    const world = await open({ pool: toPool([asked, ...workers().slice(1)], PRICE), pools: "fixed" });
    const { pool, task } = world.sample(3);
    const number = idsOf(pool).indexOf("adder");
    for (const _ of numbers(4)) {
      const [row] = await perform(world, pool, [task], number);
      expect(row).toMatchObject({ score: 1, isOutage: false, calls: 1 });
      // What its user would pay, also where it was not paid again.
      expect(row!.costUsd).toBeGreaterThan(0);
    }
    expect(asked.requests).toHaveLength(1);
  });

  test("a spent budget is an outage and not a wrong answer, and what is known is still answered", async () => {
    const budget = new AskBudget(new Ledger(0.09));
    const world = await open({ budget, pools: "fixed" });
    const { pool } = world.sample(3);
    const tasks = set.tasks.slice(0, 60);
    const number = idsOf(pool).indexOf("adder");
    const rows = await perform(world, pool, tasks, number);
    const paid = rows.filter(({ isOutage }) => !isOutage);
    expect(paid.length).toBeGreaterThan(2);
    expect(paid.length).toBeLessThan(60);
    expect(paid.every(({ score, calls }) => score === 1 && calls === 1)).toBe(true);
    const unpaid = rows.filter(({ isOutage }) => isOutage);
    expect(unpaid.every(({ calls, costUsd }) => calls === 0 && costUsd === 0)).toBe(true);
    expect(budget.spentUsd).toBeLessThanOrEqual(0.09);
    const again = await perform(world, pool, tasks.slice(0, paid.length), number);
    expect(again.every(({ score }) => score === 1)).toBe(true);
  });

  test("refuses a pool whose prices are not known, and one without models", async () => {
    await expect(open({ pool: toPool(workers()) })).rejects.toThrow(
      'price of "adder", "b", "c", "d" is not known',
    );
    await expect(open({ pool: { members: [] } })).rejects.toThrow("no model to ask");
    const free = await open({
      pool: toPool(workers()),
      budget: new AskBudget(new Ledger(Number.POSITIVE_INFINITY)),
    });
    expect(free).toMatchObject({ kind: "tasks", name: "sums", isSimulated: false, isInstant: false });
  });
});

test("tasks that a program could grade itself are refused, unless they are allowed", async () => {
  const [first, ...others] = tasksOf(200);
  const tests = { language: "python", style: "function", entry: "f", check: "import unittest" } as const;
  const inside = { ...set, tasks: [{ ...first!, tests }, ...others] };
  await expect(open({ set: inside })).rejects.toThrow(/1 of 200 tasks .*--allow-inside-grades/);
  expect(await open({ set: inside, allowInsideGrades: true })).toMatchObject({ allowsInsideGrades: true });
});
