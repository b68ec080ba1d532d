// RouteLLM: a strong and a weak model, and a router that gives each question a score. Sending the share c with the
// highest scores to the strong model recovers PGR(c) of the gap between the two. The recording has no train split, so
// routers are cross-fitted: each fifth of the questions is scored by a router that was fitted on the other four.

import { toCount } from "../../base/format.ts";
import { meanOf } from "../../base/statistics.ts";
import { crossFit } from "../folds.ts";
import { ANCHORS } from "./anchors.ts";
import { type RecoveryCurve, toRecoveryCurve } from "./curve.ts";
import { openFitted } from "./fitted.ts";
import { estimateFigures } from "./interval.ts";
import { poolOf, requireAll, scoreOf, toTraining, workersOfAll } from "./material.ts";
import { withoutLabels } from "./routers.ts";
import type {
  OneCallRouter,
  PreparedProtocol,
  Protocol,
  ProtocolMaterial,
  ProtocolMetric,
  ProtocolOptions,
} from "./types.ts";

const FOLDS = 5;

const METRICS: readonly ProtocolMetric[] = [
  {
    id: "apgr",
    title: "APGR",
    unit: "share",
    meaning: "mean share of the gap that is recovered: the area under the curve, trapezoids over deciles",
  },
  {
    id: "cpt50",
    title: "CPT(50 %)",
    unit: "points",
    meaning: "least % of strong calls that recover half the gap",
  },
  {
    id: "cpt80",
    title: "CPT(80 %)",
    unit: "points",
    meaning: "least % of strong calls that recover 80 % of it",
  },
];

export const ROUTE_LLM: Protocol = {
  id: "routellm",
  title: "RouteLLM",
  routers: [
    "random-worker",
    "longer-prompt",
    "lookup-category",
    "lookup-subtask",
    "neighbours",
    "router",
    "oracle",
  ],
  anchors: ANCHORS.routellm,
  anchorNote:
    "Published on all of MMLU, with routers that were trained on preferences from elsewhere: they never saw an outcome of MMLU.",
  prepare,
};

async function prepare(
  { recording, fields }: ProtocolMaterial,
  { seed }: ProtocolOptions,
): Promise<PreparedProtocol> {
  const [set, ...others] = recording.sets;
  const workers = workersOfAll(recording, [set!.id]);
  const all = set!.tasks;
  const tasks = all.filter(({ id }) => fields.get(id)?.contaminated !== true);
  requireAll("routellm", recording, [
    [others.length === 0, `one set alone (it has ${recording.sets.map(({ id }) => id).join(", ")})`],
    [workers.length === 2, `exactly two workers, a strong and a weak one (it has ${workers.length})`],
    [tasks.length >= FOLDS, "questions"],
  ]);
  const score = scoreOf(recording);
  const rates = workers.map((worker) => meanOf(tasks.map(({ id }) => score(id, worker))));
  // The strong one is named by the source; that it is stronger is what the gap means.
  const [weak, strong] = rates[0]! <= rates[1]! ? [workers[0]!, workers[1]!] : [workers[1]!, workers[0]!];
  const pool = poolOf(recording, set!.id, [weak, strong]);
  const folds = crossFit(tasks, FOLDS, seed).map(({ fit, test }) => ({
    test,
    training: openFitted(toTraining(recording, fit, pool), test).training,
  }));
  const tested = folds.flatMap(({ test }) => test);
  const outcomes = tested.map(({ id }) => ({ weak: score(id, weak), strong: score(id, strong) }));
  const everything = [...tested.keys()];
  return {
    tasks: tested,
    workers: [weak, strong],
    how: [
      `Strong: ${strong}; weak: ${weak}. The score of a question is what the router expects of the strong one less what it expects of the weak one.`,
      `Cross-fitted, since there is no train split: ${FOLDS} parts by a hash of the question (twins together), each scored by a router fitted on the others.`,
      ...(tasks.length < all.length
        ? [`${toCount(all.length - tasks.length, "contaminated question")} left out, as the authors do.`]
        : []),
      "Questions of equal score go to the strong model in equal shares.",
    ],
    metrics: METRICS,
    refuse: (router) =>
      router.id === "best-single" || router.id.startsWith("single:")
        ? "it gives all questions the same score, so there is no curve"
        : undefined,
    measure(router) {
      const scores = scoreQuestions(router);
      const order = everything.toSorted((a, b) => scores[b]! - scores[a]!);
      const curveOf = (weights: ArrayLike<number>): RecoveryCurve =>
        toRecoveryCurve({ order, scores, outcomes, weights });
      const metrics = estimateFigures((weights) => curveOf(weights).figures, { seed, groups: [everything] });
      const { deciles } = curveOf(new Uint16Array(tested.length).fill(1));
      return { router: router.id, summary: router.summary, reads: router.reads, metrics, curve: deciles };
    },
  };

  function scoreQuestions(router: OneCallRouter): Float64Array {
    const scores: number[] = [];
    for (const { test, training } of folds) {
      const estimate = withoutLabels(router, router.fit({ pool, training, seed, scoreOf: score }));
      for (const task of test) {
        const estimates = estimate(task);
        scores.push(estimates[1]! - estimates[0]!);
      }
    }
    return Float64Array.from(scores);
  }
}
