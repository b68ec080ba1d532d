// Routers that ask one worker per question: the only ones that published protocols compare. Each gives an expected
// success per worker, from which the choice (the highest) and the score of a two-model router (strong less weak)
// both follow. Whoever reads only the question is handed nothing else: labels are taken away here.

import { usageError } from "../../base/errors.ts";
import { shorten } from "../../base/format.ts";
import { createRandom, hashSeed } from "../../base/random.ts";
import { didYouMean } from "../../base/suggest.ts";
import { fitLabels, type LookupLabel } from "../../baseline/lookup.ts";
import { fitNeighbours } from "../../baseline/neighbours.ts";
import { fitRouter } from "../../baseline/router.ts";
import { SINGLE } from "../../baseline/single.ts";
import { bestBy, measureStrength } from "../../baseline/strength.ts";
import { type GradedTask, toMessages } from "../../task/types.ts";
import type { Task } from "../../worker/types.ts";
import type { OneCallRouter, RouterContext } from "./types.ts";

const ROUTERS: readonly OneCallRouter[] = [
  {
    id: "random-worker",
    summary: "a worker by chance",
    reads: "nothing",
    isFitted: false,
    fit: ({ pool, seed }) => {
      return ({ prompt }) => {
        const random = createRandom(hashSeed("random router", seed, prompt));
        return Float64Array.from(pool.members, () => random.next());
      };
    },
  },
  {
    id: "best-single",
    summary: "always the worker that was best in training",
    reads: "nothing",
    isFitted: true,
    fit: ({ pool, training }) => {
      const rates = Float64Array.from(measureStrength(pool, training).rates);
      return () => rates;
    },
  },
  {
    id: "longer-prompt",
    summary: "the longer the question, the more the strong model is worth: no training",
    reads: "question",
    isFitted: false,
    isForTwo: true,
    fit: () => (task) => Float64Array.of(0, task.prompt.length),
  },
  createLookup("lookup-category", "category"),
  createLookup("lookup-subtask", "family"),
  {
    id: "neighbours",
    summary: "the worker that did best on the most similar training questions",
    reads: "question",
    isFitted: true,
    fit: (context) => {
      const { estimate } = fitNeighbours(context);
      return (task) => estimate(toAsked(task));
    },
  },
  {
    id: "router",
    summary: "whoever is most probably right: the probability that profiles give every Conductor",
    reads: "question",
    isFitted: true,
    fit: (context) => {
      const { compare } = fitRouter(context);
      return (task) => compare(toAsked(task));
    },
    fitChoice: (context) => {
      const choose = fitRouter(context).fitChoice(new Float64Array(context.pool.members.length));
      return (task) => choose(toAsked(task));
    },
  },
  {
    id: "oracle",
    summary: "is told who is right: an upper bound, no method",
    reads: "outcome",
    isFitted: false,
    fit: ({ pool, scoreOf }) => {
      return ({ id }) => Float64Array.from(pool.members, ({ worker }) => scoreOf(id, worker.id));
    },
  },
];

export const ROUTER_IDS: readonly string[] = ROUTERS.map(({ id }) => id);

/** Names of Conductors that ask more than once, or write a plan: said as such rather than as unknown. */
const SEVERAL_CALLS =
  /^(vote|neighbours-vote|cascade|ask-until-sure|all-one-worker|self-|mixture|random-workflow|trinity|look-ahead|native|prompted|scripted)/;

/** `workers`: for `single:<worker>`. Throws where the name is wrong, with the nearest right one. */
export function findRouter(id: string, workers: readonly string[]): OneCallRouter {
  const found = ROUTERS.find((router) => router.id === id);
  if (found) return found;
  if (id.startsWith(SINGLE)) return createSingleRouter(id, workers);
  if (SEVERAL_CALLS.test(id) || id.includes("/"))
    throw usageError(
      `"${shorten(id)}" may ask several workers, and a protocol grades one call per question: choose among ${ROUTER_IDS.join(", ")}, ${SINGLE}<worker>`,
    );
  const names = [...ROUTER_IDS, ...workers.map((worker) => SINGLE + worker), "singles", "all"];
  throw usageError(
    `No router "${shorten(id)}" (there are: ${ROUTER_IDS.join(", ")}, ${SINGLE}<worker>, singles, all).${didYouMean(id, names)}`,
  );
}

function createSingleRouter(id: string, workers: readonly string[]): OneCallRouter {
  const worker = id.slice(SINGLE.length);
  const number = workers.indexOf(worker);
  if (number < 0)
    throw usageError(
      `No worker "${shorten(worker)}" in the recording (there are: ${workers.join(", ")}).${didYouMean(worker, workers)}`,
    );
  const estimates = Float64Array.from(workers, (_, other) => (other === number ? 1 : 0));
  return {
    id,
    summary: `always ${worker}`,
    reads: "nothing",
    isFitted: false,
    fit: () => () => estimates,
  };
}

function createLookup(id: string, label: LookupLabel): OneCallRouter {
  return {
    id,
    summary: `the best worker of the question's true ${label === "family" ? "subtask" : label}, which it is given`,
    reads: "label",
    isFitted: true,
    fit: (context) => {
      const { estimatesOf } = fitLabels(context, label);
      const rates = Float64Array.from(measureStrength(context.pool, context.training).rates);
      return (task) => estimatesOf(task[label]) ?? rates;
    },
  };
}

/** The router as a protocol calls it: without labels and ids unless it reads them. */
export function withoutLabels<T>(
  router: OneCallRouter,
  estimate: (task: GradedTask) => T,
): (task: GradedTask) => T {
  if (router.reads === "label" || router.reads === "outcome") return estimate;
  return ({ prompt, choices, grader }) =>
    estimate({ id: "", set: "", category: "", family: "", answer: "", prompt, choices, grader });
}

/** A fitted router as a function from a task to the number of the worker that is asked; of equals the strongest. */
export function fitChoice(router: OneCallRouter, context: RouterContext): (task: GradedTask) => number {
  if (router.fitChoice) return withoutLabels(router, router.fitChoice(context));
  const estimate = withoutLabels(router, router.fit(context));
  const order =
    context.training.length > 0
      ? measureStrength(context.pool, context.training).order
      : [...context.pool.members.keys()];
  return (task) => bestBy(order, estimate(task));
}

/** As a Conductor gets it: nothing but what a user would write. */
function toAsked(task: GradedTask): Task {
  return { messages: toMessages(task) };
}
