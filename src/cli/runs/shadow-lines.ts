// `tutti runs shadow`: shadow runs beside what clients were answered, for people.

import type { ShadowReport } from "../../gateway/shadow/compare.ts";
import { toShadowSentences, toShadowTable } from "../../gateway/shadow/view.ts";
import { toOneLine } from "../terminal/sanitise.ts";
import { columnsOf, createStyle } from "../terminal/style.ts";
import { toTable } from "../terminal/table.ts";

export function toShadowLines({ comparisons, runs, isCut }: ShadowReport): string[] {
  if (comparisons.length === 0)
    return ["No shadow runs yet. Switch them on with gateway.shadow in the config (docs/gateway.md)."];
  const style = createStyle(process.stdout, process.env);
  const lines = comparisons.flatMap((comparison) => {
    const { columns, rows } = toShadowTable(comparison);
    const table = toTable(
      columns.map(({ title }, i) => ({ title, align: i > 0 ? ("right" as const) : undefined })),
      rows.map(({ cells }) => [...cells]),
      columnsOf(process.stdout) - 1,
      style,
    );
    return [style.bold(toOneLine(comparison.model)), ...toShadowSentences(comparison), ...table, ""];
  });
  return isCut ? [...lines, `Of the newest ${runs} shadow runs.`] : lines.slice(0, -1);
}
