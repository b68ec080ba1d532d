// Which workers a cascade with a verifier asks, in which order. On training tasks right and wrong and the dollars of every
// worker are known, so what any chain would reach and cost there is a sum, not a guess: all chains of a short list are tried.
// The cheapest one is taken that is as good as the best single worker by more than luck; or, where a dollar has a cost, the one
// that is worth most.

import type { TrainingTask } from "./types.ts";

const LONGEST = 4;
const SHORT_LIST = 12;
/** A chain must be better than the best single worker by so many standard errors of their difference on training tasks:
 * the best of thousands of chains looks better there than it is. */
const SAFETY = 1;

export interface ChosenChain {
  /** Numbers in the pool, in the order in which they are asked. */
  chain: number[];
  /** Expected on the training tasks. */
  accuracy: number;
  cost: number;
}

export interface ChainOptions {
  /** How often the verifier is wrong about a reply, whichever way. */
  error: number;
  /** Cost of a worker where a task does not tell: its price, or 1 a call. */
  usualCost(worker: number): number;
  safety?: number;
  /** What a dollar costs: the chain with the most success less that is taken, instead of the cheapest that is as good. */
  costPerUsd?: number;
}

/** Right or wrong, and the cost, by worker and task. */
interface Table {
  right: Map<number, Float64Array>;
  cost: Map<number, Float64Array>;
  tasks: number;
}

export function chooseChain(
  workers: readonly number[],
  training: readonly TrainingTask[],
  { error, usualCost, safety = SAFETY, costPerUsd }: ChainOptions,
): ChosenChain {
  const table = toTable(workers, training, usualCost);
  const meansOf = (rows: Map<number, Float64Array>) =>
    new Map(workers.map((worker) => [worker, mean(rows.get(worker)!)]));
  const rates = meansOf(table.right);
  const costs = meansOf(table.cost);
  const best = workers.reduce((a, b) => (rates.get(b)! > rates.get(a)! ? b : a));
  const bestRight = table.right.get(best)!;
  const worthOf = (accuracy: number, cost: number) => accuracy - (costPerUsd ?? 0) * cost;
  let chosen: ChosenChain = { chain: [best], accuracy: rates.get(best)!, cost: costs.get(best)! };
  const list = toShortList(workers, rates, costs);

  const extend = (
    chain: readonly number[],
    reach: Float64Array,
    right: Float64Array,
    spent: number,
  ): void => {
    for (const worker of list) {
      if (chain.includes(worker)) continue;
      const own = table.right.get(worker)!;
      const price = table.cost.get(worker)!;
      let cost = spent;
      for (let task = 0; task < table.tasks; task++) cost += (reach[task]! * price[task]!) / table.tasks;
      // Whatever comes after only adds to the cost.
      if (
        costPerUsd === undefined
          ? cost >= chosen.cost
          : worthOf(1, cost) <= worthOf(chosen.accuracy, chosen.cost)
      )
        continue;
      const ended = right.map((sum, task) => sum + reach[task]! * own[task]!);
      const accuracy = mean(ended);
      const isBetter =
        costPerUsd === undefined
          ? isAsGood(ended, bestRight, safety)
          : worthOf(accuracy, cost) > worthOf(chosen.accuracy, chosen.cost);
      if (isBetter) chosen = { chain: [...chain, worker], accuracy, cost };
      if (chain.length + 1 === LONGEST) continue;
      // The verifier accepts what is right, but for its errors, and the rest goes on to the next one.
      const accepted = right.map((sum, task) => sum + reach[task]! * own[task]! * (1 - error));
      const further = reach.map(
        (share, task) => share * (own[task]! * error + (1 - own[task]!) * (1 - error)),
      );
      extend([...chain, worker], further, accepted, cost);
    }
  };
  extend([], new Float64Array(table.tasks).fill(1), new Float64Array(table.tasks), 0);
  return chosen;
}

function toTable(
  workers: readonly number[],
  training: readonly TrainingTask[],
  usualCost: ChainOptions["usualCost"],
): Table {
  const column = (read: (task: TrainingTask, worker: number) => number) =>
    new Map(workers.map((worker) => [worker, Float64Array.from(training, (task) => read(task, worker))]));
  return {
    tasks: training.length,
    right: column(({ scores }, worker) => scores[worker] ?? 0),
    cost: column(({ costsUsd }, worker) => costsUsd?.[worker] ?? usualCost(worker)),
  };
}

/** Whoever nobody else beats in both accuracy and cost, then the same among the rest, until the list is full. */
function toShortList(
  workers: readonly number[],
  rates: ReadonlyMap<number, number>,
  costs: ReadonlyMap<number, number>,
): number[] {
  const list: number[] = [];
  let rest = [...workers];
  while (rest.length > 0 && list.length < SHORT_LIST) {
    const front = rest.filter((one) =>
      rest.every(
        (other) =>
          other === one || rates.get(other)! < rates.get(one)! || costs.get(other)! > costs.get(one)!,
      ),
    );
    // Twins beat each other: then the first of them stands for both.
    const next = front.length > 0 ? front : [rest[0]!];
    list.push(...next.slice(0, SHORT_LIST - list.length));
    rest = rest.filter((worker) => !next.includes(worker));
  }
  return list;
}

function isAsGood(chain: Float64Array, best: Float64Array, safety: number): boolean {
  const differences = chain.map((value, task) => value - best[task]!);
  const gain = mean(differences);
  let squares = 0;
  for (const each of differences) squares += (each - gain) ** 2;
  return gain >= (safety * Math.sqrt(squares)) / Math.max(1, differences.length) - 1e-12;
}

function mean(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / Math.max(1, values.length);
}
