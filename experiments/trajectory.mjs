// Step-level routing on the simulated trajectory set: node experiments/trajectory.mjs [--tasks 1] [--json FILE]
// Simulated and called so: rules in trajectory/rules.mjs. Profiles come from training tasks, every choice (what a right end is
// worth, which rule) from validation tasks, and each test task is played once by each policy that was chosen.

import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { pairedDifference } from "../dist/base/statistics.js";
import {
  costOf,
  mean,
  playAll,
  rightOf,
  tasksOf,
  toPolicies,
  toProfiles,
  VARIANTS,
} from "./trajectory/policies.mjs";
import { SEEDS, WORKERS } from "./trajectory/rules.mjs";
import { createWorld } from "./trajectory/world.mjs";

const { values: options } = parseArgs({
  options: { tasks: { type: "string", default: "1" }, json: { type: "string" } },
});
const SHARE = Number(options.tasks);
async function study(seed) {
  const world = createWorld(seed);
  const train = tasksOf(world, "train", SHARE);
  const alone = (number) => () => [undefined, { first: () => number }];
  const singles = await Promise.all(WORKERS.map((_, number) => playAll(world, train, alone(number))));
  const profilesOf = toProfiles(train, singles);
  const policies = toPolicies();
  const perform = (tasks, { policy }) => playAll(world, tasks, ({ kind }) => [profilesOf(kind), policy]);
  const validation = tasksOf(world, "validation", SHARE);
  const measured = new Map();
  for (const [name, entry] of policies) {
    const rows = await perform(validation, entry);
    measured.set(name, { ...entry, name, usd: costOf(rows), right: rightOf(rows) });
  }
  const aloneOnValidation = await Promise.all(
    WORKERS.map((_, number) => playAll(world, validation, alone(number))),
  );
  const test = tasksOf(world, "test", SHARE);
  const aloneOnTest = await Promise.all(WORKERS.map((_, number) => playAll(world, test, alone(number))));
  const played = new Map();
  const performOnTest = async (entry) => {
    if (!played.has(entry.name)) played.set(entry.name, await perform(test, entry));
    return played.get(entry.name);
  };
  /** The best of a family within a budget, chosen on validation tasks. */
  const choose = (family, usd) =>
    [...measured.values()]
      .filter((each) => each.family === family && each.usd <= usd)
      .sort((a, b) => b.right - a.right || a.usd - b.usd)[0];
  return { seed, measured, aloneOnValidation, aloneOnTest, choose, performOnTest };
}

const FAMILIES = [...Object.keys(VARIANTS), "route once", "escalate after failures"];
const studies = [];
for (const seed of SEEDS) {
  const begun = Date.now();
  studies.push(await study(seed));
  console.error(`seed ${seed}: ${Math.round((Date.now() - begun) / 1000)} s`);
}

const percent = (share) => `${(100 * share).toFixed(1)} %`;
const dollars = (usd) => `$${usd.toFixed(3)}`;
const points = ({ difference, mean: m, low, high }) =>
  `${(100 * (difference ?? m)).toFixed(1)} [${(100 * low).toFixed(1)}, ${(100 * high).toFixed(1)}]`;

const out = { rules: "experiments/trajectory/rules.mjs", simulated: true, comparisons: [] };
/** Against a single worker, within a share of its dollars; the rows of all seeds are pairs. */
async function compare(family, single, share) {
  const mine = [];
  const theirs = [];
  const names = [];
  const bySeed = [];
  for (const each of studies) {
    const chosen = each.choose(family, share * costOf(each.aloneOnValidation[single]));
    if (!chosen) return undefined;
    const rows = await each.performOnTest(chosen);
    names.push(chosen.name);
    mine.push(...rows);
    theirs.push(...each.aloneOnTest[single]);
    bySeed.push(rightOf(rows) - rightOf(each.aloneOnTest[single]));
  }
  const difference = pairedDifference(
    mine.map(({ right }) => right),
    theirs.map(({ right }) => right),
    { seed: 1 },
  );
  const row = {
    family,
    against: WORKERS[single].id,
    share,
    right: rightOf(mine),
    usd: costOf(mine),
    theirRight: rightOf(theirs),
    theirUsd: costOf(theirs),
    difference,
    bySeed,
    names,
    switches: mean(mine.map(({ switches }) => switches)),
    asked: mean(mine.map(({ asked }) => asked)),
    verified: mean(mine.map(({ verified }) => verified)),
    rows: mine.map(({ right }) => right),
  };
  out.comparisons.push({ ...row, rows: undefined });
  return row;
}

console.log("Workers alone, test tasks (simulated):");
for (const [number, { id }] of WORKERS.entries()) {
  const rows = studies.flatMap(({ aloneOnTest }) => aloneOnTest[number]);
  console.log(`  ${id.padEnd(22)} ${percent(rightOf(rows)).padStart(7)}  ${dollars(costOf(rows))} a task`);
}
const limits = [...WORKERS.map((_, number) => [number, 1]), [WORKERS.length - 1, 0.5]];
for (const [single, share] of limits) {
  console.log(`\nWithin ${share === 1 ? "the" : `${share} of the`} dollars of ${WORKERS[single].id}:`);
  const full = await compare("step-level", single, share);
  for (const family of FAMILIES) {
    const row = family === "step-level" ? full : await compare(family, single, share);
    if (!row) {
      console.log(`  ${family.padEnd(34)} none is as cheap`);
      continue;
    }
    const loss =
      full && family !== "step-level"
        ? `  against step-level ${points(pairedDifference(row.rows, full.rows, { seed: 1 }))}`
        : "";
    console.log(
      `  ${family.padEnd(34)} ${percent(row.right).padStart(7)} ${dollars(row.usd)}  points ${points(row.difference)}  seeds ${row.bySeed.map((d) => (100 * d).toFixed(1)).join(" ")}  switches ${row.switches.toFixed(2)} asked ${row.asked.toFixed(2)} verified ${row.verified.toFixed(2)}${loss}`,
    );
  }
}
if (options.json) writeFileSync(options.json, `${JSON.stringify(out, undefined, 1)}\n`);
