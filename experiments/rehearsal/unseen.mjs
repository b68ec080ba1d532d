// Teams of strangers, with other skills and prices, that no training has met: how much of the gain is kept. Beside
// them teams of strangers that were met in training: what differs there is the teams, not that they are new.
// Part of experiments/rehearsal.mjs.

import { meanOf } from "../../dist/base/statistics.js";
import { createMetPools, createUnseenPools } from "../../dist/world/rehearsal-pools.js";
import {
  accuracyOf,
  compare,
  measure as measureRows,
  openTest,
  overSeeds,
  perform,
  TASK_SEED,
  write,
} from "./lab.mjs";
import { difference, heading, percent, table, two } from "./print.mjs";

const POOLS = 8;
/** As many as there are strangers in a training for. */
const MET_POOLS = 5;
const POOL_SEED = 1;
const TASKS = 300;
const BASELINES = ["best-single", "lookup-category", "lookup-subtask", "scripted-planner"];

/** Rows of each pool, by who conducted. */
async function measurePools({ trained, tell }, strangers) {
  const pools = [];
  for (const [number, pool] of strangers.entries()) {
    tell(`  pool ${number + 1} of ${strangers.length}`);
    // Other tasks for every pool: the same ones asked eight times would look like more than they are.
    const fitted = openTest(TASKS, { pool, seed: TASK_SEED + 1 + number });
    const rows = new Map();
    for (const id of BASELINES) rows.set(id, await measureRows(fitted, id));
    for (const who of trained) {
      const plans = await write(fitted, who, who.card.limits.rounds);
      rows.set(who.name, await perform(fitted, plans, who.name));
    }
    pools.push(rows);
  }
  return pools;
}

export async function measure(lab) {
  const { trained } = lab;
  const pools = await measurePools(lab, createUnseenPools(POOLS, POOL_SEED));
  const met = await measurePools(lab, createMetPools(MET_POOLS));
  const known = new Map();
  for (const id of BASELINES) known.set(id, await lab.baselineRows(id));
  for (const who of trained) known.set(who.name, await lab.rowsOf(who));
  const strange = (name) => pools.flatMap((rows) => rows.get(name));
  const ofMet = (name) => met.flatMap((rows) => rows.get(name));
  const accuracies = (rowsOf) => Object.fromEntries(BASELINES.map((id) => [id, accuracyOf(rowsOf(id))]));
  const seeds = trained.map(({ name }) => {
    const there = compare(strange(name), strange("best-single"));
    const here = compare(known.get(name), known.get("best-single"));
    const among = compare(ofMet(name), ofMet("best-single"));
    const headroom = {
      known: accuracyOf(known.get("scripted-planner")) - accuracyOf(known.get("best-single")),
      unseen: accuracyOf(strange("scripted-planner")) - accuracyOf(strange("best-single")),
    };
    const shares = { known: here.mean / headroom.known, unseen: there.mean / headroom.unseen };
    return {
      name,
      accuracy: {
        known: accuracyOf(known.get(name)),
        unseen: accuracyOf(strange(name)),
        met: accuracyOf(ofMet(name)),
      },
      gain: { known: here, unseen: there, met: among },
      keptOfMet: among.low > 0 ? there.mean / among.mean : undefined,
      againstLookup: compare(strange(name), strange("lookup-category")),
      // Where nothing was gained nothing can be kept, and a loss over a loss would look like a gain.
      kept: here.low > 0 ? there.mean / here.mean : undefined,
      headroom,
      shareOfHeadroom: shares,
      keptOfHeadroom: here.low > 0 ? shares.unseen / shares.known : undefined,
      byPool: pools.map((rows) => ({
        trained: accuracyOf(rows.get(name)),
        ...accuracies((id) => rows.get(id)),
      })),
    };
  });
  return {
    pools: POOLS,
    tasks: TASKS,
    baselines: {
      known: accuracies((id) => known.get(id)),
      unseen: accuracies(strange),
      met: accuracies(ofMet),
    },
    seeds,
    overSeeds: {
      kept: overSeeds(seeds.map(({ kept = 0 }) => kept)),
      keptOfHeadroom: overSeeds(seeds.map(({ keptOfHeadroom = 0 }) => keptOfHeadroom)),
      keptOfMet: overSeeds(seeds.map(({ keptOfMet = 0 }) => keptOfMet)),
      wins: meanOf(
        seeds.map(({ byPool }) => byPool.filter((pool) => pool.trained > pool["best-single"]).length),
      ),
    },
  };
}

const share = (kept) => (kept === undefined ? "no gain" : two(kept));

export function toLines({ pools, tasks, baselines, seeds }) {
  return [
    ...heading("Workers never seen"),
    `${pools} pools of seven strangers and \`consensus\`, ${tasks} test tasks each, other ones for each pool, profiles from their own measurements. Intervals are over tasks with these pools; how much pools differ stands in the second table. Gain: over the best single worker of the pool. Kept: gain unseen ÷ gain known, where the latter is shown to be above 0. Share of headroom: gain ÷ gain of the scripted planner. Met: ${MET_POOLS} pools of strangers that were trained with, and the tasks of the first ${MET_POOLS}.`,
    "",
    ...table(
      [
        "",
        "known %",
        "unseen %",
        "gain known",
        "gain unseen",
        "kept",
        "share of headroom known",
        "unseen",
        "kept",
        "met %",
        "gain met",
        "unseen ÷ met",
        "unseen minus lookup-category",
      ],
      [
        ...seeds.map(({ name, accuracy, gain, kept, keptOfMet, ...rest }) => [
          ...[
            name,
            percent(accuracy.known),
            percent(accuracy.unseen),
            difference(gain.known),
            difference(gain.unseen),
          ],
          ...[share(kept), two(rest.shareOfHeadroom.known), two(rest.shareOfHeadroom.unseen)],
          ...[share(rest.keptOfHeadroom), percent(accuracy.met), difference(gain.met), share(keptOfMet)],
          difference(rest.againstLookup),
        ]),
        ...BASELINES.map((id) => [
          ...[id, percent(baselines.known[id]), percent(baselines.unseen[id]), "", "", "", "", "", ""],
          ...[percent(baselines.met[id]), "", "", ""],
        ]),
      ],
    ),
    ...table(
      ["pool", ...seeds.map(({ name }) => name), ...BASELINES],
      Array.from({ length: pools }, (_, i) => [
        ...[i + 1, ...seeds.map(({ byPool }) => percent(byPool[i].trained))],
        ...BASELINES.map((id) => percent(seeds[0].byPool[i][id])),
      ]),
    ),
  ];
}
