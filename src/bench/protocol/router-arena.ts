// RouterArena: accuracy and dollars of one call per query in one score, how often the cheapest right model was
// chosen, and whether a choice survives a rewording. Nothing may be fitted on its data: routers that learn need
// another recording (`--fit`), and that one is refused where it holds RouterArena's questions.

import { toCount } from "../../base/format.ts";
import type { GradedTask } from "../../task/types.ts";
import { ANCHORS } from "./anchors.ts";
import { estimateFigures, type Weights } from "./interval.ts";
import { poolOf, requireAll, scoreOf, workersOfAll } from "./material.ts";
import { fitChoice } from "./routers.ts";
import type {
  OneCallRouter,
  PreparedProtocol,
  Protocol,
  ProtocolMaterial,
  ProtocolMetric,
  ProtocolOptions,
} from "./types.ts";

/** Dollars per 1,000 queries between which a cost counts from 1 down to 0, on a logarithmic scale. */
const CHEAPEST_USD = 0.0044;
const DEAREST_USD = 200;
/** How much accuracy weighs against cost. */
const BETA = 0.1;
/** A score from which a model counts as right. */
const RIGHT = 1;
const PER = 1_000;

const METRICS: readonly ProtocolMetric[] = [
  { id: "arena", title: "arena score", unit: "points", meaning: "accuracy and cost in one" },
  { id: "accuracy", title: "accuracy", unit: "points", meaning: "mean score" },
  { id: "cost", title: "$ / 1,000", unit: "usd", meaning: "dollars per 1,000 queries" },
  {
    id: "optSel",
    title: "Opt.Sel",
    unit: "points",
    meaning: "right with just the cheapest model that is right",
  },
  {
    id: "optCost",
    title: "Opt.Cost",
    unit: "points",
    meaning: "least cost over the router's, where it was right",
  },
  { id: "optAcc", title: "Opt.Acc", unit: "points", meaning: "the router's score over the best possible" },
  {
    id: "robustness",
    title: "robustness",
    unit: "points",
    meaning: "rewordings that are routed as their original",
  },
];

export const ROUTER_ARENA: Protocol = {
  id: "routerarena",
  title: "RouterArena",
  routers: [
    "random-worker",
    "best-single",
    "lookup-category",
    "lookup-subtask",
    "neighbours",
    "router",
    "singles",
    "oracle",
  ],
  anchors: ANCHORS.routerarena,
  anchorNote: "Published on all 8,400 queries, each router with models of its own.",
  prepare,
};

async function prepare(
  { recording, rewordings }: ProtocolMaterial,
  { seed, openFit }: ProtocolOptions,
): Promise<PreparedProtocol> {
  const sets = recording.sets.map(({ id }) => id);
  const tasks = recording.sets.flatMap((set) => set.tasks);
  const workers = workersOfAll(recording, sets);
  const costOf = (task: string, worker: string) => recording.outcomesOf(task, worker)[0]?.costUsd;
  requireAll("routerarena", recording, [
    [workers.length > 1, "two workers that answered every task"],
    [
      tasks.every(({ id }) => workers.every((worker) => costOf(id, worker) !== undefined)),
      'the dollars of every call ("costUsd")',
    ],
  ]);
  const pool = poolOf(recording, sets[0]!, workers);
  const outside = await openFit?.(tasks, workers);
  const score = scoreOf(recording);
  const scores = tasks.map(({ id }) => workers.map((worker) => score(id, worker)));
  const costs = tasks.map(({ id }) => workers.map((worker) => costOf(id, worker)!));
  const optimal = tasks.map((_, task) => findOptimal(scores[task]!, costs[task]!));
  const numbers = new Map(tasks.map(({ id }, number) => [id, number]));
  const reworded = rewordings.flatMap(({ task: id, prompt }) => {
    const number = numbers.get(id);
    return number === undefined ? [] : [{ number, task: { ...tasks[number]!, prompt } }];
  });
  const context = {
    ...{ pool, seed, training: outside?.training ?? [] },
    // Of several that are right the oracle asks the cheapest.
    scoreOf: (task: string, worker: string) => score(task, worker) - costOf(task, worker)! * 1e-6,
  };
  const choosers = new Map<string, (task: GradedTask) => number>();
  const chooserOf = (router: OneCallRouter) => {
    const known = choosers.get(router.id) ?? fitChoice(router, context);
    choosers.set(router.id, known);
    return known;
  };
  return {
    tasks,
    workers,
    how: [
      outside
        ? `Nothing is fitted on RouterArena's data. Fitted on ${outside.source}.`
        : "Nothing is fitted, least of all on RouterArena's data: routers that learn need --fit with another recording.",
      `${toCount(optimal.filter((worker) => worker === undefined).length, "query", "queries")} that no model answers right ${optimal.filter((worker) => worker === undefined).length === 1 ? "is" : "are"} left out of Opt.Sel, Opt.Cost and Opt.Acc.`,
      reworded.length > 0
        ? `Robustness over ${toCount(reworded.length, "rewording")}.`
        : "No robustness: the recording has no robustness.jsonl.",
    ],
    metrics: reworded.length > 0 ? METRICS : METRICS.filter(({ id }) => id !== "robustness"),
    refuse: ({ isForTwo, isFitted }) =>
      isForTwo
        ? "it chooses between a strong and a weak model, and RouterArena names none"
        : isFitted && !outside
          ? "it must be fitted, and nothing may be fitted on RouterArena's data: give --fit with another recording of these workers"
          : undefined,
    choose: (router, asked) => asked.map((task) => workers[chooserOf(router)(task)]!),
    measure(router) {
      const choose = chooserOf(router);
      const chosen = tasks.map((task) => choose(task));
      const metrics = estimateFigures((weights) => toFigures({ chosen, scores, costs, optimal, weights }), {
        seed,
        groups: [[...tasks.keys()]],
      });
      if (reworded.length === 0) return toRow(router, metrics);
      const same = reworded.map(({ number, task }) => (choose(task) === chosen[number] ? 1 : 0));
      const robustness = estimateFigures((weights) => ({ robustness: weightedMean(same, weights) }), {
        seed,
        groups: [[...reworded.keys()]],
      });
      return toRow(router, { ...metrics, ...robustness });
    },
  };
}

