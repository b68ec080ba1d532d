// docs/results.md from the files of docs/results: nothing on that page is written by hand.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const READS = {
  nothing: "nothing",
  question: "the question",
  label: "the true label",
  outcome: "the outcome",
};

/** `order`: names of claims; what is not in it comes last. */
export function toPage(root, order) {
  const folder = join(root, "docs/results");
  const results = readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")))
    .sort((a, b) => rank(order, a) - rank(order, b) || (a.name < b.name ? -1 : 1));
  return `${[
    "# Results",
    "Made by `node scripts/results.mjs` from the files in [results/](results/); nothing here is written by hand. Each claim has its interval (95 %, over tasks), calls and dollars per task, command, date and commit. Rows are sorted by the first figure: where a lookup table or a simple rule wins, it stands first. A router that reads the question is given its words and nothing else; a lookup table is given the true label, which nobody has who asks; the oracle is told who is right and is no method.",
    "`recorded/` is a folder of recordings. They are not part of the project: [how to build them from their public sources](recordings-from-public-sources.md). How a recording is measured is in [bench.md](bench.md), the published protocols are in [protocols.md](protocols.md).",
    toOverview(results),
    ...results.map((result) => toSection(root, result)),
  ].join("\n\n")}\n`;
}

function rank(order, { name }) {
  const at = order.indexOf(name);
  return at < 0 ? order.length : at;
}

function sorted({ rows, metrics }) {
  const meanOf = (row) => row.figures[metrics[0].id]?.mean ?? -1;
  const bounds = rows.filter(({ reads }) => reads === "outcome");
  const methods = rows.filter(({ reads }) => reads !== "outcome").sort((a, b) => meanOf(b) - meanOf(a));
  return { methods, bounds };
}

function toOverview(results) {
  const rows = results.map((result) => {
    const { methods } = sorted(result);
    const [metric] = result.metrics;
    const reading = methods.find(({ reads }) => reads === "question");
    return [
      `[${result.title}](#${toAnchor(result.title)})`,
      metric.title,
      `${methods[0].name} ${toInterval(methods[0], metric)}`,
      reading ? `${reading.name} ${toInterval(reading, metric)}` : "none measured",
      result.goal ? toGoal(result, methods) : "",
    ];
  });
  return toTable(
    ["yardstick", "figure", "best", "best that reads the question", "goal, reading the question"],
    rows,
  );
}

function toGoal({ goal, metrics }, methods) {
  const metric = metrics.find(({ id }) => id === goal.metric);
  const reached = methods
    .filter(({ reads }) => reads === "question" || reads === "nothing")
    .some(({ figures }) => figures[goal.metric]?.mean >= goal.atLeast);
  return `${toFigure(goal.atLeast, metric)}: ${reached ? "reached" : "not reached"}`;
}

function toSection(root, result) {
  const {
    title,
    name,
    note,
    command,
    date,
    commit,
    tasks,
    metrics,
    how = [],
    anchors = [],
    anchorNote,
  } = result;
  const { methods, bounds } = sorted(result);
  const hasUsd = result.rows.some(({ usd }) => usd !== undefined);
  const listed = result.rows.some(({ costSource }) => costSource === "list" || costSource === "list-assumed");
  const shown = metrics.slice(0, 7);
  const table = toTable(
    [
      "",
      "reads",
      ...shown.map(({ title: heading, unit }) => (unit === "points" ? `${heading} %` : heading)),
      "calls",
      ...(hasUsd ? ["$ a task"] : []),
    ],
    [
      ...[...methods, ...bounds].map((row) => [
        row.name,
        READS[row.reads],
        ...shown.map((metric) => toInterval(row, metric)),
        row.calls.toFixed(2),
        ...(hasUsd ? [row.usd === undefined ? "unknown" : toDollars(row.usd)] : []),
      ]),
      ...anchors.map((anchor) => [
        `_${anchor.name}_`,
        `published: ${anchor.source}, ${anchor.date}`,
        ...shown.map((metric) =>
          anchor.metrics[metric.id] === undefined ? "" : toFigure(anchor.metrics[metric.id], metric),
        ),
        "",
        ...(hasUsd ? [""] : []),
      ]),
    ],
  );
  const picture = `images/front-${name}.svg`;
  return [
    `## ${title}`,
    [
      `${tasks.toLocaleString("en")} test tasks.`,
      note,
      ...how,
      anchorNote,
      listed ? "Dollars from list prices." : "",
    ]
      .filter(Boolean)
      .join(" "),
    table,
    ...(existsSync(join(root, "docs", picture)) ? [`![Accuracy against dollars: ${title}](${picture})`] : []),
    `\`${command}\` · ${date} · ${commit}`,
  ].join("\n\n");
}

function toInterval({ figures }, metric) {
  const figure = figures[metric.id];
  if (!figure) return "";
  return `${toFigure(figure.mean, metric)} (${toFigure(figure.low, metric)} – ${toFigure(figure.high, metric)})`;
}

function toFigure(value, { unit }) {
  if (unit === "points") return (value * 100).toFixed(1);
  return unit === "share" ? value.toFixed(3).replace(/^0\./, ".") : toDollars(value);
}

function toDollars(usd) {
  return `$${Number(usd.toPrecision(3))}`;
}

function toAnchor(title) {
  return title
    .toLowerCase()
    .replace(/[^\w\s-]/g, "")
    .replace(/\s/g, "-");
}

/** Padded as the formatter wants it. */
function toTable(columns, rows) {
  const all = [columns, ...rows].map((row) => row.map((text) => String(text).replaceAll("|", "\\|")));
  const widths = columns.map((_, i) => Math.max(3, ...all.map((row) => [...row[i]].length)));
  const pad = (row, fill) => row.map((text, i) => text + fill.repeat(widths[i] - [...text].length));
  const lines = [
    pad(all[0], " "),
    pad(
      columns.map(() => ""),
      "-",
    ),
    ...all.slice(1).map((row) => pad(row, " ")),
  ];
  return lines.map((row) => `| ${row.join(" | ")} |`).join("\n");
}
