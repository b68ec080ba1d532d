// Rows of a Parquet file, in every compression in use, from a process of its own (parquet-process.ts says why) with
// bounded memory and time.

import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { getHeapStatistics } from "node:v8";
import { TuttiError } from "../../base/errors.ts";
import { badFile } from "../../files/problems.ts";
import type { OnRow, SourceRow } from "../../files/read-jsonl.ts";
import { splitLines } from "../../files/read-lines.ts";
import type { ParquetLine } from "./parquet-process.ts";

/** For the rows of one group and the page that is unpacked: what this process could not hold, it need not unpack. */
const MOST_HEAP_MB = Math.min(2_048, Math.round(getHeapStatistics().heap_size_limit / 2 ** 20));
/** A group of rows is read at once: so long may it be silent. */
const SILENT_MS = 60_000;

export async function readParquet(file: string, onRow: OnRow, { silentMs = SILENT_MS } = {}): Promise<void> {
  const reader = spawn(process.execPath, [...toArguments(), resolve(file)], {
    env: {},
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = new Promise<{ code: number | null }>((settle, reject) => {
    reader.on("error", reject).on("close", (code) => settle({ code }));
  });
  let isSilent = false;
  const watch = setTimeout(() => {
    isSilent = true;
    reader.kill("SIGKILL");
  }, silentMs);
  let last: ParquetLine | undefined;
  try {
    await splitLines(file, reader.stdout, (text, line) => {
      watch.refresh();
      last = JSON.parse(text) as ParquetLine;
      if ("row" in last) onRow(last.row as SourceRow, line);
    }).catch((error) => {
      // Half a line that a dying process left.
      if (error instanceof SyntaxError) last = undefined;
      else throw error;
    });
    await ended.catch((cause) => {
      throw new TuttiError("internal", `${file}: no process could be started to read it`, { cause });
    });
  } finally {
    clearTimeout(watch);
    reader.kill("SIGKILL");
  }
  if (last && "end" in last) return;
  throw badFile(`${file}: not a Parquet file that can be read: ${toReason(last, isSilent, silentMs)}`);
}

function toReason(last: ParquetLine | undefined, isSilent: boolean, silentMs: number): string {
  if (last && "error" in last) return last.error.split("\n")[0]!.slice(0, 300);
  return isSilent
    ? `it takes longer than ${silentMs / 1000} seconds`
    : `it needs more than ${MOST_HEAP_MB} MB of memory`;
}

/** From sources, as in tests, Node needs help with types. */
function toArguments(): string[] {
  const own = fileURLToPath(import.meta.url);
  const isSource = own.endsWith(".ts");
  const help = isSource
    ? [
        "--import",
        createRequire(own).resolve("jiti/package.json").replace("package.json", "lib/jiti-register.mjs"),
      ]
    : [];
  return [
    ...help,
    `--max-old-space-size=${MOST_HEAP_MB}`,
    own.replace(/read-parquet(\.[jt]s)$/, "parquet-process$1"),
  ];
}
