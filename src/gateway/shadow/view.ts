// A comparison as a table and sentences: the same for the command and the dashboard. Pure.

import { toCount, toDelay, toMoney, toPercent, toSeries } from "../../base/format.ts";
import type { Estimate } from "../../base/statistics.ts";
import type { TableView } from "../../report/table.ts";
import type { BothSides, ShadowComparison } from "./compare.ts";

export function toShadowTable({ model, isSimulated, ...sides }: ShadowComparison): TableView {
  return {
    label: `Clients' answers beside ${model}`,
    columns: [
      { title: "Per request" },
      { title: "Original" },
      { title: "Shadow" },
      { title: "Difference (95 %)" },
    ],
    rows: [
      toRow(isSimulated ? "Cost (simulated)" : "Cost", sides.costUsd, (usd) => toMoney(usd)),
      toRow("Delay", sides.delayMs, toDelay),
      toRow("Calls", sides.calls, (calls) => calls.toFixed(2)),
    ],
  };
}

function toRow(name: string, { original, shadow, difference }: BothSides, write: (value: number) => string) {
  const signed = (value: number) => `${value < 0 ? "−" : "+"}${write(Math.abs(value))}`;
  const words =
    difference === null
      ? "too few"
      : `${signed(difference.mean)} (${signed(difference.low)} to ${signed(difference.high)})`;
  return { cells: [name, write(original), write(shadow), words] };
}

/** One line each: how much is compared, agreement, ratings, what is left out. */
export function toShadowSentences({ pairs, agreement, ratings, leftOut }: ShadowComparison): string[] {
  const lines = [`${toCount(pairs, "request")} answered by both.`];
  lines.push(
    agreement
      ? `The same answer in ${toShare(agreement)} of the ${agreement.compared} that can be compared (short answers and JSON).`
      : "No answers that can be compared yet: only short answers and JSON are.",
  );
  if (ratings) {
    const { rated, score, agreedWithGood, agreedWithBad } = ratings;
    const parts = [
      ...(agreedWithGood === null ? [] : [`${toPercent(agreedWithGood)} of the good ones`]),
      ...(agreedWithBad === null ? [] : [`${toPercent(agreedWithBad)} of the bad ones`]),
    ];
    const agreed = parts.length > 0 ? `; the shadow said the same in ${toSeries(parts)}` : "";
    lines.push(`${toCount(rated, "original")} rated ${toShare(score)} on average${agreed}.`);
  }
  const { running, cut, failed, alone } = leftOut;
  const left = [
    ...(running > 0 ? [`${running} running or interrupted`] : []),
    ...(cut > 0 ? [`${cut} cut by a limit`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(alone > 0 ? [`${alone} whose original is gone`] : []),
  ];
  if (left.length > 0) lines.push(`Left out: ${toSeries(left)}.`);
  return lines;
}

function toShare({ mean, low, high }: Estimate): string {
  return `${toPercent(mean)} (${toPercent(low)} to ${toPercent(high)})`;
}
