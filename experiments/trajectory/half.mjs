// A finer grid of what a right end is worth, at half of the strongest's dollars and at all of them, on test tasks that no
// earlier run has played: node experiments/trajectory/half.mjs

import { pairedDifference } from "../../dist/base/statistics.js";
import { costOf, playAll, rightOf, toPolicies, toProfiles } from "./policies.mjs";
import { SEEDS, SPLITS, WORKERS } from "./rules.mjs";
import { createWorld } from "./world.mjs";

const WORTHS = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1, 1.2, 1.4, 1.7, 2];
const FAMILIES = ["step-level", "without the cache term"];
const SHARES = [0.5];
const strongest = WORKERS.length - 1;
const pairs = new Map();
for (const seed of SEEDS) {
  const world = createWorld(seed);
  const tasksOf = (split, from, to) =>
    Array.from({ length: to - from }, (_, n) => world.createTask(split, from + n));
  const alone = (number) => () => [undefined, { first: () => number }];
  const train = tasksOf("train", 0, SPLITS.train / 2);
  const singles = await Promise.all(WORKERS.map((_, number) => playAll(world, train, alone(number))));
  const profilesOf = toProfiles(train, singles);
  const validation = tasksOf("validation", 0, SPLITS.validation / 2);
  const test = tasksOf("test", SPLITS.test / 2, SPLITS.test);
  const perform = (tasks, { policy }) => playAll(world, tasks, ({ kind }) => [profilesOf(kind), policy]);
  const dollars = costOf(await playAll(world, validation, alone(strongest)));
  const theirs = await playAll(world, test, alone(strongest));
  for (const family of FAMILIES) {
    const measured = [];
    for (const [name, entry] of toPolicies(WORTHS)) {
      if (entry.family !== family) continue;
      const rows = await perform(validation, entry);
      measured.push({ ...entry, name, usd: costOf(rows), right: rightOf(rows) });
    }
    for (const share of SHARES) {
      const [chosen] = measured
        .filter(({ usd }) => usd <= share * dollars)
        .sort((a, b) => b.right - a.right || a.usd - b.usd);
      const rows = await perform(test, chosen);
      const pair = pairs.get(`${family} ${share}`) ?? { mine: [], theirs: [], seeds: [] };
      pairs.set(`${family} ${share}`, pair);
      pair.mine.push(...rows);
      pair.theirs.push(...theirs);
      pair.seeds.push(`${chosen.name}: ${(100 * (rightOf(rows) - rightOf(theirs))).toFixed(1)}`);
      console.log(
        seed,
        family,
        share,
        chosen.name,
        costOf(rows),
        rightOf(rows),
        costOf(theirs),
        rightOf(theirs),
      );
    }
  }
}
for (const [name, { mine, theirs, seeds }] of pairs) {
  const rights = (rows) => rows.map(({ right }) => right);
  const { mean, low, high } = pairedDifference(rights(mine), rights(theirs), { seed: 1 });
  console.log(
    `${name}: ${(100 * rightOf(mine)).toFixed(1)} % $${costOf(mine).toFixed(3)} against ${(100 * rightOf(theirs)).toFixed(1)} % $${costOf(theirs).toFixed(3)}: ${(100 * mean).toFixed(1)} [${(100 * low).toFixed(1)}, ${(100 * high).toFixed(1)}]; ${seeds.join("; ")}`,
  );
}
