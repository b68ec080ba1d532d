// `tutti bench`: is a Conductor worth it on these tasks? Also `compare` (two of them) and `headroom` (what
// could be won at all). Flags in, the bench, a table out; rows and the report go into a folder.

import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import type { BenchOutcome } from "../bench/bench.ts";
import type { BenchRow } from "../bench/types.ts";
import { usageError } from "../errors.ts";
import { addInputFlags, chooseContenders, type InputFlags, openInput, toIdentity } from "./bench-input.ts";
import {
  toComparisonLines,
  toCsv,
  toFamilyLines,
  toHeadroomLines,
  toResultLines,
  toStatementLines,
} from "./bench-print.ts";
import { createProgressLine, type ProgressLine } from "./bench-progress.ts";
import { toClock, toDelay, toMoney, toTokens } from "./format.ts";
import { toCommandLine, unknownVerb, wholeNumber } from "./options.ts";
import { toJson, toOneLine } from "./sanitise.ts";
import { columnsOf, createStyle } from "./style.ts";

const HOME = "bench";
const INTERRUPTED = 130;
const WIDE = 160;

interface Flags extends InputFlags {
  conductor: string;
  samples?: number;
  out?: string;
  csv?: boolean;
  report: boolean;
}

/** Fewer than this say nothing about families in general. */
const FEWEST_FAMILIES = 10;

export function defineBench(command: Command): void {
  addInputFlags(command.enablePositionalOptions().allowExcessArguments())
    .option(
      "--conductor <ids>",
      "who is measured, separated by commas: ids of baselines, single:<worker>, singles (each of them), oracle, native or native:FOLDER (trained), prompted, provider/model",
      "all",
    )
    .option(
      "--samples <n>",
      "the most samples of the best single worker, for the comparison at equal calls",
      wholeNumber("--samples", 1, 100),
    )
    .option("--out <dir>", `the folder for rows, results and report (by default ${HOME}/<set>-<date>)`)
    .option("--csv", "as CSV on standard output")
    .option("--no-report", "do not write report.html")
    .addHelpText(
      "after",
      `
Examples:
  $ tutti bench --rehearsal
  $ tutti bench --tasks mine.jsonl --conductor best-single,vote-3,prompted --budget-usd 2
  $ tutti bench --recording recorded/exam --set exam-hard --json

A bench that was stopped goes on when it is started again with the same folder. See docs/bench.md.`,
    )
    .action(bench);
  addInputFlags(command.command("headroom"))
    .description("before anyone trains: what could be won by choosing whom to ask")
    .addHelpText("after", "\nExample:\n  $ tutti bench headroom --recording recorded/exam --set exam-hard")
    .action(headroom);
  command
    .command("compare")
    .description("two Conductors on the same tasks: the paired difference and which tasks flipped")
    .argument("<a>", "a Conductor of the folder, a folder, or folder:conductor")
    .argument("<b>", "the other one")
    .option("--in <dir>", `the folder of a bench (by default the newest in ${HOME}/)`)
    .option("--json", "as JSON on standard output")
    .addHelpText(
      "after",
      "\nExamples:\n  $ tutti bench compare best-single vote-5 --in bench/exam-2026-01-31\n  $ tutti bench compare bench/monday:prompted bench/friday:prompted",
    )
    .action(compare);
}

