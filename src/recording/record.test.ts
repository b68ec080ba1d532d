import { appendFileSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sameAnswer } from "../answer/normalise.ts";
import { TuttiError } from "../errors.ts";
import { createRehearsalPool } from "../rehearsal/pool.ts";
import { createRehearsalGrader, rehearsalTaskSet } from "../rehearsal/task-set.ts";
import type { GradedTask, Grader } from "../task/types.ts";
import { scriptedWorker, toPool } from "../testing/stage.ts";
import { loadRecording } from "./load.ts";
import { planRecording } from "./plan.ts";
import { recordOutcomes } from "./record.ts";
import type { RecordOptions, RecordProgress } from "./record-types.ts";

const PRICE = { inputUsd: 1, outputUsd: 10 };

const newFolder = () => join(mkdtempSync(join(tmpdir(), "tutti-record-")), "made");

function tasksOf(count: number, set = "s"): GradedTask[] {
  return Array.from({ length: count }, (_, i) => ({
    ...{ id: `${set}/${i}`, set, category: "c", subtask: "u" },
    ...{ prompt: `What is ${i} + 1?`, answer: String(i + 1), grader: "text" as const },
  }));
}

/** Adds what stands in the question, as the tasks above ask for it. */
function adder(id = "adder") {
  return scriptedWorker(id, ({ messages }) => {
    const [, number] = /(\d+) \+ 1/.exec(String(messages[0]!.content))!;
    return `Let me see.\nAnswer: ${Number(number) + 1}`;
  });
}

const grader: Grader = {
  async grade({ answer }, reply) {
    const isRight = sameAnswer(reply.split("Answer: ").at(-1)!, answer);
    return { score: isRight ? 1 : 0, why: "compared" };
  },
};

function record(options: Partial<RecordOptions> & Pick<RecordOptions, "folder" | "pool">) {
  return recordOutcomes({ tasks: tasksOf(3), grader, retries: 0, ...options });
}

