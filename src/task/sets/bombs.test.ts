// Files from strangers that ask for more than there is. Each is read by a process of its own with little memory: it must
// end in one line that names the file and what is allowed, and never in a crash.
import { spawn } from "node:child_process";
import { closeSync, ftruncateSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { changeStatement, STATEMENT } from "../../learn/statement.ts";
import { PARQUET_BOMBS, SOUND_PARQUET } from "../../testing/parquet-bombs.ts";
import { createFiles } from "../../testing/temporary-files.ts";

// Minutes, where many tests share a machine; what is asserted is memory and the end.
vi.setConfig({ testTimeout: 120_000 });
const files = createFiles();
afterAll(() => rmSync(files.folder, { recursive: true, force: true }));
const DIST = new URL("../../../dist/", import.meta.url);
/** What Node itself and a parser need, above the heap that it is given. */
const HEAP_MB = 300;
const MOST_RSS_MB = 800;

const CALLS = {
  tasks: ["task/sets/load.js", "loadTaskSet"],
  recording: ["recording/load.js", "loadRecording"],
  config: ["config/load.js", "loadConfig"],
  card: ["conductor/native/checkpoint.js", "loadCard"],
  checkpoint: ["conductor/native/checkpoint.js", "loadCheckpoint"],
  bench: ["bench/folder.js", "readFolder"],
  training: ["learn/folder.js", "readTraining"],
} as const;

interface Outcome {
  code?: string;
  message: string;
  rssMb: number;
}

/** What the call throws, as the process itself tells it. */
async function read(call: keyof typeof CALLS, argument: unknown): Promise<Outcome> {
  const [file, name] = CALLS[call];
  const script = `
    const { ${name}: call } = await import(process.argv[1]);
    let told = { message: "" };
    try { await call(JSON.parse(process.argv[2])); } catch (error) { told = { code: error.code, message: error.message }; }
    console.log(JSON.stringify({ ...told, rssMb: process.resourceUsage().maxRSS / 1024 }));`;
  const child = spawn(process.execPath, [
    `--max-old-space-size=${HEAP_MB}`,
    ...["--input-type=module", "-e", script, new URL(file, DIST).href, JSON.stringify(argument)],
  ]);
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (part) => {
    stdout += part;
  });
  child.stderr.on("data", (part) => {
    stderr += part;
  });
  await new Promise((resolve) => child.on("close", resolve));
  if (stdout === "") throw new Error(`the process died: ${stderr.slice(0, 500)}`);
  return JSON.parse(stdout);
}

function expectOneLine({ code, message, rssMb }: Outcome, file: string, allowed: RegExp) {
  expect({ code, message }).toMatchObject({
    code: expect.stringMatching(/^(bad-file|usage|bad-checkpoint)$/),
  });
  expect(message).toContain(file);
  expect(message).toMatch(allowed);
  expect(message).not.toContain("\n");
  expect(message.length).toBeLessThan(400);
  expect(rssMb).toBeLessThan(MOST_RSS_MB);
}

/** Holds nothing on disk: all of it reads as zeros. */
function writeHole(name: string, bytes: number, beginning = ""): string {
  const file = files.write(name, beginning);
  const handle = openSync(file, "r+");
  ftruncateSync(handle, bytes);
  closeSync(handle);
  return file;
}

/** The same text again and again, as members of one gzip file. */
function writeGzip(name: string, text: string, times: number): string {
  const member = gzipSync(text);
  return files.write(name, Buffer.concat(Array.from({ length: times }, () => member)));
}

