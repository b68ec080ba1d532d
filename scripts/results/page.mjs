// docs/results.md from the files of docs/results: nothing on that page is written by hand. `front.mjs` has what is said in dollars.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { toDifference, toDollars, toFigure, toInterval, toTable } from "./figures.mjs";
import { toFrontLines, toGoal } from "./front.mjs";

const READS = {
  nothing: "nothing",
  question: "the question",
  label: "the true label",
  verdict: "whether a reply is right",
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
    "Made by `node scripts/results.mjs` from the files in [results/](results/); nothing here is written by hand. Each claim has its interval (95 %, over tasks), calls and dollars per task, command, date and commit. Rows are sorted by the first figure: where a lookup table or a simple rule wins, it stands first. A router that reads the question is given its words and nothing else; a lookup table is given the true label, which nobody has who asks; a verified cascade is told of each reply whether it is right, or with a set probability the opposite (simulated); the oracle is told who is right before anybody is asked and is no method.",
    "All of it is measured by one command, `node scripts/results.mjs --measure recorded`; with names of claims behind it, these alone.",
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
  const of = (isWanted) => rows.filter(({ reads }) => isWanted(reads));
  return {
    methods: of((reads) => reads !== "outcome" && reads !== "verdict").sort((a, b) => meanOf(b) - meanOf(a)),
    verified: of((reads) => reads === "verdict"),
    bounds: of((reads) => reads === "outcome"),
  };
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
      (result.goals ?? []).map((goal) => toGoal(goal, result, methods)).join("; "),
    ];
  });
  return toTable(
    ["yardstick", "figure", "best", "best that reads the question", "goals, reading the question"],
    rows,
  );
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
    front,
  } = result;
  const { methods, verified, bounds } = sorted(result);
  const isAgainst = result.rows.some(({ against }) => against);
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
      ...(isAgainst ? ["points against best-single"] : []),
    ],
    [
      ...[...methods, ...verified, ...bounds].map((row) => [
        row.name,
        READS[row.reads],
        ...shown.map((metric) => toInterval(row, metric)),
        row.calls.toFixed(2),
        ...(hasUsd ? [row.usd === undefined ? "unknown" : toDollars(row.usd)] : []),
        ...(isAgainst ? [row.against ? toDifference(row.against) : ""] : []),
      ]),
      ...anchors.map((anchor) => [
        `_${anchor.name}_`,
        `published: ${anchor.source}, ${anchor.date}`,
        ...shown.map((metric) =>
          anchor.metrics[metric.id] === undefined ? "" : toFigure(anchor.metrics[metric.id], metric),
        ),
        "",
        ...(hasUsd ? [""] : []),
        ...(isAgainst ? [""] : []),
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
    ...(front ? toFrontLines(front) : []),
    [...(front?.record ? [front.record] : []), command, ...(front ? [front.command] : [])]
      .map((each) => `\`${each}\``)
      .join("<br>")
      .concat(` · ${date} · ${commit}`),
  ].join("\n\n");
}

function toAnchor(title) {
  return title
    .toLowerCase()
    .replace(/[^\w\s-]/g, "")
    .replace(/\s/g, "-");
}
