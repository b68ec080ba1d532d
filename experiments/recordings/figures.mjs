// From rows to what must be shown: per set, over the sets together, the criteria, and where a gain comes from.
// Part of experiments/recordings.mjs. With several training seeds the mean is over them, task by task, so its
// interval is that of the tasks; how much seeds differ is seen from the worst.

import { bootstrapMean, meanOf, pairedDifference, sideOf } from "../../dist/base/statistics.js";
import { concentrationOf, toGains } from "../../dist/bench/gains.js";
import { groupBy, isGraded, toResults, toRight } from "../../dist/bench/results.js";
import { stratifiedDifference, stratifiedMean } from "../../dist/bench/strata.js";
import { BASELINES } from "./sets.mjs";

const AGAINST_ON_SET = [
  "best-single",
  "neighbours",
  "neighbours-vote-3",
  "lookup-category",
  "lookup-subtask",
];
const AGAINST_TOGETHER = ["best-single", "neighbours", "neighbours-vote-3", "vote-3"];
const MOST_CALLS = 3;
/** The lower end of the interval against a lookup table must be above this. */
const LOOKUP_MARGIN = -0.015;
const SHOWN_GAINS = 10;

export function toFigures(sets, checkpoints, { split, splitSeed, seed, limit }) {
  const tables = sets.map((set) => toTable(set, checkpoints));
  const variants = toVariants(checkpoints.length);
  const together = Object.fromEntries(
    ["sets", "tasks"].map((weigh) => [weigh, toTogether(tables, variants, { weigh, seed })]),
  );
  return {
    ...{ split, splitSeed, seed, ...(limit && { limit }) },
    checkpoints: checkpoints.map(({ folder, card: { training, limits, shape } }) => ({
      folder,
      ...{ world: training.world, command: training.command, seed: training.seed },
      ...{ iterations: training.iterations, rounds: limits.rounds, width: shape.width, layers: shape.layers },
      isSimulated: training.isSimulated,
      hasSeen: sets
        .filter((set) => !set.isTrainedOn && training.world.includes(set.name))
        .map(({ name }) => name),
    })),
    sets: tables.map((table) => toSetFigures(table, variants, seed)),
    together,
    criteria: variants.map((variant) => ({
      variant: variant.name,
      lines: toCriteria(tables, together, variant, seed),
    })),
    gains: toGainFigures(sets, tables, checkpoints),
  };
}

/** What is reported of the trained one: each seed and, where there are several, their mean. */
function toVariants(count) {
  const seeds = Array.from({ length: count }, (_, number) => ({
    name: `seed ${number + 1}`,
    seeds: [number],
  }));
  if (count === 1) return [{ name: "trained", seeds: [0] }];
  return [{ name: `mean of ${count}`, seeds: seeds.map((_, number) => number) }, ...seeds];
}

/** Right or wrong of everybody on the same tasks, in one order. */
function toTable(set, checkpoints) {
  const own = checkpoints.map(({ bySet }) => bySet.get(set.name).rows);
  const shuffled = checkpoints.map(({ bySet }) => bySet.get(set.name).shuffled);
  const baselines = groupBy(set.baselines, ({ conductor }) => conductor);
  const everybody = [...own, ...shuffled, ...baselines.values()];
  const graded = everybody.map((rows) => new Map(rows.filter(isGraded).map((row) => [row.task, row])));
  const ids = set.fittedSets.flatMap(({ test }) => test.map(({ id }) => id));
  const kept = ids.filter((id) => graded.every((rows) => rows.has(id)));
  const pick = (position) => kept.map((id) => graded[position].get(id));
  return {
    set,
    n: kept.length,
    dropped: ids.length - kept.length,
    own: own.map((_, number) => pick(number)),
    shuffled: shuffled.map((_, number) => pick(own.length + number)),
    baselines: new Map([...baselines.keys()].map((name, number) => [name, pick(2 * own.length + number)])),
  };
}

/** Of some seeds: the share of them that are right, task by task. */
function rightOf(rowsOfSeeds, seeds) {
  return rowsOfSeeds[0].map((_, task) => meanOf(seeds.map((number) => toRight(rowsOfSeeds[number][task]))));
}

const callsOf = (rows) => meanOf(rows.map(({ calls }) => calls));
const variantCalls = ({ own }, { seeds }) => meanOf(seeds.map((number) => callsOf(own[number])));
const baselineRight = ({ baselines }, name) => baselines.get(name).map(toRight);

// ---- Per set ----------------------------------------------------------------------------------------

function toSetFigures(table, variants, seed) {
  const { set, own, shuffled, baselines, n, dropped } = table;
  const describe = (rows, name) => {
    const [{ accuracy, low, high, calls, steps, validShare, accuracyIfValid, routingEntropy, tokens }] =
      toResults(rows, { seed, isSimulated: false });
    return { name, accuracy, low, high, calls, steps, validShare, accuracyIfValid, routingEntropy, tokens };
  };
  const trained = variants.map((variant) => describeVariant(own, variant, describe, seed));
  return {
    ...{ set: set.name, isTrainedOn: set.isTrainedOn, n, dropped, folds: set.folds, fitted: set.fitted },
    workers: set.workers.length,
    trained,
    ...(variants.length > 1 && { worst: Math.min(...trained.slice(1).map(({ accuracy }) => accuracy)) }),
    baselines: [...BASELINES, "oracle"].map((name) => describe(baselines.get(name), name)),
    differences: variants.map((variant) => ({
      variant: variant.name,
      against: AGAINST_ON_SET.map((name) => ({ name, ...differenceOnSet(table, variant, name, seed) })),
    })),
    shuffled: variants.map((variant) => {
      const difference = pairedDifference(rightOf(shuffled, variant.seeds), rightOf(own, variant.seeds), {
        seed,
      });
      const pairs = variant.seeds.flatMap((number) =>
        own[number].map((row, i) => [row, shuffled[number][i]]),
      );
      const isSame = ([a, b]) => [...a.asked].sort().join() === [...b.asked].sort().join();
      return {
        variant: variant.name,
        difference,
        sameTeams: meanOf(pairs.map((pair) => (isSame(pair) ? 1 : 0))),
      };
    }),
  };
}

