// How good step-level routing is on validation tasks: the share of right ends within a row of budgets. For tune.mjs.

import { costOf, mean, playAll, rightOf, tasksOf, toPolicies, toProfiles } from "./policies.mjs";
import { SEEDS, WORKERS } from "./rules.mjs";
import { createWorld } from "./world.mjs";

const SHARE = Number(process.env.SHARE ?? 0.3);
const families = (process.env.FAMILIES ?? "step-level").split(",");
const scores = new Map(families.map((family) => [family, []]));
for (const seed of SEEDS) {
  const world = createWorld(seed);
  const alone = (number) => () => [undefined, { first: () => number }];
  const train = tasksOf(world, "train", SHARE);
  const singles = await Promise.all(WORKERS.map((_, number) => playAll(world, train, alone(number))));
  const profilesOf = toProfiles(train, singles);
  const tasks = tasksOf(world, "validation", SHARE);
  const costs = (await Promise.all(WORKERS.map((_, number) => playAll(world, tasks, alone(number))))).map(
    costOf,
  );
  const budgets = [...costs.slice(1), costs.at(-1) / 2];
  for (const family of families) {
    const measured = [];
    for (const entry of toPolicies().values()) {
      if (entry.family !== family) continue;
      const rows = await playAll(world, tasks, ({ kind }) => [profilesOf(kind), entry.policy]);
      measured.push({ usd: costOf(rows), right: rightOf(rows) });
    }
    const within = budgets.map((usd) =>
      Math.max(0, ...measured.filter((each) => each.usd <= usd).map(({ right }) => right)),
    );
    scores.get(family).push(within);
  }
}
for (const [family, rows] of scores) {
  const byBudget = rows[0].map((_, n) => mean(rows.map((row) => row[n])));
  console.log(
    `${(100 * mean(byBudget)).toFixed(2)}  ${byBudget.map((v) => (100 * v).toFixed(1)).join(" ")}  ${family}`,
  );
}
