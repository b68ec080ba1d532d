import { expect, test } from "vitest";
import { adder, newFolder, PRICE, record, tasksOf } from "../testing/recording.ts";
import { scriptedWorker, toPool } from "../testing/stage.ts";
import { createFiles } from "../testing/temporary-files.ts";
import { toCalibration } from "./to-calibration.ts";

test("what was recorded is right or wrong by task and worker, with delays and costs", async () => {
  const folder = newFolder();
  const tasks = tasksOf(3).map((task) => ({ ...task, category: "arithmetic" }));
  const clueless = scriptedWorker("clueless", "Answer: 1");
  await record({ folder, tasks, pool: toPool([adder(), clueless], PRICE) });
  const calibration = await toCalibration(folder, "a test");
  expect(calibration).toMatchObject({
    workers: ["adder", "clueless"],
    scores: [
      [1, 1],
      [1, 0],
      [1, 0],
    ],
    source: "a test",
  });
  expect(calibration.tasks[2]).toMatchObject({
    text: "What is 2 + 1?",
    topic: "arithmetic",
    category: "arithmetic",
  });
  expect(calibration.delaysMs!.every((ms) => ms !== undefined && ms >= 0)).toBe(true);
  expect(calibration.costsUsd.every((usd) => usd! > 0)).toBe(true);
});

test("one that was cut short counts as far as it goes", async () => {
  const { folder, writeRows } = createFiles();
  const task = (id: string) => ({
    id,
    set: "s",
    category: "c",
    subtask: "u",
    prompt: `ask ${id}`,
    answer: "1",
  });
  writeRows("tasks.jsonl", { ...task("a"), choices: ["x", "y"] }, task("b"), task("unasked"));
  const outcome = { answer: "1", tokens: 1 };
  writeRows(
    "outcomes.jsonl",
    { ...outcome, task: "a", worker: "w", sample: 0, score: 1, durationMs: 30, costUsd: 0.5 },
    { ...outcome, task: "a", worker: "w", sample: 1, score: 0.98, durationMs: 10, costUsd: 0.25 },
    { ...outcome, task: "b", worker: "v", sample: 0, score: 0.99 },
  );
  expect(await toCalibration(folder, "cut")).toEqual({
    workers: ["v", "w"],
    tasks: [
      { text: "ask a\n(A) x\n(B) y", category: "c", family: "u" },
      { text: "ask b", category: "c", family: "u" },
    ],
    scores: [
      [undefined, 0.5],
      [1, undefined],
    ],
    answers: [
      [undefined, 0],
      [0, undefined],
    ],
    source: "cut",
    delaysMs: [undefined, 30],
    costsUsd: [undefined, 0.75],
  });
});

test("nothing recorded is nobody measured, and a bad row is named by file and line", async () => {
  expect(await toCalibration(newFolder(), "none")).toMatchObject({ workers: [], tasks: [], scores: [] });
  const { folder, writeRows } = createFiles();
  writeRows("tasks.jsonl", { id: 1 });
  await expect(toCalibration(folder, "bad")).rejects.toThrow(/tasks\.jsonl:1: "id" must/);
});
