import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRandom } from "../base/random.ts";
import { loadRecording } from "./load.ts";
import type { RecordedOutcome, TaskRow } from "./types.ts";

function task(id: string, set = "s"): TaskRow {
  return { id, set, category: "c", subtask: "u", prompt: `What is ${id}?`, answer: id };
}

function outcome(
  id: string,
  worker: string,
  sample = 0,
  more: Partial<RecordedOutcome> = {},
): RecordedOutcome {
  return { task: id, worker, sample, answer: id, score: 1, tokens: 10, ...more };
}

interface Content {
  tasks?: unknown[] | string | Buffer;
  outcomes?: unknown[] | string | Buffer;
}

function folderOf(content: Content, ending = ""): string {
  const folder = mkdtempSync(join(tmpdir(), "tutti-recording-"));
  for (const [name, rows] of Object.entries(content)) {
    const text = Array.isArray(rows) ? rows.map((row) => `${JSON.stringify(row)}\n`).join("") : rows;
    writeFileSync(join(folder, `${name}.jsonl${ending}`), ending === "" ? text : gzipSync(text));
  }
  return folder;
}

/** Bytes that are in use and cannot be collected. */
function measureMemory(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const SMALL = {
  tasks: [task("1"), task("2"), task("3", "t")],
  outcomes: [
    outcome("2", "b", 0, { score: 0.5, answer: null }),
    outcome("1", "a", 1, { score: 0, costUsd: 0.2 }),
    outcome("1", "a", 0, { reply: "It is 1.\nAnswer: 1", costUsd: 0.1, durationMs: 5 }),
    outcome("2", "a", 0, { costUsd: 0.1 }),
    outcome("3", "c"),
  ],
};

describe("a recording is loaded", () => {
  test.each([
    ["plain", ""],
    ["compressed", ".gz"],
  ])("%s", async (_, ending) => {
    const recording = await loadRecording(folderOf(SMALL, ending));
    expect(recording.sets.map(({ id, tasks }) => [id, tasks.length])).toEqual([
      ["s", 2],
      ["t", 1],
    ]);
    const { subtask, ...rest } = task("1");
    expect(recording.tasksOf("s")[0]).toEqual({ ...rest, family: subtask, grader: "recorded" });
    expect(recording.outcomesOf("1", "a")).toEqual([
      outcome("1", "a", 0, { reply: "It is 1.\nAnswer: 1", costUsd: 0.1, durationMs: 5 }),
      outcome("1", "a", 1, { score: 0, costUsd: 0.2 }),
    ]);
    expect(recording.outcomesOf("2", "b")).toEqual([outcome("2", "b", 0, { score: 0.5, answer: null })]);
    expect(recording.outcomesOf("1", "b")).toEqual([]);
    expect(recording.outcomesOf("9", "a")).toEqual([]);
    expect(recording.outcomesOf("1", "nobody")).toEqual([]);
  });

  test("workers of a set are those that answered all of it, or any", async () => {
    const recording = await loadRecording(folderOf(SMALL));
    expect(recording.workersOf("s")).toEqual(["a"]);
    expect(recording.workersOf("s", { all: false })).toEqual(["b", "a"]);
    expect(recording.workersOf("t")).toEqual(["c"]);
    expect(() => recording.workersOf("x")).toThrow('No set "x"');
  });

  test("one set of several", async () => {
    const folder = folderOf({ tasks: SMALL.tasks, outcomes: SMALL.outcomes.slice(0, 4) });
    const recording = await loadRecording(folder, { set: "s" });
    expect(recording.sets.map(({ id }) => id)).toEqual(["s"]);
    expect(recording.workersOf("s")).toEqual(["a"]);
    // The other set has no outcome at all, which is only noticed when it is asked for.
    await expect(loadRecording(folder)).rejects.toThrow(
      /tasks\.jsonl:3: no outcome of any worker for task "3"/,
    );
    await expect(loadRecording(folder, { set: "x" })).rejects.toThrow('No set "x" in');
  });

  test("some sets of several, in the order they are named in", async () => {
    const folder = folderOf({
      tasks: [task("1"), task("2", "t"), task("3", "u")],
      outcomes: [outcome("1", "a"), outcome("2", "a")],
    });
    const some = await loadRecording(folder, { sets: ["t", "s"] });
    expect(some.sets.map(({ id }) => id)).toEqual(["t", "s"]);
    expect(some.outcomesOf("2", "a")).toHaveLength(1);
    await expect(loadRecording(folder, { sets: ["s", "u"] })).rejects.toThrow('for task "3"');
    await expect(loadRecording(folder, { sets: ["s", "x"] })).rejects.toThrow('No set "x" in');
  });

  test("mixed line ends, blank lines and no end of the last line", async () => {
    const tasks = `\uFEFF${JSON.stringify(task("1"))}\r\n\r\n${JSON.stringify(task("2"))}\r${JSON.stringify(task("é"))}`;
    const outcomes = ["1", "2", "é"].map((id) => JSON.stringify(outcome(id, "w"))).join("\n");
    const recording = await loadRecording(folderOf({ tasks, outcomes }));
    expect(recording.tasksOf("s").map(({ id }) => id)).toEqual(["1", "2", "é"]);
  });

  test("whatever the order of the rows, the same outcomes are found", async () => {
    const cells = fc.uniqueArray(fc.tuple(fc.nat(7), fc.nat(3)), {
      selector: ([t, w]) => t * 10 + w,
      minLength: 1,
    });
    await fc.assert(
      fc.asyncProperty(cells, fc.nat(), fc.nat(2), async (pairs, seed, more) => {
        const rows = pairs.flatMap(([t, w]) =>
          Array.from({ length: 1 + ((t + w + more) % 3) }, (_, sample) =>
            outcome(`t${t}`, `w${w}`, sample, { tokens: t * 100 + w * 10 + sample }),
          ),
        );
        const ids = [...new Set(pairs.map(([t]) => `t${t}`))];
        const folder = folderOf({
          tasks: ids.map((id) => task(id)),
          outcomes: createRandom(seed).shuffle(rows),
        });
        const recording = await loadRecording(folder);
        for (const [t, w] of pairs) {
          const expected = rows.filter(({ task, worker }) => task === `t${t}` && worker === `w${w}`);
          expect(recording.outcomesOf(`t${t}`, `w${w}`)).toEqual(expected);
        }
      }),
      { seed: 11, numRuns: 30 },
    );
  });

  // A million of them: speed/recording.mjs.
  test("200,000 outcomes as a stream, in less memory than their text", { timeout: 120_000 }, async () => {
    const tasks = Array.from({ length: 2000 }, (_, i) => task(`task-${i}`));
    const rows = tasks.flatMap(({ id }) =>
      Array.from({ length: 100 }, (_, w) => JSON.stringify(outcome(id, `worker-${w}`))),
    );
    const text = Buffer.from(rows.join("\n"));
    rows.length = 0;
    const folder = folderOf({ tasks, outcomes: text }, ".gz");
    const before = measureMemory();
    const recording = await loadRecording(folder);
    expect(measureMemory() - before).toBeLessThan(text.length);
    expect(recording.workersOf("s")).toHaveLength(100);
    expect(recording.outcomesOf("task-1999", "worker-99")).toHaveLength(1);
  });
});

describe("a bad recording is refused whole, by file and line", () => {
  const tasks = [task("1"), task("2")];
  const good = [outcome("1", "w"), outcome("2", "w")];
  test.each<[string, Content, RegExp]>([
    [
      "an id twice",
      { tasks: [...tasks, task("1")], outcomes: good },
      /tasks\.jsonl:3: the id "1" is there twice, first in line 1/,
    ],
    [
      "an empty id",
      { tasks: [{ ...task("1"), id: "" }], outcomes: good },
      /tasks\.jsonl:1: "id" must be a text/,
    ],
    [
      "an answer that is a number",
      { tasks: [{ ...task("1"), answer: 5 }], outcomes: good },
      /:1: "answer" must be a text, not 5/,
    ],
    [
      "choices that are no list",
      { tasks: [{ ...task("1"), choices: "ab" }], outcomes: good },
      /:1: "choices" must be/,
    ],
    ["no task", { tasks: "", outcomes: good }, /holds no task/],
    [
      "a missing outcome",
      { tasks, outcomes: [outcome("1", "w")] },
      /tasks\.jsonl:2: no outcome of any worker for task "2"/,
    ],
    ["no outcome at all", { tasks, outcomes: "\n" }, /tasks\.jsonl:1: no outcome/],
    ["an unknown task", { tasks, outcomes: [...good, outcome("9", "w")] }, /outcomes\.jsonl:3: no task "9"/],
    [
      "an outcome twice",
      { tasks, outcomes: [...good, outcome("1", "w")] },
      /outcomes\.jsonl:3: sample 0 of w on task "1" is there twice/,
    ],
    [
      "a missing sample",
      { tasks, outcomes: [...good, outcome("1", "w", 2)] },
      /outcomes\.jsonl:3: sample 2 of w on task "1" is there, but not sample 1/,
    ],
    [
      "a score above 1",
      { tasks, outcomes: [outcome("1", "w", 0, { score: 1.5 })] },
      /:1: "score" must be a number from 0 to 1, not 1.5/,
    ],
    ["a score below 0", { tasks, outcomes: [outcome("1", "w", 0, { score: -0.1 })] }, /:1: "score" must/],
    [
      "no score",
      { tasks, outcomes: [{ ...good[0], score: undefined }] },
      /:1: "score" must be .*, not nothing/,
    ],
    [
      "a sample of a half",
      { tasks, outcomes: [outcome("1", "w", 0.5)] },
      /:1: "sample" must be a whole number/,
    ],
    [
      "an answer that is an object",
      { tasks, outcomes: [{ ...good[0], answer: {} }] },
      /:1: "answer" must be a text or null/,
    ],
    ["no worker", { tasks, outcomes: [{ ...good[0], worker: "" }] }, /:1: "worker" must/],
    ["tokens as text", { tasks, outcomes: [{ ...good[0], tokens: "5" }] }, /:1: "tokens" must/],
    ["a cost below 0", { tasks, outcomes: [{ ...good[0], costUsd: -1 }] }, /:1: "costUsd" must/],
    [
      "a torn line",
      { tasks, outcomes: `${JSON.stringify(good[0])}\n{"task":"2","wor` },
      /outcomes\.jsonl:2: not JSON/,
    ],
    ["a list", { tasks, outcomes: "[]\n" }, /:1: a row must be a JSON object/],
  ])("%s", async (_, content, message) => {
    const error = await loadRecording(folderOf(content)).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ code: "bad-file", message: expect.stringMatching(message) });
  });

  test("a compressed file that is cut", async () => {
    const folder = folderOf(SMALL, ".gz");
    const rows = Array.from({ length: 500 }, (_, i) => JSON.stringify(outcome("1", `w${i * 7919}`)));
    const bytes = gzipSync(rows.join("\n"));
    writeFileSync(join(folder, "outcomes.jsonl.gz"), bytes.subarray(0, bytes.length - 9));
    await expect(loadRecording(folder)).rejects.toThrow(/outcomes\.jsonl\.gz: its gzip data ends too early/);
  });

  test("missing files", async () => {
    await expect(loadRecording("/nowhere/at/all")).rejects.toMatchObject({ code: "usage" });
    await expect(loadRecording(folderOf({ tasks }))).rejects.toThrow(/no outcomes\.jsonl/);
    const both = folderOf(SMALL);
    writeFileSync(join(both, "tasks.jsonl.gz"), gzipSync(""));
    await expect(loadRecording(both)).rejects.toThrow(/both tasks\.jsonl and tasks\.jsonl\.gz/);
  });
});

const recorded = fileURLToPath(new URL("../../../shared/recorded/", import.meta.url));

describe.skipIf(!existsSync(recorded))("recordings of real models, where they are at hand", () => {
  test.each([
    ["mmlu-pro", [["mmlu-pro", 6132, 31]]],
    [
      "reasoning-gym",
      [
        ["reasoning-gym-easy", 1874, 10],
        ["reasoning-gym-hard", 2002, 10],
      ],
    ],
    [
      "zeroeval",
      [
        ["zeroeval-crux", 476, 51],
        ["zeroeval-gsm", 800, 43],
        ["zeroeval-math-l5", 446, 42],
      ],
    ],
  ])("%s", async (name, sets) => {
    const recording = await loadRecording(join(recorded, name));
    const found = recording.sets.map(({ id, tasks }) => [id, tasks.length, recording.workersOf(id).length]);
    expect(found).toEqual(sets);
  });
});
