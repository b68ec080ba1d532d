// Draws the curve of accuracy against calls for deciding in turns, beside the rules that it must beat, on tasks that nobody
// has trained on: node experiments/turns.mjs --recorded ../shared/recorded --checkpoint DIR [--checkpoint DIR …] [--json]
//
// Several checkpoints are training seeds. Further options:
//   --split prompt|family  family: test tasks are of families never measured
//   --out DIR              keeps the rows: what was measured is not measured again
//   --limit N              at the most N test tasks a set, for a quick look
//   --picture FILE         draws the fronts as SVG
//   --only train|liars|algorithms [--seeds 1,2,3] [--iterations N]: the weights that ship, or the experiments in the rehearsal (simulated)
// A policy that sits between two measured points of its own curve is the one that tosses a coin between them; the coin is
// weighted by calls alone, never by who was right.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { loadTrinity } from "../dist/conductor/trinity/checkpoint.js";
import { createStartPolicy } from "../dist/conductor/trinity/policy.js";
import { replayTurns } from "../dist/learn/evolution/exact-replay.js";
import { compareAlgorithms, toAlgorithmsMarkdown } from "./turns/algorithms.mjs";
import { compareTogether, toCurve } from "./turns/curves.mjs";
import { measureLiars, toLiarsMarkdown } from "./turns/liars.mjs";
import { drawFronts } from "./turns/picture.mjs";
import { toMarkdown, point as toPoint } from "./turns/print.mjs";
import { openSets, SETS, workersOf } from "./turns/sets.mjs";
import { trainSeeds } from "./turns/train.mjs";

const RULES = [
  ...["best-single", "neighbours", "vote-3", "vote-5", "neighbours-vote-3", "neighbours-vote-5"],
  ...["cascade", "ask-until-sure", "native"],
];
/** What is left of them where the replies to some tasks are not known. */
const RULES_OF_ONE_CALL = ["best-single", "neighbours"];
/** The native Conductor has learned on the families that the split by family keeps away: it is not measured there. */
const toRules = (split) => (split === "family" ? RULES.filter((id) => id !== "native") : RULES);
const rulesOf = ({ isUnseen }, split) => (isUnseen ? RULES_OF_ONE_CALL : toRules(split));
const COSTS = [0.3, 0.05, 0.03, 0.02, 0.014, 0.01, 0.007, 0.005, 0.003, 0.002, 0.001];
/** Of the look-ahead that nobody has trained. */
const LOOK_AHEAD_TURNS = 5;

function readOptions() {
  const { values } = parseArgs({
    options: {
      recorded: { type: "string", default: "../shared/recorded" },
      checkpoint: { type: "string", multiple: true, default: [] },
      split: { type: "string", default: "prompt" },
      out: { type: "string", default: join(tmpdir(), "tutti-turns") },
      limit: { type: "string" },
      picture: { type: "string" },
      only: { type: "string" },
      seeds: { type: "string", default: "1" },
      iterations: { type: "string", default: "16" },
      cost: { type: "string", default: "0.005" },
      json: { type: "boolean", default: false },
    },
  });
  if (!["prompt", "family"].includes(values.split))
    throw new TypeError(`--split must be prompt or family, not ${values.split}`);
  if (values.only !== undefined && !["liars", "algorithms", "train"].includes(values.only))
    throw new TypeError(`--only must be train, liars or algorithms, not ${values.only}`);
  return values;
}

const main = resolve(import.meta.dirname, "../dist/cli/main.js");

/** Results of `tutti bench`, as its --json tells them. */
function bench(args) {
  const given = [
    main,
    "bench",
    ...args,
    "--no-report",
    "--json",
    "--out",
    mkdtempSync(join(tmpdir(), "turns-")),
  ];
  const options = { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "inherit"] };
  const { status, stdout } = spawnSync(process.execPath, given, options);
  if (status !== 0) throw new Error(`The bench ended with ${status}: ${args.join(" ")}`);
  const told = JSON.parse(stdout);
  return told.results ?? told;
}

