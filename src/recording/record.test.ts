import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createRehearsalPool } from "../rehearsal/pool.ts";
import { createRehearsalGrader, rehearsalTaskSet } from "../rehearsal/task-set.ts";
import { adder, newFolder, PRICE, record, tasksOf } from "../testing/recording.ts";
import { scriptedWorker, toPool } from "../testing/stage.ts";
import { loadRecording } from "./load.ts";
import { planRecording } from "./plan.ts";
import { recordOutcomes } from "./record.ts";
import type { RecordProgress } from "./record-types.ts";

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
