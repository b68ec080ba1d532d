// Files from elsewhere: tasks in four formats, the config, the keys. Each input is written to a file and read as people
// have it read.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { loadConfig } from "../../src/config/load.ts";
import { readKeyFile } from "../../src/gateway/access/key-file.ts";
import { importRecording } from "../../src/recording/import/layouts.ts";
import { TABLE } from "../../src/recording/import/table.ts";
import { loadTaskSet } from "../../src/task/sets/load.ts";
import { type FuzzTarget, must } from "../target.ts";

const folder = mkdtempSync(join(tmpdir(), "tutti-fuzz-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

function write(name: string, input: Buffer): string {
  const file = join(folder, name);
  writeFileSync(file, input);
  return file;
}

const FIELDS = [
  "prompt",
  "answer",
  "grader",
  "choices",
  "id",
  "set",
  "tests",
  "question",
  "category",
  "tolerance",
];
const row = fc.dictionary(fc.constantFrom(...FIELDS), fc.oneof(fc.string(), fc.jsonValue({ maxDepth: 2 })));
const tokens = [
  ...FIELDS.map((field) => `"${field}":`),
  '"A"',
  "maths",
  "choice",
  "\n",
  '{"',
  '"}',
  "[",
  "]",
];

function toTasks(name: string, ending: string, more: Partial<FuzzTarget> = {}): FuzzTarget {
  return {
    name,
    tokens,
    overheadMs: 300,
    async check(input) {
      const { tasks } = await loadTaskSet(write(`tasks.${ending}`, input));
      must(tasks.length > 0, "a set without tasks");
      for (const { prompt, answer, id } of tasks)
        must(
          [prompt, answer, id].every((text) => typeof text === "string"),
          "a task whose texts are none",
        );
    },
    ...more,
  };
}

export const jsonl = toTasks("jsonl", "jsonl", {
  inputs: fc.array(row, { maxLength: 4 }).map((rows) => rows.map((each) => JSON.stringify(each)).join("\n")),
});
export const json = toTasks("json", "json", {
  inputs: fc.array(row, { maxLength: 4 }).map((rows) => JSON.stringify(rows)),
});
export const csv = toTasks("csv", "csv", {
  tokens: ["prompt,answer\n", '"', '""', ",", "\r\n", "\n", "\ufeff", ";"],
  inputs: fc
    .array(fc.array(fc.string(), { maxLength: 4 }), { maxLength: 4 })
    .map((rows) => rows.map(String).join("\n")),
});
/** In a process of its own each time: a few cases a second. */
export const parquet = toTasks("parquet", "parquet", {
  tokens: ["PAR1", "\u0015\u0002", "\u0019", "\u001c"],
  overheadMs: 20_000,
});

export const config: FuzzTarget = {
  name: "config",
  tokens: [
    "workers:",
    "- id: a",
    "model:",
    "pools:",
    "&a ",
    "*a",
    "<<:",
    "? ",
    "!!set",
    "|\n",
    ">\n",
    "{",
    "[",
    "---\n",
    "%YAML 1.1\n",
  ],
  inputs: fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)),
  overheadMs: 1_000,
  async check(input) {
    const file = write("tutti.config.yaml", input);
    await loadConfig({ cwd: folder, file, env: {}, approve: async () => {} });
  },
};

export const keyFile: FuzzTarget = {
  name: "key-file",
  tokens: ['"version":1', '"keys":[', '"id":"key_', '"hash":"', '"isAdmin":true', '"budget":{', "}]"],
  inputs: fc.jsonValue({ maxDepth: 3 }).map((keys) => JSON.stringify({ version: 1, keys })),
  check(input) {
    for (const { id, hash, isAdmin } of readKeyFile(write("keys.json", input)))
      must(
        /^key_\w{8}$/.test(id) && hash.length === 64 && typeof isAdmin === "boolean",
        "a key that is none",
      );
  },
};

/** A table of outcomes from elsewhere: all of it becomes a recording, or nothing is left of it. */
export const outcomes: FuzzTarget = {
  name: "outcomes",
  tokens: [
    '"task":',
    '"worker":',
    '"score":',
    '"prompt":',
    '"set":',
    '"cost":',
    "\n",
    '"',
    "1e999",
    "-1",
    "../x",
    "null",
  ],
  inputs: fc
    .array(
      fc.dictionary(
        fc.constantFrom("task", "worker", "score", "prompt", "set", "answer", "cost_usd"),
        fc.oneof(fc.string(), fc.double(), fc.constantFrom("a", "b", 0, 1)),
      ),
      { maxLength: 4 },
    )
    .map((rows) => rows.map((row) => JSON.stringify(row)).join("\n")),
  overheadMs: 1_000,
  async check(input) {
    const source = write("outcomes.jsonl", input);
    const made = join(folder, "imported");
    const options = { scoreMax: 1, duplicates: "refuse" as const, columns: new Map<string, string>() };
    try {
      const { tasks, workers } = await importRecording({ source, layout: TABLE, folder: made, ...options });
      must(tasks > 0 && workers.length > 0, "a recording of nothing");
    } catch (error) {
      must(!existsSync(made), "a folder that is left of a bad import");
      throw error;
    } finally {
      rmSync(made, { recursive: true, force: true });
    }
  },
};