/** The rows of the rules on one set, by rule and task. What is in --out is not measured again. */
async function measureRules(each, { recorded, split, out, limit }) {
  const { folder, set } = each;
  const target = join(out, split, set);
  const workers = await workersOf(each, recorded);
  const args = [
    ...["bench", "--recording", join(recorded, folder), "--set", set, "--split-by", split, "--out", target],
    ...["--conductor", rulesOf(each, split).join(","), "--no-report", "--json"],
    ...(workers ? ["--workers", workers.join(",")] : []),
    ...(limit ? ["--limit", limit] : []),
  ];
  const { status } = spawnSync(process.execPath, [main, ...args], { stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) throw new Error(`The bench of ${set} ended with ${status}`);
  const rows = readFileSync(join(target, "rows.jsonl"), "utf8").trim().split("\n").map(JSON.parse);
  const byRule = new Map(rulesOf(each, split).map((id) => [id, new Map()]));
  for (const { conductor, task, score, calls } of rows)
    byRule.get(conductor)?.set(task, { score: score >= 0.99 ? 1 : 0, calls });
  return byRule;
}

/** Every price of every policy, on the same tasks: replayed exactly, which a test holds against real runs. */
async function measureTurns(each, policies, tasks, options) {
  const world = await openSets([each], { ...options, pools: "fixed" });
  const questions = world.replays("test").filter(({ task }) => tasks.has(task));
  const byContender = new Map();
  for (const { name, policy, maxTurns } of policies)
    for (const costPerCall of COSTS) {
      const rows = new Map();
      for (const question of questions) {
        const settings = { policy, hasRoles: false, maxTurns, costPerCall };
        const { isRight, calls } = replayTurns(question, settings);
        rows.set(question.task, { score: Number(isRight), calls });
      }
      byContender.set(`${name}@${costPerCall}`, rows);
    }
  return byContender;
}

async function run() {
  const options = readOptions();
  const { stdout } = process;
  const seeds = options.seeds.split(",").map(Number);
  if (options.only === "liars") {
    const result = measureLiars(bench, { limit: options.limit, seeds });
    stdout.write(options.json ? `${JSON.stringify(result)}\n` : toLiarsMarkdown(result));
    return;
  }
  if (options.only === "algorithms") {
    const rows = await compareAlgorithms({ seeds, iterations: Number(options.iterations) });
    stdout.write(options.json ? `${JSON.stringify(rows)}\n` : toAlgorithmsMarkdown(rows));
    return;
  }
  if (options.only === "train") {
    const { iterations, split, recorded, out } = options;
    const settings = { questions: 240, population: 12, costPerCall: Number(options.cost) };
    const command = `node experiments/turns.mjs --only train --seeds ${options.seeds} --iterations ${iterations} --cost ${options.cost}`;
    const rows = await trainSeeds({
      ...settings,
      recorded,
      split,
      seeds,
      iterations: Number(iterations),
      out,
      command,
    });
    stdout.write(`${JSON.stringify(rows, undefined, 1)}\n`);
    return;
  }
  const policies = [
    { name: "look-ahead", policy: createStartPolicy(), maxTurns: LOOK_AHEAD_TURNS },
    ...options.checkpoint.map((folder) => {
      const { policy, card } = loadTrinity(resolve(folder));
      return {
        name: `trinity, seed ${card.training.seed}`,
        policy,
        maxTurns: card.maxTurns,
      };
    }),
  ];
  const contendersOf = (set) => [
    ...rulesOf(set, options.split).map((id) => ({ id, family: id })),
    ...policies.flatMap(({ name }) => COSTS.map((cost) => ({ id: `${name}@${cost}`, family: name, cost }))),
  ];
  const sets = [];
  for (const set of SETS) {
    if (options.split === "family" && !set.hasFamilies) continue;
    process.stderr.write(`${set.set}\n`);
    const rules = await measureRules(set, options);
    const turns = await measureTurns(set, policies, rules.get(RULES[0]), options);
    const measured = {
      name: set.set,
      isUnseen: set.isUnseen,
      ...toCurve(contendersOf(set), new Map([...rules, ...turns])),
    };
    sets.push(measured);
    const told = Object.entries(measured.curves).map(
      ([name, points]) => `${name} ${points.map(toPoint).join(", ")}`,
    );
    process.stderr.write(`${told.join("\n")}\n`);
  }
  const names = policies.map(({ name }) => name);
  const compared = toRules(options.split);
  // What nobody trained on is told apart.
  const known = sets.filter(({ isUnseen }) => !isUnseen);
  const result = {
    split: options.split,
    sets,
    together: compareTogether(known, names, compared),
  };
  if (options.picture) writeFileSync(options.picture, drawFronts(sets, names, compared));
  stdout.write(
    options.json ? `${JSON.stringify(result, undefined, 1)}\n` : toMarkdown(result, names, compared),
  );
}

await run();
