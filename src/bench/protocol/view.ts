// What a protocol's result looks like as a table, for terminal and page alike: measured routers first, published
// figures below them, the best that reads only the question marked.

import { toPoints } from "../../base/format.ts";
import type { Estimate } from "../../base/statistics.ts";
import type { TableView } from "../../report/table.ts";
import type { ProtocolMetric, ProtocolResult, ProtocolRow, Reads } from "./types.ts";

const READS: Record<Reads, string> = {
  nothing: "nothing",
  question: "the question",
  label: "the true label",
  outcome: "the outcome",
};

/** Said under every table. */
export const READS_NOTE =
  "A router that reads the question is handed its words and nothing else. A lookup table is handed the question's true label, which nobody has who asks; the oracle is told who is right.";

/** Where the interval of a figure stands: in one column they widen a table a lot. */
type IntervalPlace = "beside" | "below" | "nowhere";

/** Many metrics leave no room beside them. */
const MANY_METRICS = 3;

export function toProtocolTable(result: ProtocolResult, inMany: "below" | "nowhere"): TableView {
  const intervals = result.metrics.length <= MANY_METRICS ? "beside" : inMany;
  const { title, metrics, rows, anchors } = result;
  // Where intervals stand below there is no room for a column of sources either.
  const hasSource = intervals !== "below";
  return {
    label: `${title}: measured and published`,
    columns: [
      { title: "router" },
      { title: "reads", isText: "short" },
      ...metrics.map(({ title: name, unit }) => ({ title: unit === "points" ? `${name} %` : name })),
      ...(hasSource ? [{ title: "source", isText: "short" as const }] : []),
    ],
    rows: [
      ...rows.map((row) => ({
        cells: [
          row.router,
          READS[row.reads],
          ...metrics.map((metric) => toCell(row.metrics[metric.id], metric, intervals)),
          ...(hasSource ? ["measured here"] : []),
        ],
        kind: row.reads === "outcome" ? ("bound" as const) : undefined,
      })),
      ...anchors.map(({ name, metrics: figures, source, date }) => ({
        cells: [
          hasSource ? name : `${name}\n${source} (${date})`,
          "published",
          ...metrics.map((metric) => {
            const figure = figures[metric.id];
            return figure === undefined ? "" : toFigure(figure, metric);
          }),
          ...(hasSource ? [`${source} (${date})`] : []),
        ],
      })),
    ],
  };
}

function toCell(estimate: Estimate | undefined, metric: ProtocolMetric, place: IntervalPlace): string {
  if (!estimate) return "";
  const { mean, low, high } = estimate;
  const figure = toFigure(mean, metric);
  if (place === "nowhere") return figure;
  return `${figure}${place === "below" ? "\n" : " "}(${toFigure(low, metric)} – ${toFigure(high, metric)})`;
}

function toFigure(value: number, { unit }: Pick<ProtocolMetric, "unit">): string {
  if (!Number.isFinite(value)) return "";
  if (unit === "points") return toPoints(value);
  return unit === "share" ? value.toFixed(3).replace(/^0\./, ".") : `$${value.toPrecision(3)}`;
}

/** One sentence: the best router that reads no more than the question, by the first metric. */
export function toProtocolHeadline({ rows, metrics, anchors }: ProtocolResult): string | undefined {
  const metric = metrics[0]!;
  const meanIn = ({ metrics: figures }: ProtocolRow) => figures[metric.id]?.mean ?? -Infinity;
  const best = (reads: readonly Reads[]) =>
    rows.filter((row) => reads.includes(row.reads)).toSorted((a, b) => meanIn(b) - meanIn(a))[0];
  const method = best(["question", "nothing"]);
  if (!method) return undefined;
  const lookup = best(["label"]);
  const published = anchors
    .filter(({ name, metrics: figures }) => name !== "oracle" && figures[metric.id] !== undefined)
    .toSorted((a, b) => b.metrics[metric.id]! - a.metrics[metric.id]!)[0];
  return [
    ...(lookup && meanIn(lookup) > meanIn(method)
      ? [
          `${lookup.router}, which is given the true label, is best: ${metric.title} ${toFigure(meanIn(lookup), metric)}.`,
        ]
      : []),
    `Without labels the best is ${method.router}: ${metric.title} ${toCell(method.metrics[metric.id], metric, "beside")}.`,
    ...(published
      ? [`Best published: ${published.name}, ${toFigure(published.metrics[metric.id]!, metric)}.`]
      : []),
  ].join(" ");
}
