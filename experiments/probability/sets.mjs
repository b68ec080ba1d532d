// Fits on one part of a recorded set and measures on another: by prompt, by family, and from few tasks.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { meanOf, pairedDifference } from "../../dist/base/statistics.js";
import { fitNeighbours } from "../../dist/baseline/neighbours.js";
import { fitRouter } from "../../dist/baseline/router.js";
import { measureStrength } from "../../dist/baseline/strength.js";
import { toMessages } from "../../dist/task/types.js";
import { modelsOf } from "../../dist/worker/kinds.js";
import { openRecordedSets } from "../../dist/world/recorded-sets.js";
import { readScores } from "../../dist/world/sets.js";
import { sampleTasks, splitTasks } from "../../dist/world/split.js";
import { toCurve } from "./curve.mjs";

export const SETS = {
  "routerdc-id": { folder: "routerdc", isPublishedSplit: true },
  "routellm-mmlu": { folder: "routellm" },
  llmrouter: { folder: "llmrouter" },
  livecodebench: { folder: "livecodebench" },
  "mmlu-pro": { folder: "mmlu-pro", hasFamilies: true, isFew: true },
  "reasoning-gym-hard": { folder: "reasoning-gym", hasFamilies: true, isFew: true },
  "reasoning-gym-easy": { folder: "reasoning-gym", hasFamilies: true, isFew: true },
  "zeroeval-crux": { folder: "zeroeval", isFew: true },
  "zeroeval-gsm": { folder: "zeroeval", isFew: true },
  "zeroeval-math-l5": { folder: "zeroeval", isFew: true },
};
const FEW = [30, 100, 300];
const SAMPLES = [1, 2, 3];
const SHRINK = 8;

export async function measureSet(folder, id, part) {
  const { isPublishedSplit, hasFamilies, isFew } = SETS[id];
  const [set] = await openRecordedSets([{ folder, set: id }]);
  const rows = new Map(readRows(folder).map((row) => [row.id, row]));
  const pool = { members: modelsOf(set.pool) };
  const measured = new Map(
    readScores(set.tasks, pool, { recorded: set.recorded }).map((row) => [row.task.id, row]),
  );
  const context = { id, pool, measured };
  const kept = set.tasks.filter((task) => !rows.get(task.id).contaminated);
  const results = [];
  const add = (how, train, test) => results.push({ set: id, how, ...measure(context, train, test) });
  if (isPublishedSplit) {
    const [training, test] = ["train", "test"].map((name) =>
      set.tasks.filter((task) => rows.get(task.id).split === name),
    );
    const inner = splitTasks(training, "prompt", 0);
    if (part === "test") add("published split", training, test);
    else add("inside the training split", [...inner.train, ...inner.validation], inner.test);
    return results;
  }
  const { train, [part]: test } = splitTasks(kept, "prompt", 0);
  add("all", train, test);
  if (hasFamilies) {
    const families = splitTasks(kept, "family", 0);
    add("families never seen", families.train, families[part]);
  }
  if (isFew)
    for (const count of FEW)
      for (const seed of SAMPLES)
        add(`${count} tasks, sample ${seed}`, sampleTasks(train, count, seed), test);
  return results;
}

function readRows(folder) {
  const text = gunzipSync(readFileSync(join(folder, "tasks.jsonl.gz"))).toString();
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

function measure({ id, pool, measured }, train, test) {
  const training = train.map((task) => measured.get(task.id));
  const { rates: overall } = measureStrength(pool, training);
  const { estimate, compare, fitChoice } = fitRouter({ pool, training });
  const choose = fitChoice(new Float64Array(pool.members.length));
  const nearest = fitNeighbours({ pool, training });
  const single = overall.indexOf(Math.max(...overall));
  const table = toTable(training, overall);
  const columns = { single: [], lookup: [], neighbours: [], router: [] };
  const categories = [];
  const curve = [];
  let [loss, count] = [0, 0];
  for (const task of test) {
    const { scores } = measured.get(task.id);
    const asked = { messages: toMessages(task) };
    const probabilities = [...estimate(asked)];
    const best = (values) => values.indexOf(Math.max(...values));
    columns.single.push(scores[single]);
    columns.lookup.push(scores[best(table.get(task.category) ?? overall)]);
    columns.neighbours.push(scores[best([...nearest.estimate(asked)])]);
    columns.router.push(scores[choose(asked)]);
    categories.push(task.category);
    curve.push({ probabilities: [...compare(asked)], scores });
    for (const [worker, p] of probabilities.entries()) {
      const bounded = Math.min(0.995, Math.max(0.005, p));
      loss -= scores[worker] * Math.log(bounded) + (1 - scores[worker]) * Math.log(1 - bounded);
      count += 1;
    }
  }
  const mean = (values) => (id === "routerdc-id" ? meanOfGroups(values, categories) : meanOf(values));
  const { low, high } = pairedDifference(columns.router, columns.single, { seed: 1 });
  return {
    tasks: test.length,
    fitted: train.length,
    loss: loss / count,
    ...Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, mean(values)])),
    oracle: mean(curve.map(({ scores }) => Math.max(...scores))),
    gain: { mean: meanOf(columns.router) - meanOf(columns.single), low, high },
    ...(pool.members.length === 2 && { curve: toCurve(curve, overall) }),
  };
}

function toTable(training, overall) {
  const groups = new Map();
  for (const { task, scores } of training)
    groups.set(task.category, [...(groups.get(task.category) ?? []), scores]);
  return new Map(
    [...groups].map(([category, rows]) => [
      category,
      overall.map(
        (rate, worker) =>
          (rows.reduce((sum, row) => sum + row[worker], 0) + SHRINK * rate) / (rows.length + SHRINK),
      ),
    ]),
  );
}

function meanOfGroups(values, groups) {
  const names = [...new Set(groups)];
  return meanOf(names.map((name) => meanOf(values.filter((_, i) => groups[i] === name))));
}
