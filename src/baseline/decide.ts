// What all baselines are made of: a Conductor that decides without text, and the few shapes of
// steps and workflows that they put together.

import { usageError } from "../base/errors.ts";
import { createDecidingConductor, createOneRoundConductor } from "../conductor/deciding.ts";
import type { ComposeRequest, Conductor } from "../conductor/types.ts";
import { findConsensus } from "../worker/consensus.ts";
import type { Pool } from "../worker/types.ts";
import type { Access, Decision, Step } from "../workflow/types.ts";

/** The same words in every baseline, so that they differ in who is asked and not in how. */
const SOLVE = "Solve the overall task and give the answer.";
const VOTE = "Compare the replies and pass on the answer with the most weight.";

export function createDecider(id: string, decide: (request: ComposeRequest) => Decision): Conductor {
  return createDecidingConductor({ kind: "custom", id }, decide);
}

/** Performs one workflow per question and accepts it. */
export function createOneRound(
  id: string,
  decide: (request: ComposeRequest) => Extract<Decision, { type: "workflow" }>,
): Conductor {
  return createOneRoundConductor({ kind: "custom", id }, (request) => decide(request).workflow);
}

/** The same workflow for every question. */
export function createConstant(id: string, steps: Step[]): Conductor {
  const decision = perform(steps);
  return createOneRound(id, () => decision);
}

export function perform(steps: Step[]): Extract<Decision, { type: "workflow" }> {
  return { type: "workflow", workflow: { steps } };
}

export function solve(worker: number, access: Access = []): Step {
  return { worker, subtask: SOLVE, access };
}

/** All of them are asked the same, then the tool `consensus` counts their votes. */
export function solveAndVote(workers: readonly number[], consensus: number): Step[] {
  const solving = workers.map((worker) => solve(worker));
  // A vote over one reply is none, and the tool refuses it.
  if (workers.length < 2) return solving;
  return [...solving, { worker: consensus, subtask: VOTE, access: solving.map((_, position) => position) }];
}

export function requireConsensus(pool: Pool, baseline: string): number {
  const number = findConsensus(pool.members);
  if (number >= 0) return number;
  const ids = pool.members.map(({ worker }) => worker.id).join(", ");
  throw usageError(`Baseline "${baseline}" needs the worker "consensus" in the pool (there are: ${ids})`);
}
