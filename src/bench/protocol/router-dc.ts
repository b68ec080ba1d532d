// RouterDC: fit on the source's train split, test on its test split, mean over sets. A category with training tasks
// is in distribution; one that has test tasks alone is out of distribution.

import { toCount } from "../../base/format.ts";
import { ANCHORS } from "./anchors.ts";
import { openFitted } from "./fitted.ts";
import { estimateFigures, groupPositions } from "./interval.ts";
import { poolOf, requireAll, scoreOf, toTraining, workersOfAll } from "./material.ts";
import { fitChoice } from "./routers.ts";
import type {
  PreparedProtocol,
  Protocol,
  ProtocolMaterial,
  ProtocolMetric,
  ProtocolOptions,
} from "./types.ts";

export const ROUTER_DC: Protocol = {
  id: "routerdc",
  title: "RouterDC",
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
  anchors: ANCHORS.routerdc,
  anchorNote: "Published on all test tasks of the five sets.",
  prepare,
};

async function prepare(
  { recording, fields }: ProtocolMaterial,
  { seed }: ProtocolOptions,
): Promise<PreparedProtocol> {
  const all = recording.sets.flatMap(({ tasks }) => tasks);
  const sideOf = (side: "train" | "test") => all.filter(({ id }) => fields.get(id)?.split === side);
  const [train, test] = [sideOf("train"), sideOf("test")];
  const sets = recording.sets.map(({ id }) => id);
  const workers = workersOfAll(recording, sets);
  requireAll("routerdc", recording, [
    [train.length > 0, 'tasks with "split": "train"'],
    [test.length > 0, 'tasks with "split": "test"'],
    [workers.length > 1, "two workers that answered every task"],
  ]);
  const pool = poolOf(recording, sets[0]!, workers);
  const { training, leftOut } = openFitted(toTraining(recording, train, pool), test);
  const trained = new Set(train.map(({ category }) => category));
  const groups = groupPositions(test, ({ category }) => category);
  const [inside, outside] = [true, false].map((isInside) =>
    [...groups].filter(([category]) => trained.has(category) === isInside),
  ) as [[string, number[]][], [string, number[]][]];
  const context = { pool, training, seed, scoreOf: scoreOf(recording) };
  const scores = test.map(({ id }) => workers.map((worker) => context.scoreOf(id, worker)));
  return {
    tasks: test,
    workers,
    how: [
      `Fitted on the ${toCount(training.length, "task")} of the source's train split, tested on the ${toCount(test.length, "task")} of its test split.`,
      ...(leftOut > 0
        ? [`${toCount(leftOut, "training task")} left out: the test asks the same, word for word.`]
        : []),
      "Where a task was sampled several times, its score is the mean over the samples. Each set counts the same: best-single, the best over all training tasks, need not be the best by that mean.",
    ],
    metrics: toMetrics(inside, outside),
    refuse: ({ isForTwo }) =>
      isForTwo ? "it chooses between a strong and a weak model, and here are more" : undefined,
    measure(router) {
      const choose = fitChoice(router, context);
      const chosen = test.map((task, position) => scores[position]![choose(task)]!);
      const metrics = estimateFigures(
        (weights) => {
          const means = [...groups].map(([category, positions]) => {
            let [sum, count] = [0, 0];
            for (const position of positions) {
              sum += weights[position]! * chosen[position]!;
              count += weights[position]!;
            }
            return [category, sum / count] as const;
          });
          const over = (some: readonly [string, number[]][]) =>
            means
              .filter(([category]) => some.some(([name]) => name === category))
              .reduce((total, [, mean]) => total + mean / some.length, 0);
          return {
            ...(inside.length > 0 && { inside: over(inside) }),
            ...(outside.length > 0 && { outside: over(outside) }),
            ...Object.fromEntries(means.map(([category, mean]) => [toId(category), mean])),
          } as Record<string, number>;
        },
        { seed, groups: [...groups.values()] },
      );
      return { router: router.id, summary: router.summary, reads: router.reads, metrics };
    },
  };
}

function toMetrics(
  inside: readonly [string, number[]][],
  outside: readonly [string, number[]][],
): ProtocolMetric[] {
  const mean = (id: string, title: string, some: readonly [string, number[]][]): ProtocolMetric[] =>
    some.length === 0
      ? []
      : [{ id, title, unit: "points", meaning: `mean accuracy over ${toCount(some.length, "set")}` }];
  return [
    ...mean("inside", "mean in distribution", inside),
    ...mean("outside", "mean out of distribution", outside),
    ...[...inside, ...outside].map(
      ([category, { length }]): ProtocolMetric => ({
        id: toId(category),
        title: category,
        unit: "points",
        meaning: `accuracy on ${toCount(length, "test task")}`,
      }),
    ),
  ];
}

/** Never the name of a mean. */
function toId(category: string): string {
  return `set:${category}`;
}
