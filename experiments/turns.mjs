// Draws the curve of accuracy against calls for deciding in turns, beside the rules that it must beat, on tasks that nobody
// has trained on: node experiments/turns.mjs --recorded ../shared/recorded --checkpoint DIR [--checkpoint DIR …] [--json]
//
// Several checkpoints are training seeds. Further options:
//   --split prompt|family  family: test tasks are of families never measured
//   --out DIR              keeps the rows: what was measured is not measured again
//   --limit N              at the most N test tasks a set, for a quick look
// A policy that sits between two measured points of its own curve is the one that tosses a coin between them; the coin is
// weighted by calls alone, never by who was right.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { loadRecording } from "../dist/recording/load.js";
import { compareTogether, toCurve } from "./turns/curves.mjs";
import { toMarkdown } from "./turns/print.mjs";

/** The o1 models are so far ahead on two sets that nothing is left to choose. */
const SETS = [
  { folder: "reasoning-gym", set: "reasoning-gym-hard", hasFamilies: true },
  { folder: "reasoning-gym", set: "reasoning-gym-easy", hasFamilies: true },
  { folder: "mmlu-pro", set: "mmlu-pro", hasFamilies: true },
  { folder: "zeroeval", set: "zeroeval-math-l5", without: "o1" },
  { folder: "zeroeval", set: "zeroeval-crux", without: "o1" },
  { folder: "zeroeval", set: "zeroeval-gsm" },
  { folder: "routerbench", set: "routerbench" },
];
const RULES = [
  ...["best-single", "neighbours", "vote-3", "vote-5", "neighbours-vote-3", "neighbours-vote-5"],
  ...["cascade", "ask-until-sure", "native"],
];
const COSTS = ["0.3", "0.05", "0.02", "0.01", "0.005", "0.002", "0.0005"];

function readOptions() {
  const { values } = parseArgs({
    options: {
      recorded: { type: "string", default: "../shared/recorded" },
      checkpoint: { type: "string", multiple: true, default: [] },
      split: { type: "string", default: "prompt" },
      out: { type: "string", default: join(tmpdir(), "tutti-turns") },
      limit: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  if (!["prompt", "family"].includes(values.split))
    throw new TypeError(`--split must be prompt or family, not ${values.split}`);
  return values;
}

/** The rows of every contender on one set, by contender and task. */
async function measure({ folder, set, without }, contenders, { recorded, split, out, limit }) {
  const recording = join(recorded, folder);
  if (!existsSync(recording)) throw new Error(`There is no recording ${recording}: see --recorded`);
  const target = join(out, split, set);
  const workers = without
    ? (await loadRecording(recording, { sets: [set] })).workersOf(set).filter((id) => !id.includes(without))
    : undefined;
  const args = [
    ...["bench", "--recording", recording, "--set", set, "--split-by", split, "--out", target],
    ...["--conductor", contenders.map(({ id }) => id).join(","), "--no-report", "--json"],
    ...(workers ? ["--workers", workers.join(",")] : []),
    ...(limit ? ["--limit", limit] : []),
  ];
  const main = resolve(import.meta.dirname, "../dist/cli/main.js");
  const { status } = spawnSync(process.execPath, [main, ...args], { stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) throw new Error(`The bench of ${set} ended with ${status}`);
  const rows = readFileSync(join(target, "rows.jsonl"), "utf8").trim().split("\n").map(JSON.parse);
  const byContender = new Map(contenders.map(({ id }) => [id, new Map()]));
  for (const { conductor, task, score, calls } of rows) {
    byContender.get(conductor)?.set(task, { score: score >= 0.99 ? 1 : 0, calls });
  }
  return byContender;
}

async function main() {
  const options = readOptions();
  const families = [
    { name: "look-ahead", prefix: "look-ahead" },
    ...options.checkpoint.map((folder, i) => ({
      name: `trinity, seed ${i + 1}`,
      prefix: `trinity:${resolve(folder)}`,
    })),
  ];
  const contenders = [
    ...RULES.map((id) => ({ id, family: id })),
    ...families.flatMap(({ name, prefix }) =>
      COSTS.map((cost) => ({ id: `${prefix}@${cost}`, family: name, cost })),
    ),
  ];
  const sets = [];
  for (const set of SETS) {
    if (options.split === "family" && !set.hasFamilies) continue;
    process.stderr.write(`${set.set}\n`);
    const rows = await measure(set, contenders, options);
    sets.push({ name: set.set, ...toCurve(contenders, rows) });
  }
  const names = families.map(({ name }) => name);
  const result = { split: options.split, sets, together: compareTogether(sets, names, RULES) };
  const { stdout } = process;
  stdout.write(options.json ? `${JSON.stringify(result, undefined, 1)}\n` : toMarkdown(result, names, RULES));
}

await main();
