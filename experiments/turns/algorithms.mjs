// Evolution against REINFORCE, random search and the supervised recipe at the same number of runs, in the rehearsal
// (simulated, with roles); and the published configuration's bonuses as an ablation.
// Part of experiments/turns.mjs: node experiments/turns.mjs --only algorithms [--seeds 1,2,3] [--iterations 20]

import { learnPolicy } from "../../dist/learn/evolution/learner.js";
import { openTrinityPolicy } from "../../dist/learn/evolution/trinity-policy.js";
import { performAll, toRunSeed } from "../../dist/learn/perform.js";
import { createRehearsalWorld } from "../../dist/world/rehearsal.js";

const COST = 0.01;
const ARMS = [
  { name: "nothing learned (look-ahead)", iterations: 0, algorithm: "evolution" },
  { name: "evolution", algorithm: "evolution" },
  { name: "random search", algorithm: "random-search" },
  { name: "REINFORCE", algorithm: "reinforce" },
  { name: "supervised, then evolution", algorithm: "supervised" },
  {
    name: "evolution with the published bonuses",
    algorithm: "evolution",
    diversityBonus: 0.15,
    turnBonus: 0.1,
  },
  { name: "evolution without roles", algorithm: "evolution", hasRoles: false },
];

export async function compareAlgorithms({ seeds, iterations, questions = 16, population = 12, test = 400 }) {
  const { signal } = new AbortController();
  const rows = [];
  for (const { name, hasRoles = true, ...arm } of ARMS) {
    const results = [];
    for (const seed of seeds) {
      const world = createRehearsalWorld({
        seed,
        pools: "random",
        calibrationTasks: 60,
        validation: test,
        liars: 0.1,
      });
      const settings = { world, hasRoles, turns: 5, costPerCall: COST, seed, command: "" };
      const policy = openTrinityPolicy(settings);
      const { vector, runs } = await learnPolicy({
        ...{
          policy,
          world,
          seed,
          questions,
          population,
          replications: 1,
          sigma: 0.3,
          costPerCall: COST,
          iterations,
          signal,
        },
        ...arm,
      });
      const rollouts = world.validation.map((question) => ({
        ...{ question, conductor: policy.conductor(vector), rounds: policy.rounds },
        seed: toRunSeed(seed, question),
      }));
      const outcomes = await performAll(rollouts, world, signal);
      const mean = (value) => outcomes.reduce((sum, outcome) => sum + value(outcome), 0) / outcomes.length;
      const accuracy = mean(({ isRight }) => Number(isRight));
      const calls = mean((outcome) => outcome.calls);
      results.push({ seed, runs, accuracy, calls, worth: accuracy - COST * calls });
      process.stderr.write(`${name}, seed ${seed}: ${(100 * accuracy).toFixed(1)} @ ${calls.toFixed(2)}\n`);
    }
    rows.push({ name, results });
  }
  return rows;
}

export function toAlgorithmsMarkdown(rows) {
  const row = (cells) => `| ${cells.join(" | ")} |`;
  const lines = [
    row(["how it learned", "runs", "% right @ calls, by seed", "worth: mean (worst)"]),
    "| --- | ---: | --- | ---: |",
  ];
  for (const { name, results } of rows) {
    const worth = results.map((each) => 100 * each.worth);
    const mean = worth.reduce((sum, value) => sum + value, 0) / worth.length;
    lines.push(
      row([
        ...[name, results[0].runs.toLocaleString("en")],
        results
          .map(({ accuracy, calls }) => `${(100 * accuracy).toFixed(1)} @ ${calls.toFixed(2)}`)
          .join(", "),
        `${mean.toFixed(1)} (${Math.min(...worth).toFixed(1)})`,
      ]),
    );
  }
  return `${lines.join("\n")}\n`;
}
