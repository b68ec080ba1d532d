// One set of a bench: measured, kept in its folder, and shown. The same whether it is the only one or not.

import { join } from "node:path";
import { toClock, toDelay, toMoney } from "../../base/format.ts";
import type { Baseline } from "../../baseline/types.ts";
import type { BenchOutcome, BenchProgress } from "../../bench/bench.ts";
import type { BenchIdentity, DiskFolder } from "../../bench/folder.ts";
import type { FrontResult } from "../../bench/front/front.ts";
import { BEST_SINGLE } from "../../bench/report/view.ts";
import { toCommandLine } from "../options.ts";
import { createChangingLine } from "../terminal/changing-line.ts";
import { toJson, toOneLine } from "../terminal/sanitise.ts";
import { wrap } from "../terminal/text-width.ts";
import type { BenchInput, InputFlags } from "./input.ts";
import { lookOf, toFamilyLines, toResultLines, toStatementLines } from "./print.ts";

/** Where folders go that nobody named. */
export const HOME = "bench";

/** Fewer than this say nothing about families in general. */
const FEWEST_FAMILIES = 10;

export interface BenchFlags extends InputFlags {
  conductor: string;
  samples?: number;
  out?: string;
  csv?: boolean;
  perMonth?: number;
  yes?: boolean;
  report: boolean;
  front?: boolean;
}

/** A set with who is measured on it. */
export interface BenchPlan {
  input: BenchInput;
  chosen: { contenders: Baseline[]; withOracle: boolean };
  identity: BenchIdentity;
}

export interface MeasuredSet {
  outcome: BenchOutcome;
  /** The same on families of tasks that nobody has learned from, where it costs nothing. */
  byFamily?: BenchOutcome;
  /** The curve of each that has a price, where it was asked for. */
  front?: FrontResult;
  /** What it showed of TRINITY on a live pool, in words. */
  verdict?: string;
}

export interface BenchEnd {
  /** What to look at: the folder, or its page. */
  path: string;
  isStopped: boolean;
  /** Stopped because the budget is. */
  isUsedUp: boolean;
}

/** `label`: which of several sets, for the progress line. */
export async function measureSet(
  { input, chosen, identity }: BenchPlan,
  folder: DiskFolder,
  flags: BenchFlags,
  label?: string,
): Promise<MeasuredSet> {
  const [{ runBench }, { createMemoryFolder }] = await Promise.all([
    import("../../bench/bench.ts"),
    import("../../bench/folder.ts"),
  ]);
  const { set, fit, concurrency, budgetUsd } = input;
  const queue = await input.queue?.open({ title: `tutti bench ${set.id}`, folder: folder.path });
  const { seed, splitBy, splitSeed, limit, fitTasks, samples = input.samples } = flags;
  // First: where dollars are not known it is refused before anything else is measured.
  const front = flags.front ? await measureCurves(input, chosen.contenders, flags) : undefined;
  const outcome = await watched(flags, set.kind === "rehearsal", (signal, line) =>
    runBench({
      ...{ set, concurrency, seed, splitBy, splitSeed, samples, folder, signal, ...chosen },
      ...{ limit, fit, fitTasks },
      budgetUsd,
      perMonth: flags.perMonth,
      onProgress: (progress) =>
        line.update(label === undefined ? progress : { ...progress, what: `${label} · ${progress.what}` }),
    }),
  ).finally(async () => {
    await queue?.close();
    folder.close();
  });
  const families = new Set(set.tasks.map(({ family }) => family)).size;
  const isFree = set.kind === "recording" && !outcome.isStopped;
  const byFamily =
    isFree && !fit && splitBy === "prompt" && families >= FEWEST_FAMILIES
      ? await runBench({
          ...{ set, concurrency, seed, splitSeed, samples, ...chosen },
          splitBy: "family",
          folder: createMemoryFolder(),
          ...{ limit, fitTasks },
        })
      : undefined;
  const [{ keepVerdict }, { toTuttiHome }] = await Promise.all([
    import("./keep-verdict.ts"),
    import("../../config/home.ts"),
  ]);
  const verdict = await keepVerdict(outcome, toTuttiHome(process.env), toClock(Date.now()).slice(0, 10));
  const measured = { outcome, byFamily, verdict, front };
  await keep(measured, folder, identity, flags.report);
  return measured;
}

