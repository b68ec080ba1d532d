// How a large recording loads: a million outcomes of a thousand tasks, packed, read as a stream. Prints the time, what is kept in
// memory, and the most the process ever held beside the size of the text.
//
//   npm run build && node --expose-gc speed/recording.mjs [outcomes]

import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { loadRecording } from "../dist/recording/load.js";

const WORKERS = 1000;
const outcomes = Number(process.argv[2] ?? 1_000_000);
const tasks = Math.ceil(outcomes / WORKERS);
const folder = mkdtempSync(join(tmpdir(), "tutti-million-"));
let bytes = 0;

function* rows() {
  for (let task = 0; task < tasks; task++) {
    let text = "";
    for (let worker = 0; worker < WORKERS; worker++)
      text += `{"task":"t${task}","worker":"w${worker}","sample":0,"answer":"${worker % 7}","score":${worker % 2},"tokens":9,"costUsd":0.01}\n`;
    bytes += text.length;
    yield text;
  }
}

try {
  const row = (i) => ({
    id: `t${i}`,
    set: "s",
    category: "c",
    subtask: "u",
    prompt: `What is ${i}?`,
    answer: "1",
  });
  writeFileSync(
    join(folder, "tasks.jsonl"),
    Array.from({ length: tasks }, (_, i) => `${JSON.stringify(row(i))}\n`).join(""),
  );
  await pipeline(
    Readable.from(rows()),
    createGzip({ level: 1 }),
    createWriteStream(join(folder, "outcomes.jsonl.gz")),
  );
  globalThis.gc?.();
  const inUse = () => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
  const before = inUse();
  const started = performance.now();
  const recording = await loadRecording(folder);
  const seconds = (performance.now() - started) / 1000;
  globalThis.gc?.();
  const mega = (value) => `${Math.round(value / 1e6)} MB`;
  console.log(
    `${(tasks * WORKERS).toLocaleString("en")} outcomes of ${recording.workersOf("s").length} workers, ${mega(bytes)} of text`,
  );
  console.log(
    `loaded in ${seconds.toFixed(1)} s; kept ${mega(inUse() - before)}; the process never held more than ${mega(process.resourceUsage().maxRSS * 1024)}`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