function toRow(
  { id, summary, reads }: OneCallRouter,
  metrics: Record<string, { mean: number; low: number; high: number }>,
) {
  return { router: id, summary, reads, metrics };
}

/** The model that is right at the least cost. */
function findOptimal(scores: readonly number[], costs: readonly number[]): number | undefined {
  let best: number | undefined;
  for (const [worker, score] of scores.entries())
    if (score >= RIGHT && (best === undefined || costs[worker]! < costs[best]!)) best = worker;
  return best;
}

interface Choices {
  chosen: readonly number[];
  scores: readonly (readonly number[])[];
  costs: readonly (readonly number[])[];
  optimal: readonly (number | undefined)[];
  weights: Weights;
}

function toFigures({ chosen, scores, costs, optimal, weights }: Choices) {
  let [count, sum, usd] = [0, 0, 0];
  let [solvable, selected, leastUsd, rightUsd, got, possible] = [0, 0, 0, 0, 0, 0];
  for (let task = 0; task < chosen.length; task++) {
    const weight = weights[task]!;
    const worker = chosen[task]!;
    const [score, cost] = [scores[task]![worker]!, costs[task]![worker]!];
    count += weight;
    sum += weight * score;
    usd += weight * cost;
    const best = optimal[task];
    if (best === undefined) continue;
    solvable += weight;
    got += weight * score;
    possible += weight * scores[task]![best]!;
    if (score < RIGHT) continue;
    selected += worker === best ? weight : 0;
    leastUsd += weight * costs[task]![best]!;
    rightUsd += weight * cost;
  }
  const [accuracy, cost] = [sum / count, (usd / count) * PER];
  return {
    arena: toArenaScore(accuracy, cost),
    ...{ accuracy, cost },
    ...{ optSel: selected / solvable, optCost: leastUsd / rightUsd, optAcc: got / possible },
  };
}

/** `cost` in dollars per 1,000 queries. */
export function toArenaScore(accuracy: number, cost: number): number {
  const bounded = Math.min(DEAREST_USD, Math.max(CHEAPEST_USD, cost));
  const cheapness = Math.log2(DEAREST_USD / bounded) / Math.log2(DEAREST_USD / CHEAPEST_USD);
  const divisor = BETA * accuracy + cheapness;
  return divisor === 0 ? 0 : ((1 + BETA) * accuracy * cheapness) / divisor;
}

function weightedMean(values: readonly number[], weights: Weights): number {
  let [sum, count] = [0, 0];
  for (let i = 0; i < values.length; i++) {
    sum += weights[i]! * values[i]!;
    count += weights[i]!;
  }
  return sum / count;
}