/** Undefined where nobody has a price that could be set. */
async function measureCurves(
  { set }: BenchInput,
  contenders: readonly Baseline[],
  flags: BenchFlags,
): Promise<FrontResult | undefined> {
  // Every single worker is a point of the picture already.
  const priced = contenders.filter(({ id, atPrice, target }) => atPrice && !target && id !== BEST_SINGLE);
  if (priced.length === 0) return undefined;
  const { measureFront } = await import("../../bench/front/front.ts");
  const { seed, splitBy, splitSeed, limit } = flags;
  return watched(flags, false, (signal, line) =>
    measureFront({
      ...{ set, contenders: priced, seed, splitBy, splitSeed, limit, signal },
      onProgress: (progress) => line.update(progress),
    }),
  );
}

async function keep(
  { outcome, byFamily, front }: MeasuredSet,
  folder: DiskFolder,
  identity: BenchIdentity,
  hasReport: boolean,
): Promise<void> {
  const { results, rows: _, set: __, pool, ...statement } = outcome;
  folder.describe(identity, {
    ...statement,
    pool: pool.members.map(({ worker, profile }) => ({ id: worker.id, profile })),
  });
  if (!outcome.isStopped) folder.write("results.json", `${toJson(results)}\n`);
  if (front) folder.write("front.json", `${toJson(front)}\n`);
  if (byFamily) folder.write("results-by-family.json", `${toJson(byFamily.results)}\n`);
  if (!hasReport) return;
  const { toReport } = await import("../../bench/report/report.ts");
  folder.write("report.html", toReport(outcome, toCommandLine(process.argv.slice(2)), { byFamily, front }));
}

/** The table of a set with all that is said around it. */
export function toSetLines({ outcome, byFamily, verdict }: MeasuredSet): string[] {
  const look = lookOf();
  const { before, after } = toStatementLines(outcome, look);
  const headline = outcome.results.find((result) => result.verdict)?.verdict?.sentence;
  return [
    ...before,
    ...toResultLines(outcome.results, look),
    ...after,
    ...(byFamily ? toFamilyLines(byFamily, look) : []),
    ...(verdict === undefined ? [] : ["", verdict]),
    ...(headline === undefined || outcome.isStopped
      ? []
      : ["", ...wrap(toOneLine(headline), look.width).map(look.style.bold)]),
  ];
}

/** The folder of a bench that nobody named, before a number is put to it. */
export function toWish(name: string): string {
  return join(HOME, `${name.replace(/[^\w.-]+/g, "-")}-${toClock(Date.now()).slice(0, 10)}`);
}

// ---- Progress ------------------------------------------------------------------------------------

// How far a bench is and how long it still takes.

/** Before this nothing can be said about the rest. */
const WARM_UP_MS = 1_500;

export interface ProgressLine {
  update(progress: BenchProgress): void;
  /** Takes the line away. */
  end(): void;
}

function createProgressLine(
  stderr: NodeJS.WriteStream,
  isSimulated: boolean,
  now: () => number = Date.now,
): ProgressLine {
  const startedAt = now();
  const line = createChangingLine(stderr, now);
  let firstDone: number | undefined;
  return {
    update({ what, done, total, spentUsd }) {
      firstDone ??= done;
      const made = done - firstDone;
      const takenMs = now() - startedAt;
      const leftMs = made > 0 && takenMs > WARM_UP_MS ? (takenMs / made) * (total - done) : undefined;
      line.show(() => [
        `${done.toLocaleString("en")} of ${total.toLocaleString("en")} runs`,
        toOneLine(what),
        ...(spentUsd > 0 ? [toMoney(spentUsd, isSimulated)] : []),
        ...(leftMs === undefined ? [] : [`${toDelay(leftMs)} left`]),
      ]);
    },
    end: () => line.end(),
  };
}

/** With a progress line, and an end at Ctrl-C that keeps what there is. */
export async function watched<T>(
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
