// What each quality costs and brings: node experiments/quality.mjs [--tasks 600] [--recorded ../shared/recorded] [--json]
//
// 1. The rehearsal (simulated), through the library as `tutti ask --quality` uses it: generated questions with seeds that no
//    training used, each quality on the same questions.
// 2. Recordings of real models, where nobody can hand work on: TRINITY at the costs per call that the qualities set, on the
//    test split, through `tutti bench`. Without --recorded this part is left out.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { QUALITIES } from "../dist/base/quality-names.js";
import { pairedDifference } from "../dist/base/statistics.js";
import { generateProblems, gradeProblem } from "../dist/rehearsal/questions.js";
import { QUALITY_TRAITS } from "../dist/tutti/quality.js";
import { createTutti } from "../dist/tutti/tutti.js";

const SEED = "quality-experiment";
const SETS = [
  { folder: "reasoning-gym", set: "reasoning-gym-hard" },
  { folder: "mmlu-pro", set: "mmlu-pro" },
];

const { values: options } = parseArgs({
  options: {
    tasks: { type: "string", default: "600" },
    recorded: { type: "string" },
    limit: { type: "string", default: "500" },
    json: { type: "boolean", default: false },
  },
});

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Against "balanced" on the same tasks, in points. */
function toRow(name, rows, usual) {
  const scores = rows.map(({ score }) => score);
  const difference =
    usual === rows
      ? undefined
      : pairedDifference(
          scores,
          usual.map(({ score }) => score),
          { seed: 1 },
        );
  return {
    name,
    tasks: rows.length,
    success: mean(scores),
    difference,
    calls: mean(rows.map(({ calls }) => calls)),
    costUsd: rows.every(({ costUsd }) => costUsd > 0) ? mean(rows.map(({ costUsd }) => costUsd)) : undefined,
  };
}

async function rehearse(count) {
  process.env.TUTTI_REHEARSAL_DELAY = "0";
  const problems = generateProblems({ count, seed: SEED });
  const tutti = createTutti({ store: "memory" }, { onNotice: () => {} });
  const rowsOf = new Map();
  for (const quality of QUALITIES) {
    const rows = [];
    for (const [seed, problem] of problems.entries()) {
      const run = await tutti.ask(problem.question, { pool: "rehearsal", quality, seed });
      const { score } = gradeProblem(problem, run.answer);
      rows.push({ score, calls: run.calls, costUsd: run.costUsd });
    }
    rowsOf.set(quality, rows);
  }
  await tutti.close();
  return QUALITIES.map((quality) => toRow(quality, rowsOf.get(quality), rowsOf.get("balanced")));
}

/** The price of a call on the card of the shipped weights, times the factor of the quality. */
function toContenders() {
  const card = JSON.parse(readFileSync(resolve(import.meta.dirname, "../models/trinity/card.json"), "utf8"));
  return QUALITIES.map((quality) => ({
    quality,
    id: `trinity@${card.costPerCall * QUALITY_TRAITS[quality].costPerCall}`,
  }));
}

function replay({ folder, set }, { recorded, limit }) {
  const out = mkdtempSync(join(tmpdir(), "tutti-quality-"));
  const contenders = toContenders();
  const args = [
    ...["bench", "--recording", join(recorded, folder), "--set", set, "--limit", limit, "--out", out],
    ...["--conductor", ["best-single", ...contenders.map(({ id }) => id)].join(","), "--no-report", "--json"],
  ];
  const main = resolve(import.meta.dirname, "../dist/cli/main.js");
  const { status } = spawnSync(process.execPath, [main, ...args], { stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) throw new Error(`The bench of ${set} ended with ${status}`);
  const rows = readFileSync(join(out, "rows.jsonl"), "utf8").trim().split("\n").map(JSON.parse);
  const tasks = [...new Set(rows.map(({ task }) => task))];
  const of = (id) => {
    const byTask = new Map(rows.filter(({ conductor }) => conductor === id).map((row) => [row.task, row]));
    return tasks.map((task) => byTask.get(task));
  };
  const usual = of(contenders.find(({ quality }) => quality === "balanced").id);
  return [
    toRow("best-single", of("best-single"), usual),
    ...contenders.map(({ quality, id }) =>
      quality === "balanced"
        ? toRow(`${quality} (${id})`, usual, usual)
        : toRow(`${quality} (${id})`, of(id), usual),
    ),
  ];
}

function print(title, rows) {
  console.log(`\n### ${title}\n`);
  console.log("| quality | tasks | success | against balanced, points | calls | dollars per 1,000 |");
  console.log("| --- | --- | --- | --- | --- | --- |");
  const points = (share) => (100 * share).toFixed(1);
  for (const { name, tasks, success, difference, calls, costUsd } of rows) {
    const against = difference
      ? `${points(difference.mean)} [${points(difference.low)}, ${points(difference.high)}]`
      : "";
    const cells = [
      name,
      tasks,
      `${points(success)} %`,
      against,
      calls.toFixed(2),
      costUsd === undefined ? "not recorded" : (1000 * costUsd).toFixed(3),
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
}

const results = { "rehearsal (simulated)": await rehearse(Number(options.tasks)) };
if (options.recorded) for (const each of SETS) results[each.set] = replay(each, options);
if (options.json) console.log(JSON.stringify(results, null, 2));
else for (const [title, rows] of Object.entries(results)) print(title, rows);