describe("packed files", () => {
  const row = `${JSON.stringify({ prompt: "What?", answer: "This" })}\n`;

  test.each<[string, string, string]>([
    ["rows", "rows.jsonl.gz", row.repeat(2_000_000)],
    ["one line without an end", "line.jsonl.gz", " ".repeat(80_000_000)],
    ["empty lines", "empty.jsonl.gz", "\n".repeat(80_000_000)],
    ["rows of CSV", "rows.csv.gz", `a,b\n${"1,2\n".repeat(10_000_000)}`],
    ["a field without an end", "field.csv.gz", `a,b\n"${"x".repeat(80_000_000)}`],
  ])("10 GB of %s", async (_, name, text) => {
    const file = writeGzip(name, text, Math.ceil(10e9 / text.length));
    expectOneLine(await read("tasks", file), file, /200 times its size|than 64 MB|than 1 MB|fit into/);
  });

  test("a recording", async () => {
    const task = { id: "a", set: "s", category: "c", subtask: "c", prompt: "What?", answer: "This" };
    files.writeRows("recording/tasks.jsonl", task);
    const outcomes = writeGzip("recording/outcomes.jsonl.gz", " ".repeat(80_000_000), 125);
    const told = await read("recording", join(files.folder, "recording"));
    expectOneLine(told, outcomes, /times its size|than 64 MB/);
  });
});

