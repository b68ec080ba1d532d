// What `tutti train` tells beside its progress: the cost before it asks a live pool, what came of it, the
// results on test tasks, and the page that holds all of it.

import { join } from "node:path";
import { toCost, toCount, toMoney, toPercent, toPoints } from "../../base/format.ts";
import { groupBy } from "../../bench/results.ts";
import type { TestResult, TrainingFolder } from "../../learn/folder.ts";
import { toTrainingReport } from "../../learn/report/report.ts";
import type { TrainResult } from "../../learn/train.ts";
import type { ValidationMetrics } from "../../learn/types.ts";
import { toCommandLine } from "../options.ts";
import { toOneLine } from "../terminal/sanitise.ts";
import { columnsOf, createStyle } from "../terminal/style.ts";
import { type Column, toTable } from "../terminal/table.ts";
import type { TrainSettings } from "./input.ts";
import type { PreparedWorld } from "./world.ts";

const PAGE = "report.html";

/** Returns where it is. */
export function writePage(folder: TrainingFolder): string {
  folder.write(PAGE, toTrainingReport(folder.load()));
  return join(folder.path, PAGE);
}

/** What it will probably take, for whoever pays. */
export function toCostLines(
  { asks, usd, highestUsd, unpriced, isSimulated, tasks }: NonNullable<PreparedWorld["estimate"]>,
  settings: TrainSettings,
  budgetUsd: number,
): string[] {
  const money = (amount: number) => toMoney(amount, isSimulated);
  const { iterations } = settings;
  // A proposal makes no more asks than any other iteration.
  const count = (iterations ?? 0) + (settings.what === "native" ? settings.proposals : 0);
  const rest =
    iterations === undefined ? "" : `; ${toCount(count, "iteration")}: about ${money(count * usd)}`;
  return [
    `${toCount(tasks, "task")}. An iteration makes up to ${toCount(asks, "ask")}: about ${money(usd)}, and ${money(highestUsd)} should only the most expensive worker be asked${rest}.`,
    "What was asked once is not asked again, so it becomes less; evaluating on validation questions comes on top.",
    `At the most ${money(budgetUsd)}${unpriced.length > 0 ? `, and ${unpriced.map(toOneLine).join(", ")} of unknown price` : ""}.`,
  ];
}

/** Prints the table of Conductors on test tasks that were never seen, and puts it into the page. */
export function showResults(
  rows: readonly TestResult[],
  folder: TrainingFolder,
  output: { stdout: NodeJS.WriteStream; env: NodeJS.ProcessEnv },
): void {
  folder.keepResults(rows);
  writePage(folder);
  const { stdout, env } = output;
  const isSimulated = folder.statement?.isSimulated ?? false;
  const groups = groupBy(rows, ({ world }) => world?.name ?? "");
  for (const own of groups.values()) writeTable(own, own[0]!.world?.isSimulated ?? isSimulated, stdout, env);
}

/** Of one world. */
function writeTable(
  rows: readonly TestResult[],
  isSimulated: boolean,
  stdout: NodeJS.WriteStream,
  env: NodeJS.ProcessEnv,
): void {
  const style = createStyle(stdout, env);
  const highest = Math.max(...rows.map(({ accuracy }) => accuracy));
  const columns: Column[] = [
    {
      title: "ON TEST TASKS",
      min: 12,
      style: (text, row) => (rows[row]!.accuracy === highest ? style.bold(text) : text),
    },
    { title: "ACC %", align: "right" },
    { title: "95 %", align: "right" },
    { title: "CALLS", align: "right" },
    { title: isSimulated ? "SIM. $ / 1,000" : "$ / 1,000", align: "right" },
    { title: "NOTE", min: 8, isOptional: true },
  ];
  const cells = rows.map(({ name, accuracy, low, high, calls, costUsd, note }) => [
    toOneLine(name),
    toPoints(accuracy),
    `${toPoints(low)} – ${toPoints(high)}`,
    calls.toFixed(2),
    toCost(costUsd === undefined ? undefined : costUsd * 1000),
    toOneLine(note ?? ""),
  ]);
  const width = stdout.isTTY ? columnsOf(stdout) - 1 : 160;
  const [first] = rows;
  const heading = first?.world ? [toOneLine(`In ${first.world.name}:`)] : [];
  const lines = ["", ...heading, ...toTable(columns, cells, width, style)];
  stdout.write(lines.map((line) => `${line}\n`).join(""));
}

/** What came of it, and where it is. */
export function toOutcomeLines(
  { iterations, isStopped, validation, checkpoint }: TrainResult,
  { path }: TrainingFolder,
): string[] {
  return [
    `${isStopped ? "Stopped after" : "Trained for"} ${toCount(iterations, "iteration")}.`,
    validation ? toValidationLine(validation) : "Nothing was measured on validation questions yet.",
    ...(isStopped ? [toResumeLine(path)] : [`The best is in ${toOneLine(checkpoint)}`]),
  ];
}

export function toResumeLine(path: string): string {
  return `Go on with: ${toCommandLine(["train", "--resume", path])}`;
}

function toValidationLine({
  tasks,
  accuracy,
  low,
  high,
  calls,
  validShare,
  iteration,
  parts = {},
}: ValidationMetrics): string {
  const apart = Object.entries(parts).map(
    ([name, part]) => ` In ${toOneLine(name)} ${toPoints(part.accuracy)} %, ${part.calls.toFixed(2)} calls.`,
  );
  return `Best on ${toCount(tasks, "validation question")}, at iteration ${iteration}: ${toPoints(accuracy)} % right (${toPoints(low)} – ${toPoints(high)}), ${calls.toFixed(2)} calls, ${toPercent(validShare)} valid.${apart.join("")}`;
}