async function bench(flags: Flags, command: Command): Promise<void> {
  if (command.args.length > 0) throw unknownVerb("tutti bench", command.args[0]!, ["compare", "headroom"]);
  if (flags.json && flags.csv) throw usageError("--json and --csv exclude each other");
  const input = await openInput(flags);
  const chosen = await chooseContenders(flags.conductor, input);
  const [{ runBench }, { chooseFolder, createMemoryFolder, DiskFolder }] = await Promise.all([
    import("../bench/bench.ts"),
    import("../bench/folder.ts"),
  ]);
  tell(input.notices, flags.json);
  const identity = toIdentity(input, flags);
  const wish = join(
    HOME,
    `${input.ground.set.replace(/[^\w.-]+/g, "-")}-${toClock(Date.now()).slice(0, 10)}`,
  );
  const folder = new DiskFolder(flags.out ?? chooseFolder(wish, identity), identity);
  const { ground, concurrency, budgetUsd } = input;
  const { seed, splitBy, splitSeed, limit, samples = input.samples } = flags;
  const outcome = await watched(flags, ground.kind === "rehearsal", (signal, line) =>
    runBench({
      ...{ ground, concurrency, seed, splitBy, splitSeed, samples, folder, signal, ...chosen },
      ...(limit !== undefined && { limit }),
      ...(budgetUsd !== undefined && { budgetUsd }),
      onProgress: (progress) => line.update(progress),
    }),
  ).finally(() => folder.close());
  const families = new Set(ground.tasks.map(({ subtask }) => subtask)).size;
  const isFree = ground.kind === "recording" && !outcome.isStopped;
  // Beside it, where it costs nothing: families of tasks that nobody has learned from.
  const byFamily =
    isFree && splitBy === "prompt" && families >= FEWEST_FAMILIES
      ? await runBench({
          ...{ ground, concurrency, seed, splitSeed, samples, ...chosen },
          splitBy: "family",
          folder: createMemoryFolder(),
          ...(limit !== undefined && { limit }),
        })
      : undefined;
  const { results, rows: _, ground: __, pool, ...statement } = outcome;
  folder.describe(identity, {
    ...statement,
    pool: pool.members.map(({ worker, profile }) => ({ id: worker.id, profile })),
  });
  if (!outcome.isStopped) folder.write("results.json", `${toJson(results)}\n`);
  if (byFamily) folder.write("results-by-family.json", `${toJson(byFamily.results)}\n`);
  if (flags.report) {
    const { toReport } = await import("../bench/report.ts");
    const figures = { money: (usd: number) => toMoney(usd), delay: toDelay, tokens: toTokens };
    folder.write("report.html", toReport(outcome, figures, toCommandLine(process.argv.slice(2)), byFamily));
  }
  print(flags, outcome, folder.path, byFamily);
}

function print(flags: Flags, outcome: BenchOutcome, folder: string, byFamily?: BenchOutcome): void {
  const { results, isStopped, budget } = outcome;
  if (flags.json) process.stdout.write(`${toJson(results)}\n`);
  else if (flags.csv) process.stdout.write(toCsv(results));
  else {
    const look = lookOf();
    const { before, after } = toStatementLines(outcome, look);
    write([...before, ...toResultLines(results, look), ...after]);
    if (byFamily) write(toFamilyLines(byFamily, look));
  }
  if (isStopped) process.exitCode = budget?.isUsedUp ? 1 : INTERRUPTED;
  if (flags.json) return;
  const what = flags.report ? join(folder, "report.html") : folder;
  const rest =
    isStopped && !budget?.isUsedUp
      ? " Not finished: the same command with --out and this folder goes on."
      : "";
  process.stderr.write(`\n${toOneLine(what)}${rest}\n`);
}

async function headroom(_flags: unknown, command: Command): Promise<void> {
  // The verb above has the same flags, and commander gives those written after this one to it.
  const flags = command.optsWithGlobals<InputFlags>();
  const input = await openInput(flags);
  const [{ measureHeadroom }, { createMemoryFolder }] = await Promise.all([
    import("../bench/headroom.ts"),
    import("../bench/folder.ts"),
  ]);
  tell(input.notices, flags.json);
  const { ground, concurrency, budgetUsd } = input;
  const { seed, splitBy, splitSeed, limit } = flags;
  const found = await watched(flags, ground.kind === "rehearsal", (signal, line) =>
    measureHeadroom({
      ...{ ground, concurrency, seed, splitBy, splitSeed, signal, folder: createMemoryFolder() },
      ...(limit !== undefined && { limit }),
      ...(budgetUsd !== undefined && { budgetUsd }),
      onProgress: (progress) => line.update(progress),
    }),
  );
  if (flags.json) process.stdout.write(`${toJson(found)}\n`);
  else write(toHeadroomLines(found, lookOf()));
}