describe("lines and rows", () => {
  test("a line of a gigabyte", async () => {
    const file = writeHole("gigabyte.jsonl", 1e9);
    expectOneLine(await read("tasks", file), `${file}:1: `, /more than 64 MB/);
  });

  test("a line that would need more memory than there is", async () => {
    const file = files.write("lists.jsonl", `{"a":[${"[],".repeat(10_000_000)}[]]}`);
    expectOneLine(await read("tasks", file), `${file}:1: `, /does not fit into the \d+ MB of memory/);
  });

  test("more rows than fit into memory", async () => {
    const file = files.write("many.jsonl", "");
    const handle = openSync(file, "r+");
    const block = `${JSON.stringify({ prompt: "What?", answer: "This" })}\n`.repeat(50_000);
    for (let i = 0; i < 60; i++) writeSync(handle, block);
    closeSync(handle);
    expectOneLine(await read("tasks", file), file, /does not fit into the \d+ MB of memory/);
  });

  test.each([
    ["deep.jsonl", `{"prompt":${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
    ["deep.json", `[{"prompt":${"[".repeat(100_000)}${"]".repeat(100_000)}}]`],
  ])("%s: lists in lists in lists", async (name, text) => {
    const file = files.write(name, text);
    expectOneLine(await read("tasks", file), `${file}:1: `, /more than 200 levels deep/);
  });

  test("a JSON file of a gigabyte", async () => {
    const file = writeHole("gigabyte.json", 1e9);
    expectOneLine(await read("tasks", file), file, /larger than 256 MB/);
  });

  test("a JSON file that would need more memory than there is", async () => {
    const file = files.write("lists.json", `[${"{},".repeat(10_000_000)}{}]`);
    expectOneLine(await read("tasks", file), file, /does not fit into/);
  });
});

describe("CSV", () => {
  test.each<[string, string, RegExp]>([
    ["a million columns", `${"a,".repeat(1_000_000)}a\n1\n`, /:1: .*(heading has more than 1 MB|columns)/],
    ["twenty thousand columns", `${"a,".repeat(20_000)}a\n1\n`, /:1: has 20001 columns; at most 10000/],
    [
      "thirty million fields in a row",
      `a,b\n1,2\n${",".repeat(30_000_000)}\n`,
      /:[23]: (the row has more than 16 MB|does not fit)/,
    ],
    ["a quote that is never closed", `a,b\n1,2\n"${"x\n".repeat(15_000_000)}`, /the row has more than 16 MB/],
  ])("%s", async (name, text, allowed) => {
    const file = files.write(`${name.replaceAll(" ", "-")}.csv`, text);
    expectOneLine(await read("tasks", file), file, allowed);
  });

  test("a heading of a gigabyte", async () => {
    const file = writeHole("gigabyte.csv", 1e9, "a,b");
    expectOneLine(await read("tasks", file), `${file}:1: `, /heading has more than 1 MB/);
  });
});

describe("Parquet", () => {
  test("a sound file is read", async () => {
    const file = files.write("sound.parquet", SOUND_PARQUET);
    const { message } = await read("tasks", file);
    // Its rows have no answer, which is seen only when they were read.
    expect(message.split("\n")).toEqual([1, 2].map((line) => `${file}:${line}: "answer" must not be empty`));
  });

  test.each(Object.entries(PARQUET_BOMBS))(
    "%s",
    async (name, bytes) => {
      const file = files.write(`${name.replaceAll(" ", "-")}.parquet`, bytes);
      expectOneLine(await read("tasks", file), file, /not a Parquet file that can be read: ./);
    },
    60_000,
  );
});

describe("config", () => {
  const levels = Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`);
  test.each<[string, string, RegExp]>([
    ["aliases of aliases", `a0: &a0 [x,x]\n${levels.join("\n")}\n`, /more aliases than are followed/],
    ["lists in lists", "[".repeat(100_000), /nested too deep/],
    ["maps in maps", Array.from({ length: 400 }, (_, i) => `${" ".repeat(i)}a:`).join("\n"), /./],
    ["a megabyte", `a: ${"x".repeat(1_000_000)}`, /at most 1000000/],
    ["half a megabyte", `a: ${"x".repeat(500_000)}`, /at most 256 KB/],
    ["as many names as fit", Array.from({ length: 25_000 }, (_, i) => `n${i}: 1`).join("\n"), /./],
  ])("%s", async (name, text, allowed) => {
    const file = files.write(`${name.replaceAll(" ", "-")}/tutti.config.yaml`, text);
    const told = await read("config", { cwd: ".", file });
    expectOneLine(
      { ...told, message: told.message.split("\n")[0]!.slice(0, 390) },
      "tutti.config.yaml",
      allowed,
    );
  });
});

describe("folders of somebody else's", () => {
  const card = {
    ...{ format: "tutti-conductor", version: 2, name: "x" },
    repertoire: { instructions: ["answer"], works: ["any"], forms: [] },
    shape: { vocabulary: 300, width: 64, layers: 2, heads: 2, hidden: 64, features: 8 },
    ...{ limits: { workers: 8, rounds: 1 }, handOffs: true },
    training: { world: "", isSimulated: true, command: "", seed: 0, iterations: 0, engine: "", date: "" },
  };
  let folder = "";
  beforeAll(() => {
    folder = join(files.folder, "checkpoint");
    mkdirSync(folder);
  });

  test("a card that claims a billion layers", async () => {
    writeFileSync(
      join(folder, "card.json"),
      JSON.stringify({ ...card, shape: { ...card.shape, layers: 1e9 } }),
    );
    expectOneLine(await read("card", folder), folder, /shape\.layers: .*256/);
  });

  test("a card that is nested", async () => {
    const about = `{"x":${"[".repeat(1_000)}${"]".repeat(1_000)}}`;
    writeFileSync(
      join(folder, "card.json"),
      JSON.stringify({ ...card, about: 0 }).replace('"about":0', `"about":${about}`),
    );
    expectOneLine(await read("card", folder), folder, /more than 200 levels deep/);
  });

  test("weights of three gigabytes, and a header that claims more than there is", async () => {
    writeFileSync(join(folder, "card.json"), JSON.stringify(card));
    const tokenizer = { format: "tutti-tokenizer", version: 1, literals: [], merges: [] };
    writeFileSync(join(folder, "tokenizer.json"), JSON.stringify(tokenizer));
    const answer = { id: "answer", role: "solve", text: { en: "Answer the question." } };
    const repertoire = { instructions: [answer], works: [{ id: "any", text: { en: "answer it" } }] };
    // JSON is YAML.
    writeFileSync(join(folder, "repertoire.yaml"), JSON.stringify(repertoire));
    writeHole("checkpoint/weights.safetensors", 3e9);
    expectOneLine(await read("checkpoint", folder), folder, /larger than 1 GB|tokens|literal/);
  });

  test("a bench whose rows are a gigabyte", async () => {
    files.write("bench/bench.json", JSON.stringify({ identity: { seed: 0 } }));
    const rows = writeHole("bench/rows.jsonl", 1e9);
    expectOneLine(await read("bench", join(files.folder, "bench")), rows, /larger than 256 MB/);
  });

  test("a training whose curves are a gigabyte", async () => {
    files.write(`training/${STATEMENT}`, JSON.stringify(changeStatement(undefined, {})));
    const rows = writeHole("training/iterations.jsonl", 1e9);
    expectOneLine(await read("training", join(files.folder, "training")), rows, /larger than 256 MB/);
  });
});
