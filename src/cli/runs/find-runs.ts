// Runs of the journal as the command names and lists them: by the beginning of an id, and as a table.

import { TuttiError } from "../../base/errors.ts";
import { toMoney, toWhen } from "../../base/format.ts";
import type { RunSummary, Store } from "../../store/types.ts";
import { toOneLine } from "../terminal/sanitise.ts";
import type { Style } from "../terminal/style.ts";
import { toTable } from "../terminal/table.ts";

export function toRunTable(
  runs: readonly RunSummary[],
  { style, width, now }: { style: Style; width: number; now: number },
): string[] {
  const columns = [
    { title: "RUN", style: style.bold },
    { title: "WHEN" },
    {
      title: "STATE",
      style: (text: string, row: number) => (runs[row]!.state === "ended" ? text : style.cyan(text)),
    },
    {
      title: "STOP",
      style: (text: string, row: number) =>
        (runs[row]!.stopReason === "done" ? style.green : style.yellow)(text),
    },
    { title: "CALLS", align: "right" as const },
    { title: "COST", align: "right" as const },
    { title: "QUESTION", min: 10 },
  ];
  const rows = runs.map(({ id, startedAt, state, stopReason, calls, question, ...run }) => [
    id,
    toWhen(startedAt, now),
    state,
    stopReason ?? "",
    String(calls),
    `${run.estimatedUsd > 0 ? "≤" : ""}${toMoney(run.costUsd, run.isSimulated)}`,
    toOneLine(question),
  ]);
  return toTable(columns, rows, width, style);
}

/** A whole id, or the beginning of exactly one. */
export async function findRun(store: Store, text: string): Promise<string> {
  if ((await store.loadRun(text)).length > 0) return text;
  const runs = await store.listRuns({ idPrefix: text, limit: 1000, shadows: true });
  const found = runs.map(({ id }) => id);
  if (found.length === 1) return found[0]!;
  if (found.length === 0) throw new TuttiError("unknown-run", `there is no run "${text}" in the journal`);
  const some = found.slice(0, 3).join(", ");
  throw new TuttiError(
    "ambiguous-run",
    `"${text}" begins ${found.length} runs (${some}${found.length > 3 ? ", …" : ""}): write more of the id`,
  );
}
