// What a verifier is worth: cheap first until it accepts, with a verifier that is wrong 0, 5, 10, 20 % of the time, beside
// the best single worker: node experiments/verifiers.mjs --recorded ../shared/recorded [--set swe-verified] [--validate]
//
// The chain is chosen on training tasks, for that error. --validate compares how cautiously it is chosen (chain.ts, SAFETY) on
// validation tasks of five splits, and looks at no test task. Without it: the test tasks of the split with seed 0, the
// verdicts with five seeds; and the mean over ten splits, whose test tasks overlap, so that it has no interval.

import { join } from "node:path";
import { parseArgs } from "node:util";
import { pairedDifference } from "../dist/base/statistics.js";
import { chooseChain } from "../dist/baseline/chain.js";
import { accepts } from "../dist/baseline/verified-cascade.js";
import { modelsOf } from "../dist/worker/kinds.js";
import { openRecordedSets } from "../dist/world/recorded-sets.js";
import { readScores } from "../dist/world/sets.js";
import { splitTasks } from "../dist/world/split.js";

const ERRORS = [0, 0.05, 0.1, 0.2];
const SAFETIES = [-0.5, 0, 0.5, 1, 1.5, 2];
const VERDICT_SEEDS = [0, 1, 2, 3, 4];

const { values } = parseArgs({
  options: {
    recorded: { type: "string", default: "../shared/recorded" },
    folder: { type: "string" },
    set: { type: "string", default: "swe-verified" },
    validate: { type: "boolean", default: false },
  },
});

const [set] = await openRecordedSets([
  { folder: join(values.recorded, values.folder ?? values.set), set: values.set },
]);
const pool = { members: modelsOf(set.pool) };
const ids = pool.members.map(({ worker }) => worker.id);
const workers = [...ids.keys()];
const scoresOf = (tasks) => readScores(tasks, pool, set);
const mean = (list) => list.reduce((sum, each) => sum + each, 0) / list.length;
const usualCost = (worker) => pool.members[worker].price?.outputUsd || 1;
const percent = (share) => (100 * share).toFixed(1);

function play(chain, tasks, error, seed) {
  return tasks.map(({ task, scores, costsUsd }) => {
    const isRight = (_, worker) => scores[ids.indexOf(worker)] >= 0.99;
    const isOver = (worker, at) =>
      at === chain.length - 1 || accepts({ error, seed, isRight }, task.id, ids[worker]);
    const end = chain.findIndex(isOver);
    const cost = chain.slice(0, end + 1).reduce((sum, worker) => sum + costsUsd[worker], 0);
    return { right: scores[chain[end]] >= 0.99 ? 1 : 0, cost, asks: end + 1 };
  });
}

function bestOf(training) {
  const rates = workers.map((worker) => mean(training.map(({ scores }) => scores[worker] ?? 0)));
  return workers.reduce((a, b) => (rates[b] > rates[a] ? b : a));
}

function toRow(chain, best, tested, error, seeds) {
  const own = seeds.map((seed) => play(chain, tested, error, seed));
  const single = play([best], tested, 0, 0);
  const rightOf = (task) => mean(own.map((rows) => rows[task].right));
  const pairs = tested.map((_, task) => [rightOf(task), single[task].right]);
  const costOf = (rows) => mean(rows.map(({ cost }) => cost));
  const cost = mean(own.map(costOf));
  const difference = pairedDifference(
    pairs.map(([a]) => a),
    pairs.map(([, b]) => b),
    { seed: 1 },
  );
  return {
    accuracy: mean(pairs.map(([a]) => a)),
    single: mean(pairs.map(([, b]) => b)),
    difference,
    cost,
    share: cost / costOf(single),
    singleCost: costOf(single),
    asks: mean(own.map((rows) => mean(rows.map(({ asks }) => asks)))),
  };
}

if (values.validate) {
  console.log(
    "| error | safety | accuracy − best single, validation | cost, share of best single |\n|---|---|---|---|",
  );
  for (const error of ERRORS)
    for (const safety of SAFETIES) {
      const rows = [0, 1, 2, 3, 4].map((splitSeed) => {
        const { train, validation } = splitTasks(set.tasks, "prompt", splitSeed);
        const training = scoresOf(train);
        const { chain } = chooseChain(workers, training, { error, usualCost, safety });
        return toRow(chain, bestOf(training), scoresOf(validation), error, VERDICT_SEEDS);
      });
      const gain = mean(rows.map(({ accuracy, single }) => accuracy - single));
      console.log(
        `| ${100 * error} % | ${safety} | ${percent(gain)} | ${percent(mean(rows.map(({ share }) => share)))} % |`,
      );
    }
} else {
  const { train, validation, test } = splitTasks(set.tasks, "prompt", 0);
  const training = scoresOf([...train, ...validation]);
  const tested = scoresOf(test);
  const best = bestOf(training);
  console.log(
    `${set.id}: ${train.length} + ${validation.length} tasks to choose on, ${test.length} tested; best single ${ids[best]}\n`,
  );
  console.log(
    "| verifier wrong | chain | accuracy | against best single | $ a task | share of its cost | asks | ten splits: accuracy, against best single, share |",
  );
  console.log("|---|---|---|---|---|---|---|---|");
  for (const error of ERRORS) {
    const { chain } = chooseChain(workers, training, { error, usualCost });
    const row = toRow(chain, best, tested, error, VERDICT_SEEDS);
    const splits = Array.from({ length: 10 }, (_, splitSeed) => {
      const parts = splitTasks(set.tasks, "prompt", splitSeed + 1);
      const own = scoresOf([...parts.train, ...parts.validation]);
      const { chain } = chooseChain(workers, own, { error, usualCost });
      return toRow(chain, bestOf(own), scoresOf(parts.test), error, VERDICT_SEEDS);
    });
    const of = (read) => mean(splits.map(read));
    const { mean: gain, low, high } = row.difference;
    const cells = [
      error === 0 ? "never: the recorded verdict" : `${100 * error} % (simulated)`,
      chain.map((worker) => ids[worker]).join(" → "),
      `${percent(row.accuracy)} (${percent(row.single)})`,
      `${percent(gain)} (${percent(low)} … ${percent(high)})`,
      `${row.cost.toPrecision(3)} (${row.singleCost.toPrecision(3)})`,
      `${percent(row.share)} %`,
      row.asks.toFixed(2),
      `${percent(of(({ accuracy }) => accuracy))}, ${percent(of(({ accuracy, single }) => accuracy - single))}, ${percent(of(({ share }) => share))} %`,
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
}
