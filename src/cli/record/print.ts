// What `tutti record` shows: the estimate and its question, how far it is, and what came of it.

import { usageError } from "../../base/errors.ts";
import { toCount, toDelay, toMoney, toPercent, toTokens } from "../../base/format.ts";
import type { RecordingPlan } from "../../recording/plan.ts";
import type { RecordProgress, RecordSummary } from "../../recording/record-types.ts";
import { type ChangingLine, createChangingLine } from "../terminal/changing-line.ts";
import { confirm } from "../terminal/confirm.ts";
import { printTable } from "../terminal/print.ts";
import { toOneLine } from "../terminal/sanitise.ts";
import { createStyle } from "../terminal/style.ts";
import type { Column } from "../terminal/table.ts";

export function toEstimate(
  { calls, recorded, usd, maxUsd, unpriced }: RecordingPlan,
  where: { source: string; folder: string; samples: number; limit: number | undefined; simulated: boolean },
): string {
  const { source, folder, limit, simulated } = where;
  const there = recorded > 0 ? ` (${recorded.toLocaleString("en")} are there already)` : "";
  const head = `${toCount(calls, "call")} to make${there}: ${toOneLine(source)} → ${toOneLine(folder)}`;
  if (calls === 0) return head;
  const most = limit === undefined ? maxUsd : Math.min(maxUsd, limit);
  const unknown = unpriced.length > 0 ? `, and ${unpriced.map(toOneLine).join(", ")} of unknown price` : "";
  const cost = `Estimated cost: ${toMoney(Math.min(usd, most), simulated)}, at the most ${toMoney(most, simulated)}${unknown}`;
  return `${head}\n${cost}`;
}

/** Whether to go on at this cost: asked only where it is not already settled, by --yes or because it is free. */
export async function confirmCost(isSettled: boolean): Promise<boolean> {
  if (isSettled) return true;
  if (!process.stdin.isTTY)
    throw usageError("nobody can be asked whether this cost is all right: say so with --yes");
  if (await confirm("Go on?")) return true;
  process.stderr.write("Nobody was asked.\n");
  process.exitCode = 1;
  return false;
}

/** Before so many asks are over, nothing can be said about the rest. */
const FEW = 5;

/** Calls made and failed, what they cost, how long it still takes. */
export class RecordProgressLine {
  readonly #line: ChangingLine;
  readonly #simulated: boolean;

  constructor(stderr: NodeJS.WriteStream, simulated: boolean) {
    this.#line = createChangingLine(stderr);
    this.#simulated = simulated;
  }

  update({ done, total, failed, costUsd, leftMs }: RecordProgress): void {
    this.#line.show(() => [
      `${done.toLocaleString("en")} of ${toCount(total, "call")}`,
      ...(failed > 0 ? [`${failed.toLocaleString("en")} failed`] : []),
      ...(costUsd > 0 ? [toMoney(costUsd, this.#simulated)] : []),
      ...(done < FEW ? [] : [`${toDelay(leftMs)} left`]),
    ]);
  }

  end(): void {
    this.#line.end();
  }
}

export function printSummary(summary: RecordSummary, { stdout, stderr, env }: NodeJS.Process): void {
  const style = createStyle(stdout, env);
  const { workers, isSimulated } = summary;
  const columns: Column[] = [
    { title: "WORKER", min: 12 },
    { title: "RECORDED", align: "right" },
    { title: "RIGHT", align: "right" },
    { title: "TOKENS", align: "right" },
    { title: "COST", align: "right" },
    { title: "FAILED", align: "right", style: (text) => style.red(text) },
    { title: "LAST ERROR", min: 20, isOptional: true },
  ];
  const rows = workers.map(({ id, recorded, right, tokens, costUsd, failed, error = "" }) => [
    toOneLine(id),
    recorded.toLocaleString("en"),
    recorded > 0 ? toPercent(right / recorded) : "",
    recorded > 0 ? toTokens(tokens) : "",
    recorded > 0 ? toMoney(costUsd, isSimulated) : "",
    failed > 0 ? failed.toLocaleString("en") : "",
    toOneLine(error),
  ]);
  printTable(columns, rows, style);
  stderr.write(`${toOutcome(summary)}\n`);
}

/** What came of it, in words: how much is there, what it took, what is missing. */
export function toOutcome(summary: RecordSummary): string {
  const { folder, recorded, left, ungraded, stopReason, costUsd, durationMs, unpricedCalls } = summary;
  const why = {
    done: left > 0 ? "Some asks failed." : "",
    "budget-usd": "Stopped: the next ask could have gone over the budget.",
    cancelled: "Stopped by you.",
    "cannot-grade": "Stopped: replies cannot be graded.",
  }[stopReason];
  const cost = `${unpricedCalls > 0 ? "at least " : ""}${toMoney(costUsd, summary.isSimulated)}`;
  return [
    `${toCount(recorded, summary.isSimulated ? "simulated reply" : "reply", summary.isSimulated ? "simulated replies" : "replies")} recorded in ${toOneLine(folder)} · ${cost} · ${toDelay(durationMs)}`,
    ...(ungraded > 0
      ? [
          `${toCount(ungraded, "reply", "replies")} could not be graded and ${ungraded === 1 ? "is" : "are"} not recorded.`,
        ]
      : []),
    ...(left > 0 ? [`${why} ${toCount(left, "call")} missing: the same command goes on.`] : []),
  ].join("\n");
}
