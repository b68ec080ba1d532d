// Fixed teams in which workers read each other: reflection, Mixture-of-Agents, and the ablation in
// which a whole team is one worker. A recording cannot replay them, since nobody recorded what a
// model says to another's reply.

import type { Step } from "../workflow/types.ts";
import { createConstant, solve } from "./decide.ts";
import { measureWorth } from "./strength.ts";
import { type Baseline, toPointName } from "./types.ts";

const PLAN =
  "Write a short plan for the overall task: what to find out, in which order. Do not solve it yet.";
const FOLLOW = "Solve the overall task by the plan you see and give the answer.";
const CHECK = "Check the solution you see step by step, correct what is wrong, and give the final answer.";
const REVISE = "Look for mistakes in your answer so far and give a better, complete answer.";
const COMBINE =
  "You see several answers to the overall task. Weigh them critically, some may be wrong, and give the best answer.";

function createTeam(
  name: string,
  summary: string,
  toSteps: (order: number[]) => Step[],
  costPerUsd = 0,
): Baseline {
  const id = toPointName(name, costPerUsd);
  return {
    id,
    summary,
    needsHandOffs: true,
    rounds: 1,
    fit: ({ pool, training }) => createConstant(id, toSteps(measureWorth(pool, training, costPerUsd).order)),
    atPrice: (other) => createTeam(name, summary, toSteps, other),
  };
}

export const allOneWorker = createTeam(
  "all-one-worker",
  "plan, solve, check: a team made of the best single worker only",
  ([best]) => [
    { worker: best!, subtask: PLAN, access: [] },
    { worker: best!, subtask: FOLLOW, access: [0] },
    { worker: best!, subtask: CHECK, access: "all" },
  ],
);

export const selfReflection = createTeam(
  "self-reflection",
  "the best worker answers and then revises its answer four times",
  ([best]) => [
    solve(best!),
    ...[0, 1, 2, 3].map((before) => ({ worker: best!, subtask: REVISE, access: [before] })),
  ],
);

/** As it was published: six proposers, the same six with all proposals in sight, one that combines. */
export const mixtureOfAgents = createTeam(
  "mixture-of-agents",
  "three layers: the best six propose, they propose again seeing all, the best combines",
  (order) => {
    const proposers = order.slice(0, 6);
    const first = proposers.map((worker) => solve(worker));
    const seen = first.map((_, position) => position);
    const second = proposers.map((worker) => ({ worker, subtask: COMBINE, access: seen }));
    const last = second.map((_, position) => first.length + position);
    return [...first, ...second, { worker: order[0]!, subtask: COMBINE, access: last }];
  },
);

/** The form at the price the literature compares at. A smaller pool goes round, so that it stays eight calls. */
export const mixtureOfAgents8 = createTeam(
  "mixture-of-agents-8",
  "eight calls: the best seven propose, the best combines",
  (order) => {
    const first = Array.from({ length: 7 }, (_, position) => solve(order[position % order.length]!));
    return [...first, { worker: order[0]!, subtask: COMBINE, access: "all" }];
  },
);
