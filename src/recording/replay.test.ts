import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { performRun } from "../perform/driver.ts";
import { type Run, toRun } from "../perform/run.ts";
import { playedConductor, step, toStage, toStart } from "../testing/stage.ts";
import { createConsensusWorker } from "../worker/consensus.ts";
import type { Brief, Pool, VisibleStep, Worker } from "../worker/types.ts";
import type { Workflow } from "../workflow/types.ts";
import { loadRecording } from "./load.ts";
import { createRecordedPool, gradeRecorded } from "./replay.ts";

const ROWS = [
  { task: "1", worker: "a", sample: 0, answer: "6", score: 0, tokens: 7 },
  { task: "1", worker: "a", sample: 1, answer: "7", score: 1, tokens: 8 },
  { task: "1", worker: "b", sample: 0, answer: "7", score: 1, tokens: 9, reply: "So it is.\nAnswer: 7" },
  { task: "1", worker: "c", sample: 0, answer: null, score: 0, tokens: 3 },
  { task: "1", worker: "d", sample: 0, answer: "half", score: 0.5, tokens: 3 },
];

async function open() {
  const folder = mkdtempSync(join(tmpdir(), "tutti-replay-"));
  const task = { id: "1", set: "s", category: "c", subtask: "u", prompt: "?", answer: "7" };
  const other = { ...task, id: "2", set: "t" };
  writeFileSync(join(folder, "tasks.jsonl"), `${JSON.stringify(task)}\n${JSON.stringify(other)}\n`);
  const rows = [...ROWS, { ...ROWS[0]!, task: "2" }];
  writeFileSync(join(folder, "outcomes.jsonl"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  const recording = await loadRecording(folder);
  return { recording, pool: createRecordedPool(recording, "s"), task: recording.tasksOf("s")[0]! };
}

async function ask(worker: Worker, brief: Partial<Brief>) {
  const request = {
    get messages(): never {
      throw new Error("nobody may render messages for a recorded worker");
    },
    brief: { task: { id: "1", messages: [] }, subtask: "", visible: [], isLast: true, ...brief },
    maxOutputTokens: 10,
  };
  const events = [];
  for await (const event of worker.ask(request, new AbortController().signal)) events.push(event);
  return events;
}

describe("a recorded worker", () => {
  test("says what was recorded, with its tokens", async () => {
    const { pool } = await open();
    expect(pool.members.map(({ worker, price }) => [worker.id, price])).toEqual(
      ["a", "b", "c", "d"].map((id) => [id, undefined]),
    );
    const usage = { inputTokens: 0, outputTokens: 7, cachedInputTokens: 0, reasoningTokens: 0 };
    expect(await ask(pool.members[0]!.worker, {})).toEqual([
      { type: "text-delta", text: "Answer: 6" },
      // Nobody recorded what it cost: unknown, not free.
      { type: "finish", usage, reason: "stop", features: null, billed: { costUsd: undefined, calls: 1 } },
    ]);
    expect((await ask(pool.members[0]!.worker, { asksBefore: 1 }))[0]).toMatchObject({ text: "Answer: 7" });
    expect((await ask(pool.members[1]!.worker, {}))[0]).toMatchObject({ text: "So it is.\nAnswer: 7" });
  });

  test("says nothing where nothing could be extracted", async () => {
    const { pool } = await open();
    expect(await ask(pool.members[2]!.worker, {})).toMatchObject([{ type: "finish" }]);
  });

  test.each<[string, Partial<Brief>]>([
    ["no-more-samples", { asksBefore: 2 }],
    [
      "handoff-not-recorded",
      { visible: [{ round: 0, step: 0, worker: 1, subtask: "", reply: "x" }] as VisibleStep[] },
    ],
    ["not-recorded", { task: { id: "9", messages: [] } }],
    ["not-recorded", { task: { messages: [] } }],
  ])("refuses with %s what was not recorded", async (code, brief) => {
    const { pool } = await open();
    await expect(ask(pool.members[0]!.worker, brief)).rejects.toMatchObject({ code, retryable: false });
  });

  test("is chosen by name, and has the profile it is given", async () => {
    const { recording } = await open();
    const profile = { success: 0.5, tasks: 1, topics: {} };
    const pool = createRecordedPool(recording, "s", { workers: ["b"], profiles: new Map([["b", profile]]) });
    expect(pool.members).toMatchObject([{ worker: { id: "b" }, profile }]);
    expect(() => createRecordedPool(recording, "s", { workers: ["z"] })).toThrow(
      '"z" is not in the recording',
    );
    expect(() => createRecordedPool(recording, "t", { workers: ["b"] })).toThrow("(there are: a)");
  });
});

async function perform(pool: Pool, workflow: Workflow): Promise<Run> {
  const withVote = { members: [...pool.members, { worker: createConsensusWorker() }] };
  const start = toStart(withVote);
  start.task = { id: "1", messages: [{ role: "user", content: "?" }] };
  return toRun(await performRun(start, toStage(withVote, playedConductor(workflow))));
}

describe("the grade is that of the reply that was chosen", () => {
  test.each<[string, Workflow, number, string]>([
    ["one worker", { steps: [step(0, "")] }, 0, "recorded: a, sample 0, was wrong"],
    ["its next sample", { steps: [step(0, ""), step(0, "")] }, 1, "recorded: a, sample 1, was right"],
    ["in part", { steps: [step(3, "")] }, 0.5, "recorded: d, sample 0, was right in part (0.5)"],
    [
      "a vote",
      { steps: [step(0, ""), step(1, ""), step(0, ""), step(4, "", "all")] },
      1,
      "recorded: b, sample 0, was right",
    ],
    ["silence", { steps: [step(2, "")] }, 0, "recorded: c, sample 0, was wrong"],
  ])("%s", async (_, workflow, score, why) => {
    const { recording, pool, task } = await open();
    const run = await perform(pool, workflow);
    expect(gradeRecorded(recording, task, run)).toEqual({ score, why });
  });

  test("a text that nobody has recorded is not graded", async () => {
    const { recording, task } = await open();
    expect(gradeRecorded(recording, task, { answer: "x", hasAnswer: true, steps: [] })).toMatchObject({
      ungraded: true,
    });
    expect(gradeRecorded(recording, task, { answer: "", hasAnswer: false, steps: [] })).toMatchObject({
      score: 0,
    });
  });
});
