// What `tutti pool calibrate` shows: how good each worker was, overall and by topic, and where it is kept.

import { toCount, toDelay, toMoney, toPercent, toPoints } from "../../base/format.ts";
import { wilson } from "../../base/statistics.ts";
import { estimateMoreTasks, type MoreTasks } from "../../calibration/more-tasks.ts";
import type { Calibration } from "../../calibration/types.ts";
import { TOPICS, type Topic } from "../../worker/types.ts";
import { toOutcome } from "../record/print.ts";
import { printTable } from "../terminal/print.ts";
import { toOneLine } from "../terminal/sanitise.ts";
import { createStyle } from "../terminal/style.ts";
import type { Column } from "../terminal/table.ts";
import type { CalibrateResult } from "./calibrate.ts";

interface Share {
  right: number;
  tasks: number;
}

interface WorkerFigures extends Share {
  id: string;
  /** The share that is right, with its 95 % interval by Wilson; absent where nothing was measured. */
  success?: number;
  low?: number;
  high?: number;
  topics: Partial<Record<Topic, Share>>;
  /** Of all replies that stand behind the rates; absent where a price is not known. */
  costUsd?: number;
  delayMs?: number;
  /** Of this call. */
  failed: number;
  error?: string;
}

/** As measured: shrinkage is for those who decide by the rates, not for those who read them. */
function toWorkerRates({ calibration, summary, workers }: CalibrateResult): WorkerFigures[] {
  return workers.map((id) => {
    const column = calibration.workers.indexOf(id);
    const { failed = 0, error } = summary.workers.find((worker) => worker.id === id) ?? {};
    const overall = countColumn(calibration, column);
    const { mean: success, low, high } = wilson(overall.right, overall.tasks);
    const topics = TOPICS.map((topic) => [topic, countColumn(calibration, column, topic)] as const);
    const costUsd = calibration.costsUsd[column];
    const delayMs = calibration.delaysMs?.[column];
    return {
      id,
      ...overall,
      ...(overall.tasks > 0 && { success, low, high }),
      topics: Object.fromEntries(topics.filter(([, { tasks }]) => tasks > 0)),
      costUsd,
      delayMs,
      failed,
      error,
    };
  });
}

function countColumn({ tasks, scores }: Calibration, column: number, topic?: Topic): Share {
  let right = 0;
  let count = 0;
  for (const [task, row] of scores.entries()) {
    const score = row[column];
    if (score === undefined || (topic !== undefined && tasks[task]!.topic !== topic)) continue;
    right += score;
    count++;
  }
  return { right, tasks: count };
}

export function toCalibrateJson(result: CalibrateResult): object {
  const { calls, costUsd, unpricedCalls, stopReason, left, isSimulated } = result.summary;
  const { file, folder, calibration } = result;
  return {
    ...{ file: file ?? null, folder, isSimulated, tasks: calibration.tasks.length },
    ...{ calls, costUsd, unpricedCalls, stopReason, left, workers: toWorkerRates(result) },
    moreTasks: estimateMoreTasks(calibration) ?? null,
    embedded: result.embedded,
  };
}

export function printCalibration(result: CalibrateResult, { stdout, stderr, env }: NodeJS.Process): void {
  const style = createStyle(stdout, env);
  const rates = toWorkerRates(result);
  const { summary, file } = result;
  const print = (columns: Column[], rows: string[][]) => printTable(columns, rows, style);
  const columns: Column[] = [
    { title: "WORKER", min: 12 },
    { title: "SUCCESS (95 %)", align: "right" },
    { title: "TASKS", align: "right" },
    { title: "COST", align: "right" },
    { title: "DELAY", align: "right" },
    { title: "FAILED", align: "right", style: (text) => style.red(text) },
    { title: "LAST ERROR", min: 20, isOptional: true },
  ];
  print(
    columns,
    rates.map((worker) => [
      toOneLine(worker.id),
      toInterval(worker),
      worker.tasks > 0 ? String(worker.tasks) : "",
      worker.tasks > 0 ? toMoney(worker.costUsd, summary.isSimulated) : "",
      worker.delayMs === undefined ? "" : toDelay(worker.delayMs),
      worker.failed > 0 ? worker.failed.toLocaleString("en") : "",
      toOneLine(worker.error ?? ""),
    ]),
  );
  const topics = TOPICS.filter((topic) => rates.some((worker) => worker.topics[topic]));
  if (topics.length > 0) {
    stdout.write("\n");
    print(
      [
        { title: "TOPIC" },
        ...rates.map(({ id }): Column => ({ title: toShortName(id), align: "right", min: 5 })),
      ],
      topics.map((topic) => [topic, ...rates.map(({ topics: own }) => toShare(own[topic]))]),
    );
  }
  stderr.write(`${toOutcome(summary)}\n`);
  if (file === undefined) return void stderr.write("Nobody could be measured: nothing is saved.\n");
  const who = summary.isSimulated ? "simulated " : "";
  stderr.write(`The ${who}profiles are saved in ${toOneLine(file)} and used from the next question on.\n`);
  const { embedded } = result;
  if (embedded)
    stderr.write(`${toOneLine(`${toCount(embedded.tasks, "question")} embedded by ${embedded.encoder}`)}.\n`);
  const more = estimateMoreTasks(result.calibration);
  if (more) stderr.write(`${toOneLine(toMoreTasksLine(more))}\n`);
}

/** What more tasks would bring, as far as it can be told from these. */
function toMoreTasksLine({ tasks, pick, gain, leader, second, lead, ...more }: MoreTasks): string {
  const range = `${Math.round(pick.low * 100)}–${Math.round(pick.high * 100)}`;
  const doubled = `twice as many would add about ${toPoints(gain.mean)} points (${toPoints(gain.low)} to ${toPoints(gain.high)})`;
  const ahead = `${leader} leads ${second} by ${toPoints(lead.mean)} points`;
  const settled = more.isSettled
    ? `${ahead}, which is settled`
    : more.tasksToSettle === undefined
      ? `${leader} and ${second} are equally good here`
      : `${ahead}, which would take at least ${more.tasksToSettle.toLocaleString("en")} tasks to settle`;
  return `With ${tasks} tasks the best single pick is right on ${toPercent(pick.mean)} (${range}); ${doubled}. ${settled}.`;
}

/** "83 % (72–91)". */
function toInterval({ success, low = 0, high = 1 }: WorkerFigures): string {
  if (success === undefined) return "";
  return `${toPercent(success)} (${Math.round(low * 100)}–${Math.round(high * 100)})`;
}

function toShare(share: Share | undefined): string {
  return share ? toPercent(share.right / share.tasks) : "";
}

/** What is before the last slash is the same for many. */
function toShortName(id: string): string {
  return toOneLine(id.slice(id.lastIndexOf("/") + 1));
}