async function compare(a: string, b: string, _flags: unknown, command: Command): Promise<void> {
  const flags = command.optsWithGlobals<{ in?: string; json?: boolean }>();
  const { compareRows } = await import("../bench/compare.ts");
  const sides = await Promise.all([findSides(a, flags.in), findSides(b, flags.in)]);
  const pairs = pairSides(a, b, sides[0], sides[1]);
  const comparisons = pairs.map(([one, other]) => compareRows(one, other, one.seed));
  for (const { a: one, b: other, n } of comparisons)
    if (n === 0) throw usageError(`${one} and ${other} have no task in common: nothing can be compared`);
  if (flags.json) return void process.stdout.write(`${toJson(comparisons)}\n`);
  const look = lookOf();
  write(
    comparisons.flatMap((comparison, i) => [
      ...(i > 0 ? ["", ""] : []),
      ...toComparisonLines(comparison, look),
    ]),
  );
}

interface Side {
  name: string;
  conductor: string;
  rows: BenchRow[];
  seed: number;
}

/** All Conductors of a folder, or the one that is named. */
async function findSides(text: string, within: string | undefined): Promise<Side[]> {
  const { readFolder } = await import("../bench/folder.ts");
  const { groupBy } = await import("../bench/results.ts");
  const isFolder = (path: string) => existsSync(join(path, "bench.json"));
  const colon = text.lastIndexOf(":");
  const named = colon > 0 && isFolder(text.slice(0, colon));
  const path = isFolder(text) ? text : named ? text.slice(0, colon) : (within ?? newestFolder(text));
  const { rows, seed } = readFolder(path);
  const groups = [...groupBy(rows, ({ conductor }) => conductor)];
  const sides = groups.map(([conductor, own]) => ({
    name: `${path}:${conductor}`,
    conductor,
    rows: own,
    seed,
  }));
  if (isFolder(text)) return sides;
  const wanted = named ? text.slice(colon + 1) : text;
  const found = sides.find(({ conductor }) => conductor === wanted);
  if (found) return [found];
  throw usageError(
    `No Conductor "${wanted}" in ${path} (there are: ${groups.map(([name]) => name).join(", ")})`,
  );
}

function newestFolder(text: string): string {
  const folders = existsSync(HOME) ? readdirSync(HOME).map((name) => join(HOME, name)) : [];
  const newest = folders
    .filter((path) => existsSync(join(path, "bench.json")))
    .toSorted((x, y) => statSync(y).mtimeMs - statSync(x).mtimeMs)[0];
  if (newest) return newest;
  throw usageError(`"${text}" is not a folder of a bench, and there is none in ${HOME}/: name one with --in`);
}

/** Two folders are compared by the Conductors that both have. */
function pairSides(a: string, b: string, left: Side[], right: Side[]): [Side, Side][] {
  if (left.length === 1 && right.length === 1) return [[left[0]!, right[0]!]];
  const pairs = left.flatMap((one): [Side, Side][] => {
    const other = right.find(({ conductor }) => conductor === one.conductor);
    return other ? [[one, other]] : [];
  });
  if (pairs.length === 0)
    throw usageError(`${a} and ${b} have no Conductor in common: name them as folder:conductor`);
  return pairs;
}

// ---- Small things -----------------------------------------------------------------------------

/** With a progress line, and an end at Ctrl-C that keeps what there is. */
async function watched<T>(
  { json = false }: { json?: boolean },
  isSimulated: boolean,
  work: (signal: AbortSignal, line: ProgressLine) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const silent: ProgressLine = { update() {}, end() {} };
  const line = json && !process.stderr.isTTY ? silent : createProgressLine(process.stderr, isSimulated);
  const stop = () => controller.abort();
  process.once("SIGINT", stop);
  try {
    return await work(controller.signal, line);
  } finally {
    process.off("SIGINT", stop);
    line.end();
  }
}

/** Into a file or a pipe a table may be as wide as it is. */
function lookOf() {
  const width = process.stdout.isTTY ? columnsOf(process.stdout) - 1 : WIDE;
  return { style: createStyle(process.stdout, process.env), width };
}

function tell(notices: readonly string[], isJson = false): void {
  if (isJson) return;
  const style = createStyle(process.stderr, process.env);
  for (const notice of notices) process.stderr.write(`${style.yellow(toOneLine(notice))}\n`);
}

function write(lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(""));
}
