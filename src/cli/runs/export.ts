// `tutti runs export`: the runs of the journal for other programs, a row each, as JSON lines or as a Parquet file.

import type { Command } from "commander";
import { usageError } from "../../base/errors.ts";
import { shorten, toCount } from "../../base/format.ts";
import { readTime, TIME_FORMS } from "../../base/read-time.ts";
import type { Store } from "../../store/types.ts";
import { toOneLine } from "../terminal/sanitise.ts";

interface ExportFlags {
  jsonl?: boolean;
  parquet?: boolean;
  out?: string;
  since?: number;
  until?: number;
  shadows?: boolean;
}

export function defineExport(command: Command): void {
  command
    .option("--jsonl", "one line of JSON for each run")
    .option("--parquet", "a Parquet file")
    .option("--out <file>", "the file to write; without it standard output")
    .option("--since <time>", "only runs that began then or later: 2026-11-01", time("--since"))
    .option("--until <time>", "only runs that began before then", time("--until"))
    .option("--shadows", "with those that the gateway asked again, unseen")
    .addHelpText(
      "after",
      "\nExamples:\n  $ tutti runs export --parquet --out runs.parquet\n  $ tutti runs export --jsonl --since 2026-11-01 | head\n\nThe columns are in docs/scale.md. Private runs, and those whose content was deleted, come without what was said.",
    );
}

/** A time, for commander. */
function time(flag: string): (text: string) => number {
  return (text) => {
    const at = readTime(text);
    if (at !== undefined) return at;
    throw usageError(`${flag} must be ${TIME_FORMS}, not "${shorten(text)}"`);
  };
}

export async function exportRuns(
  { jsonl, parquet, out, since, until, shadows }: ExportFlags,
  withStore: (work: (store: Store) => Promise<number>) => Promise<number>,
): Promise<void> {
  if (jsonl === parquet) throw usageError("Say how: --jsonl (lines of JSON) or --parquet.");
  if (since !== undefined && until !== undefined && since >= until)
    throw usageError("--until must be later than --since.");
  if (parquet && out === undefined && process.stdout.isTTY)
    throw usageError("A Parquet file is not for terminals: name one with --out runs.parquet");
  const [{ readRuns }, { writeJsonLines, writeParquet }, { writeFileSafely }] = await Promise.all([
    import("../../tutti/export/read-runs.ts"),
    import("../../tutti/export/write-runs.ts"),
    import("../../files/write-safely.ts"),
  ]);
  const damaged: string[] = [];
  const count = await withStore(async (store) => {
    const rows = readRuns(store, { since, until, shadows, onDamaged: (id) => void damaged.push(id) });
    const writeRuns = parquet ? writeParquet : writeJsonLines;
    if (out === undefined) return writeRuns(rows, writeToStandardOutput);
    let written = 0;
    await writeFileSafely(out, async (write) => {
      written = await writeRuns(rows, write);
    });
    return written;
  });
  if (out !== undefined) process.stderr.write(`${toCount(count, "run")} written to ${toOneLine(out)}.\n`);
  if (damaged.length === 0) return;
  const some = `${damaged.slice(0, 5).join(", ")}${damaged.length > 5 ? ", …" : ""}`;
  process.stderr.write(`${toCount(damaged.length, "damaged run")} left out: ${some}\n`);
  process.exitCode = 1;
}

/** Waits until whoever reads has taken it. */
function writeToStandardOutput(bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}
