import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { readReplyFeatures } from "../belief/reply-features.ts";
import { loadRecording } from "./load.ts";
import { featuresOf } from "./replay.ts";

const TASK = { set: "s", category: "c", subtask: "u", answer: "4" };
const TASKS = [
  { ...TASK, id: "1", prompt: "One?" },
  { ...TASK, id: "2", prompt: "Two?", set: "other" },
];
const OUTCOME = { worker: "a", sample: 0, answer: "4", score: 1, tokens: 3 };
const OUTCOMES = [
  { ...OUTCOME, task: "1" },
  { ...OUTCOME, task: "2" },
];
const REPLY = { task: "1", worker: "a", sample: 0, reply: "I think so.\nAnswer: 4" };

function folderOf(
  replies: readonly unknown[],
  outcomes: readonly unknown[] = OUTCOMES,
  packed = false,
): string {
  const folder = mkdtempSync(join(tmpdir(), "tutti-replies-"));
  const write = (name: string, rows: readonly unknown[]) =>
    writeFileSync(join(folder, name), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  write("tasks.jsonl", TASKS);
  write("outcomes.jsonl", outcomes);
  if (packed)
    writeFileSync(
      join(folder, "replies.jsonl.gz"),
      gzipSync(replies.map((row) => JSON.stringify(row)).join("\n")),
    );
  else write("replies.jsonl", replies);
  return folder;
}

describe("replies beside the outcomes", () => {
  test.each([false, true])("give what they look like, and not their words (packed: %s)", async (packed) => {
    const recording = await loadRecording(folderOf([REPLY], OUTCOMES, packed));
    const [first] = recording.outcomesOf("1", "a");
    expect(first!.features).toEqual(readReplyFeatures(REPLY.reply));
    expect(first!.reply).toBeUndefined();
    expect(featuresOf(recording.outcomesOf("2", "a")[0]!)).toBeNull();
  });

  test("of a set that is not loaded they are passed over", async () => {
    const recording = await loadRecording(folderOf([REPLY, { ...REPLY, task: "2" }]), { set: "other" });
    expect(recording.outcomesOf("2", "a")[0]!.features).toBeDefined();
  });

  test.each([
    ["an unknown task", { ...REPLY, task: "9" }, /replies\.jsonl:2: no task "9"/],
    ["an unknown worker", { ...REPLY, worker: "z" }, /replies\.jsonl:2: no outcome of "z"/],
    ["a sample that was not recorded", { ...REPLY, sample: 3 }, /:2: there is no outcome for sample 3 of a/],
    ["a row that is there twice", REPLY, /:2: sample 0 of a on task "1" is there twice/],
    ["a reply that is no text", { ...REPLY, reply: 4 }, /:2: "reply" must be a text, not 4/],
    ["a sample that is no number", { ...REPLY, sample: "0" }, /"sample" must be a whole number/],
  ])("%s is said by file and line, and nothing is loaded", async (_, row, message) => {
    await expect(loadRecording(folderOf([REPLY, row]))).rejects.toThrow(message);
  });

  test("a reply of megabytes is read", async () => {
    const recording = await loadRecording(folderOf([{ ...REPLY, reply: "wait ".repeat(1_000_000) }]));
    expect(recording.outcomesOf("1", "a")[0]!.features!.characters).toBe(4_999_999);
  });
});

describe("features in the rows of outcomes", () => {
  test("are kept, and come before those of the text", async () => {
    const features = { characters: 9, cleanEnd: 0, hedges: 1, changes: 2, answers: 3 };
    const recording = await loadRecording(
      folderOf([], [{ ...OUTCOMES[0], reply: "x", features }, OUTCOMES[1]]),
    );
    expect(featuresOf(recording.outcomesOf("1", "a")[0]!)).toEqual(features);
  });

  test.each([{ characters: 4 }, "long", { characters: -1, cleanEnd: 1, hedges: 0, changes: 0, answers: 1 }])(
    "malformed ones are refused by line: %j",
    async (features) => {
      const outcomes = [{ ...OUTCOMES[0], features }, OUTCOMES[1]];
      await expect(loadRecording(folderOf([], outcomes))).rejects.toThrow(
        /outcomes\.jsonl:1: "features" must be an object of characters/,
      );
    },
  );
});