function describeVariant(own, { name, seeds }, describe, seed) {
  const each = seeds.map((number) => describe(own[number], name));
  if (each.length === 1) return each[0];
  const mean = Object.fromEntries(
    Object.keys(each[0]).map((key) => [key, key === "name" ? name : meanOf(each.map((one) => one[key]))]),
  );
  const { low, high } = bootstrapMean(rightOf(own, seeds), { seed });
  return { ...mean, low, high };
}

function differenceOnSet(table, { seeds }, name, seed) {
  return pairedDifference(rightOf(table.own, seeds), baselineRight(table, name), { seed });
}

// ---- Over the sets together -------------------------------------------------------------------------

function toTogether(tables, variants, options) {
  const over = (values) => {
    const { mean, low, high } = stratifiedMean(values, options);
    return { mean, low, high };
  };
  const calls = (of) => {
    const weights = tables.map(({ n }) => (options.weigh === "sets" ? 1 : n));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return tables.reduce((sum, table, i) => sum + (weights[i] * of(table)) / total, 0);
  };
  return {
    trained: variants.map((variant) => ({
      name: variant.name,
      accuracy: over(tables.map(({ own }) => rightOf(own, variant.seeds))),
      calls: calls((table) => variantCalls(table, variant)),
      against: AGAINST_TOGETHER.map((name) => {
        const pairs = tables.map((table) => ({
          a: rightOf(table.own, variant.seeds),
          b: baselineRight(table, name),
        }));
        return { name, ...stratifiedDifference(pairs, options) };
      }),
    })),
    baselines: [...BASELINES, "oracle"].map((name) => ({
      name,
      accuracy: over(tables.map((table) => baselineRight(table, name))),
      calls: calls(({ baselines }) => callsOf(baselines.get(name))),
    })),
  };
}

// ---- Criteria ---------------------------------------------------------------------------------------

function toCriteria(tables, together, variant, seed) {
  const lines = [];
  const add = (criterion, isMet, figures) => lines.push({ criterion, isMet, ...figures });
  const find = (weigh, name) =>
    together[weigh].trained
      .find((each) => each.name === variant.name)
      .against.find((each) => each.name === name);
  for (const name of ["best-single", "neighbours"]) {
    for (const weigh of ["sets", "tasks"]) {
      const difference = find(weigh, name);
      add(`significantly better than ${name}, ${toWeighing(weigh)}`, sideOf(difference) === 1, {
        difference,
      });
    }
  }
  for (const weigh of ["sets", "tasks"]) {
    const difference = find(weigh, "neighbours-vote-3");
    const calls = together[weigh].trained.find(({ name }) => name === variant.name).calls;
    const theirs = together[weigh].baselines.find(({ name }) => name === "neighbours-vote-3").calls;
    add(
      `not below neighbours-vote-3 at no more calls, ${toWeighing(weigh)}`,
      difference.mean >= 0 && calls <= theirs,
      {
        difference,
        calls,
        theirCalls: theirs,
        isSignificantlyBelow: sideOf(difference) === -1,
      },
    );
  }
  for (const table of tables) {
    for (const name of ["lookup-category", "lookup-subtask"]) {
      const difference = differenceOnSet(table, variant, name, seed);
      const criterion = `${table.set.name}: lower end against ${name} above −1.5 points`;
      add(criterion, difference.low > LOOKUP_MARGIN, { difference });
    }
  }
  for (const weigh of ["sets", "tasks"]) {
    const { calls } = together[weigh].trained.find(({ name }) => name === variant.name);
    add(`at most ${MOST_CALLS} calls on average, ${toWeighing(weigh)}`, calls <= MOST_CALLS, { calls });
  }
  return lines;
}

function toWeighing(weigh) {
  return weigh === "sets" ? "each set counts the same" : "each task counts the same";
}

// ---- Where the gain comes from ----------------------------------------------------------------------

/** Against the best single worker, of the sets that have families at all. */
function toGainFigures(sets, tables, checkpoints) {
  const divided = tables.filter(({ baselines }) => {
    return new Set(baselines.get("best-single").map(({ family }) => family)).size > 1;
  });
  const gainsOf = (some) =>
    toGains(
      checkpoints.map((_, number) => some.flatMap(({ own }) => own[number])),
      some.flatMap(({ baselines }) => baselines.get("best-single")),
    );
  const all = gainsOf(divided);
  return {
    sets: divided.map(({ set }) => set.name),
    without: sets.map(({ name }) => name).filter((name) => !divided.some(({ set }) => set.name === name)),
    largest: all.slice(0, SHOWN_GAINS).filter(({ won }) => won > 0),
    smallest: all
      .slice(-SHOWN_GAINS)
      .filter(({ won }) => won < 0)
      .reverse(),
    bestTwo: [
      { set: "together", tasks: divided.reduce((sum, { n }) => sum + n, 0), ...concentrationOf(all, 2) },
      ...divided.map((table) => ({
        set: table.set.name,
        tasks: table.n,
        ...concentrationOf(gainsOf([table]), 2),
      })),
    ],
  };
}
