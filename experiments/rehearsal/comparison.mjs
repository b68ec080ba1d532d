// The trained Conductors beside every single worker and every baseline, on the same tasks and chance.
// Part of experiments/rehearsal.mjs.

import { createSingles } from "../../dist/baseline/single.js";
import { toResults } from "../../dist/bench/results.js";
import { compare, overSeeds, SEED } from "./lab.mjs";
import { difference, heading, percent, table, two, within } from "./print.mjs";

const BASELINES = [
  ...["best-single", "lookup-category", "lookup-subtask", "neighbours", "vote-3", "vote-5", "vote-all"],
  ...["mixture-of-agents", "mixture-of-agents-8", "self-consistency", "self-reflection", "all-one-worker"],
  ...["random-worker", "random-workflow", "scripted-planner"],
];
/** Whom a trained one is compared with, pair by pair; `singles` is whoever of them is best on these very tasks. */
const AGAINST = [
  "singles",
  "best-single",
  "lookup-category",
  "lookup-subtask",
  "mixture-of-agents",
  "mixture-of-agents-8",
];

export async function measure(lab) {
  const { fitted, trained, tell } = lab;
  const singles = createSingles(fitted.pool).map(({ id }) => id);
  const rows = new Map();
  for (const who of trained) rows.set(who.name, await lab.rowsOf(who));
  for (const id of [...BASELINES, ...singles]) {
    tell(`  ${id}`);
    rows.set(id, await lab.baselineRows(id));
  }
  const results = toResults([...rows.values()].flat(), { seed: SEED, isSimulated: true }).map(
    ({ against: _, byCategory: __, ...result }) => result,
  );
  const find = (name) => results.find(({ conductor }) => conductor === name);
  const strongest = singles.reduce((best, id) => (find(id).accuracy > find(best).accuracy ? id : best));
  const moaCalls = find("mixture-of-agents").calls;
  const seeds = trained.map(({ name }) => ({
    ...find(name),
    // Who asks nobody saves nothing.
    moaCallsOverOwn: find(name).calls > 0 ? moaCalls / find(name).calls : 0,
    against: Object.fromEntries(
      AGAINST.map((id) => [id, compare(rows.get(name), rows.get(id === "singles" ? strongest : id))]),
    ),
  }));
  const over = (field) => overSeeds(seeds.map((seed) => seed[field]));
  return {
    results,
    strongest,
    seeds,
    overSeeds: {
      ...{
        accuracy: over("accuracy"),
        validShare: over("validShare"),
        accuracyIfValid: over("accuracyIfValid"),
      },
      ...{ routingEntropy: over("routingEntropy"), moaCallsOverOwn: over("moaCallsOverOwn") },
      calls: overSeeds(
        seeds.map(({ calls }) => calls),
        false,
      ),
      costUsd: overSeeds(
        seeds.map(({ costUsd }) => costUsd),
        false,
      ),
    },
  };
}

export function toLines({ results, strongest, seeds, overSeeds: over }) {
  const titles = [
    "",
    "right %",
    "95 %",
    "calls",
    "tokens",
    "sim. $ / 1,000",
    "delay, sim. s",
    "steps",
    "entropy, bits",
  ];
  const mean = (field, show) => `${show(over[field].mean)} (worst ${show(over[field].worst)})`;
  return [
    ...heading("Beside the others"),
    ...table(
      [...titles, "valid %", "right if valid %"],
      results.map((result) => [
        ...[result.conductor, percent(result.accuracy), within(result), two(result.calls)],
        ...[result.tokens.toFixed(0), two(1000 * result.costUsd), two(result.durationMs / 1000)],
        ...[two(result.steps), two(result.routingEntropy), percent(result.validShare)],
        percent(result.accuracyIfValid),
      ]),
    ),
    `Over ${seeds.length} training seed(s): right ${mean("accuracy", percent)} %, calls ${mean("calls", two)}, sim. $ / 1,000 ${mean("costUsd", (usd) => two(1000 * usd))}, valid ${mean("validShare", percent)} %, entropy ${mean("routingEntropy", two)} bits.`,
    "",
    ...seeds
      .filter(({ validShare }) => validShare === 0)
      .map(
        ({ conductor }) =>
          `**None of the plans of ${conductor} is a workflow: was it trained with other code?**\n`,
      ),
    `Differences in points; the best single worker on these tasks is ${strongest}. \`best-single\` was chosen on training tasks. The scripted planner is a rule written by hand for these families.`,
    "",
    ...table(
      ["minus", ...AGAINST, "calls of Mixture-of-Agents ÷ own"],
      seeds.map(({ conductor, against, moaCallsOverOwn }) => [
        ...[conductor, ...AGAINST.map((id) => difference(against[id])), two(moaCallsOverOwn)],
      ]),
    ),
  ];
}