function linesOf(folder: string, name: string): Record<string, unknown>[] {
  const text = readFileSync(join(folder, `${name}.jsonl`), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

describe("a recording is made", () => {
  test("of every worker, task and sample, and can be loaded", async () => {
    const folder = newFolder();
    const pool = toPool([adder(), scriptedWorker("wrong", "Answer: 99"), scriptedWorker("mute", "")], PRICE);
    const summary = await record({ folder, pool, samples: 2, concurrency: 2 });
    expect(summary).toMatchObject({
      ...{ recorded: 18, skipped: 0, failed: 0, left: 0, stopReason: "done", calls: 18, isSimulated: false },
      workers: [
        { id: "adder", recorded: 6, right: 6 },
        { id: "wrong", recorded: 6, right: 0 },
        { id: "mute", recorded: 6, right: 0 },
      ],
    });
    const recording = await loadRecording(folder);
    expect(recording.workersOf("s")).toHaveLength(3);
    const [first, second] = recording.outcomesOf("s/1", "adder");
    expect(first).toMatchObject({ sample: 0, answer: "2", score: 1, reply: "Let me see.\nAnswer: 2" });
    expect(first!.costUsd).toBeGreaterThan(0);
    expect(second).toMatchObject({ sample: 1 });
    expect(recording.outcomesOf("s/1", "mute")[0]).toMatchObject({ answer: null, score: 0, reply: "" });
    const total = linesOf(folder, "outcomes").reduce((sum, { costUsd }) => sum + Number(costUsd), 0);
    expect(summary.costUsd).toBeCloseTo(total, 9);
    expect(existsSync(join(folder, "record.lock"))).toBe(false);
  });

  test("with no more asks at a time than allowed", async () => {
    let now = 0;
    let most = 0;
    const worker = scriptedWorker("w", async () => {
      most = Math.max(most, ++now);
      await new Promise(setImmediate);
      now--;
      return "Answer: 1";
    });
    await record({ folder: newFolder(), pool: toPool([worker], PRICE), tasks: tasksOf(20), concurrency: 3 });
    expect(most).toBe(3);
  });

  test("telling how far it is", async () => {
    const seen: RecordProgress[] = [];
    const pool = toPool([adder()], PRICE);
    await record({ folder: newFolder(), pool, concurrency: 1, onProgress: (now) => seen.push(now) });
    expect(seen.map(({ done, total }) => `${done}/${total}`)).toEqual(["1/3", "2/3", "3/3"]);
    expect(seen.at(-1)!.leftMs).toBe(0);
    expect(seen[0]!.leftMs).toBeGreaterThan(0);
  });

  test("of the rehearsal, and it says that it is simulated", async () => {
    const folder = newFolder();
    const set = rehearsalTaskSet({ count: 30, seed: 5 });
    const pool = createRehearsalPool({ delayScale: 0, calibrationTasks: 2 });
    const options = { folder, pool, tasks: set.tasks, grader: createRehearsalGrader(), samples: 2 };
    const summary = await recordOutcomes(options);
    expect(summary).toMatchObject({ isSimulated: true, left: 0, failed: 0, recorded: set.tasks.length * 14 });
    const recording = await loadRecording(folder);
    expect(recording.workersOf("rehearsal").every((id) => id.startsWith("rehearsal/"))).toBe(true);
    const right = summary.workers.map((worker) => worker.right / worker.recorded);
    expect(Math.max(...right)).toBeGreaterThan(0.5);
    expect(Math.min(...right)).toBeLessThan(0.9);

    const again = newFolder();
    await recordOutcomes({ ...options, folder: again });
    const withoutTimes = (rows: Record<string, unknown>[]) =>
      rows.map(({ durationMs: _, ...row }) => JSON.stringify(row)).sort();
    expect(withoutTimes(linesOf(again, "outcomes"))).toEqual(withoutTimes(linesOf(folder, "outcomes")));
  });
});

describe("a recording goes on where it was left", () => {
  test("what is there is not asked again; more tasks, samples and workers are added", async () => {
    const folder = newFolder();
    await record({ folder, pool: toPool([adder()], PRICE), tasks: tasksOf(2) });
    const [worker, other] = [adder(), adder("other")];
    const more = { folder, pool: toPool([worker, other], PRICE), tasks: tasksOf(3), samples: 2 };
    expect(await planRecording({ ...more, maxOutputTokens: 100 })).toMatchObject({ calls: 10, recorded: 2 });
    expect(await record(more)).toMatchObject({ recorded: 10, skipped: 2, left: 0 });
    expect(worker.requests).toHaveLength(4);
    expect(await record(more)).toMatchObject({ recorded: 0, skipped: 12, calls: 0 });
    expect((await loadRecording(folder)).tasksOf("s")).toHaveLength(3);
  });

  test.each([
    ["torn", '{"task":"s/1","worker":"adder","sample":0,"ans'],
    ["torn in a character", Buffer.from('{"task":"s/1","worker":"é').subarray(0, -1)],
    ["whole, only its end is missing", undefined],
  ])("a last line that is %s", async (_, torn) => {
    const folder = newFolder();
    await record({ folder, pool: toPool([adder()], PRICE), tasks: tasksOf(1) });
    const file = join(folder, "outcomes.jsonl");
    if (torn) appendFileSync(file, torn);
    else writeFileSync(file, readFileSync(file, "utf8").trimEnd());
    const worker = adder();
    await record({ folder, pool: toPool([worker], PRICE), tasks: tasksOf(2) });
    expect(worker.requests).toHaveLength(1);
    expect((await loadRecording(folder)).workersOf("s")).toEqual(["adder"]);
  });

  test("a broken line in the middle is not mended but said", async () => {
    const folder = newFolder();
    await record({ folder, pool: toPool([adder()], PRICE) });
    const file = join(folder, "outcomes.jsonl");
    writeFileSync(file, readFileSync(file, "utf8").replace('"score":1', '"score":7'));
    await expect(record({ folder, pool: toPool([adder()], PRICE) })).rejects.toThrow(
      /outcomes\.jsonl:1: "score" must be a number from 0 to 1, not 7/,
    );
    expect(existsSync(join(folder, "record.lock"))).toBe(false);
  });

  test("after it was stopped in the middle of a reply", async () => {
    const folder = newFolder();
    const controller = new AbortController();
    const slow = scriptedWorker("slow", ({ messages }) => {
      if (!String(messages[0]!.content).includes("1 + 1")) return "Answer: 1";
      controller.abort();
      return new Promise(() => {});
    });
    const summary = await record({
      ...{ folder, pool: toPool([slow], PRICE), concurrency: 1, signal: controller.signal },
    });
    expect(summary).toMatchObject({ stopReason: "cancelled", recorded: 1, left: 2, failed: 0 });
    expect(await record({ folder, pool: toPool([adder("slow")], PRICE) })).toMatchObject({
      recorded: 2,
      left: 0,
    });
  });

  test("but not into a folder of another set, a finished one, or one in use", async () => {
    const folder = newFolder();
    const pool = toPool([adder()], PRICE);
    await record({ folder, pool });
    const changed = tasksOf(3).map((task) => ({ ...task, prompt: "Something else?" }));
    await expect(record({ folder, pool, tasks: changed })).rejects.toThrow(/another task "s\/0"/);

    writeFileSync(join(folder, "record.lock"), JSON.stringify({ pid: process.pid, host: "elsewhere" }));
    await expect(record({ folder, pool })).rejects.toMatchObject({ code: "recording-active" });
    writeFileSync(join(folder, "record.lock"), "left behind, half written");
    await expect(record({ folder, pool })).resolves.toMatchObject({ left: 0 });

    writeFileSync(join(folder, "outcomes.jsonl.gz"), "");
    await expect(record({ folder, pool })).rejects.toThrow(/gunzip/);
  });
});

describe("the budget holds", () => {
  test("no ask is begun that could go over it, and replies are not shortened", async () => {
    const worker = scriptedWorker("w", ({ maxOutputTokens }) => {
      expect(maxOutputTokens).toBe(1000);
      return `${"word ".repeat(700)}Answer: 1`;
    });
    const options = { folder: newFolder(), pool: toPool([worker], PRICE), tasks: tasksOf(30) };
    const summary = await record({ ...options, maxOutputTokens: 1000, budgetUsd: 0.05, concurrency: 4 });
    expect(summary).toMatchObject({ stopReason: "budget-usd", failed: 0 });
    expect(summary.costUsd).toBeLessThanOrEqual(0.05);
    expect(summary.recorded).toBeGreaterThan(3);
    expect(summary.left).toBe(30 - summary.recorded);
  });

  test("a budget for nothing asks nobody", async () => {
    const worker = adder();
    const summary = await record({ folder: newFolder(), pool: toPool([worker], PRICE), budgetUsd: 0 });
    expect(summary).toMatchObject({ stopReason: "budget-usd", recorded: 0 });
    expect(worker.requests).toHaveLength(0);
  });

  test("an unknown price is refused under a budget unless allowed", async () => {
    const options = { folder: newFolder(), pool: toPool([adder()]), budgetUsd: 1 };
    await expect(record(options)).rejects.toThrow(/price of adder is unknown/);
    const summary = await record({ ...options, allowUnknownPrice: true });
    expect(summary).toMatchObject({ recorded: 3, unpricedCalls: 3, costUsd: 0 });
  });

  test("the estimate lies below its upper bound, which the real cost keeps", async () => {
    const options = { folder: newFolder(), pool: toPool([adder()], PRICE), tasks: tasksOf(3) };
    const plan = await planRecording({ ...options, samples: 1, maxOutputTokens: 2000 });
    expect(plan).toMatchObject({ calls: 3, recorded: 0, unpriced: [] });
    expect(plan.usd).toBeGreaterThan(0);
    expect(plan.maxUsd).toBeGreaterThan(plan.usd);
    expect(existsSync(options.folder)).toBe(false);
    const { costUsd } = await record({ ...options, maxOutputTokens: 2000 });
    expect(costUsd).toBeLessThanOrEqual(plan.maxUsd);
  });
});

describe("failures are no wrong answers", () => {
  test("one that fails once is asked again", async () => {
    const worker = scriptedWorker("w", (_request, _signal, call) =>
      call === 0 ? new TuttiError("rate-limited", "wait", { retryable: true, retryAfterMs: 0 }) : "Answer: 1",
    );
    const options = { folder: newFolder(), pool: toPool([worker], PRICE), tasks: tasksOf(1), retries: 1 };
    expect(await record(options)).toMatchObject({ recorded: 1, failed: 0, calls: 2 });
  });

  test("nothing is recorded, samples stay without gaps, and the next call tries again", async () => {
    const folder = newFolder();
    const worker = scriptedWorker("w", (_request, _signal, call) =>
      call === 0 ? new TuttiError("bad-request", "too long") : "Answer: 1",
    );
    const options = { folder, pool: toPool([worker], PRICE), tasks: tasksOf(2), samples: 2, concurrency: 1 };
    const summary = await record(options);
    expect(summary).toMatchObject({ recorded: 3, failed: 1, left: 1, stopReason: "done" });
    expect(summary.workers[0]).toMatchObject({ error: "too long" });
    expect((await loadRecording(folder)).outcomesOf("s/0", "w").map(({ sample }) => sample)).toEqual([0]);
    expect(await record(options)).toMatchObject({ recorded: 1, left: 0 });
  });

  test("a refused key or many failures in a row end a worker, not the others", async () => {
    const refused = scriptedWorker("refused", () => new TuttiError("auth", "no such key"));
    const broken = scriptedWorker("broken", () => new TuttiError("bad-request", "no"));
    const options = { folder: newFolder(), tasks: tasksOf(20), concurrency: 1 };
    const summary = await record({ ...options, pool: toPool([refused, broken, adder()], PRICE) });
    expect([refused.requests.length, broken.requests.length]).toEqual([1, 5]);
    expect(summary.workers).toMatchObject([{ isGivenUp: true }, { isGivenUp: true }, { recorded: 20 }]);
    expect(summary.left).toBe(40);
  });

  test("what cannot be graded is not recorded, and stops before much is spent", async () => {
    const worker = adder();
    const none: Grader = { grade: async () => ({ score: 0, why: "the judge is down", ungraded: true }) };
    const options = {
      folder: newFolder(),
      pool: toPool([worker], PRICE),
      tasks: tasksOf(20),
      concurrency: 1,
    };
    const summary = await record({ ...options, grader: none });
    expect(summary).toMatchObject({ stopReason: "cannot-grade", recorded: 0, ungraded: 5 });
    expect(worker.requests).toHaveLength(5);
    const failing: Grader = { grade: () => Promise.reject(new Error("no")) };
    expect(await record({ ...options, grader: failing })).toMatchObject({ ungraded: 5 });
  });

  test("programs that this machine cannot grade are not even asked for", async () => {
    const worker = adder();
    const tests = {
      language: "python" as const,
      style: "stdin" as const,
      cases: [{ input: "", output: "1" }],
    };
    const tasks = tasksOf(2).map((task) => ({ ...task, grader: "code" as const, tests }));
    const none: Grader = { grade: async () => ({ score: 0, why: "no sandbox", ungraded: true }) };
    const options = { folder: newFolder(), pool: toPool([worker], PRICE), tasks, grader: none };
    await expect(record(options)).rejects.toMatchObject({ code: "cannot-grade" });
    expect(worker.requests).toHaveLength(0);
    const summary = await record({ ...options, grader });
    expect(summary).toMatchObject({ recorded: 2 });
  });

  test("without tasks or models there is nothing to do", async () => {
    const folder = newFolder();
    await expect(record({ folder, pool: toPool([adder()]), tasks: [] })).rejects.toThrow(/no task/);
    const tool = scriptedWorker("vote", "x", "tool");
    await expect(record({ folder, pool: toPool([tool]) })).rejects.toThrow(/no model/);
  });
});
