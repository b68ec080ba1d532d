// A fixed, sensible policy behind the Conductor port, named as what it is. It stands in where no trained
// Conductor is at hand, and is a baseline for one to beat. It writes text as any other, and it decides only
// by what a Conductor may know: the question, and the profiles and prices of the pool.

import { extractAnswer } from "../answer/extract.ts";
import { sameAnswer } from "../answer/normalise.ts";
import { TuttiError } from "../base/errors.ts";
import { composeText } from "../conductor/text.ts";
import type { ComposedRound, ComposeRequest, Conductor } from "../conductor/types.ts";
import { findConsensus } from "../worker/consensus.ts";
import { strongestMembers } from "../worker/kinds.ts";
import type { Pool, Topic } from "../worker/types.ts";
import { renderWorkflow } from "../workflow/render.ts";
import type { Step } from "../workflow/types.ts";
import { familyOf } from "./questions.ts";
import { findProblem, isPlan } from "./reading.ts";
import { checkSubtask, compareSubtask, planSubtask, solveSubtask } from "./subtasks.ts";
import type { Problem } from "./types.ts";

/** A cheaper worker is taken when its measured success is at most this much below the best. */
const GOOD_ENOUGH = 0.05;

interface ScriptedPlan {
  why: string;
  steps: Step[];
}

export function createScriptedPlanner(): Conductor {
  return {
    identity: { kind: "scripted" },
    compose(request, signal) {
      return composeText(request, write(request, signal));
    },
  };
}

async function* write(request: ComposeRequest, signal: AbortSignal): AsyncIterable<{ text: string }> {
  const { why, steps } = decide(request);
  for (const text of `${why}\n\n${renderWorkflow({ steps })}`.match(/\s*\S+/g) ?? []) {
    if (signal.aborted) throw new TuttiError("aborted", "The planning was stopped.");
    yield { text };
  }
}

function decide(request: ComposeRequest): ScriptedPlan {
  const problem = findProblem(request.task.messages);
  const team = createTeam(request.pool, problem?.topic);
  const previous = request.rounds.at(-1);
  const plan = previous ? correct(request, team, problem, previous) : begin(team, problem, request.maxSteps);
  // A pool without any model cannot be helped: the first member is asked, and the driver says why not.
  return plan.steps.length <= request.maxSteps ? plan : { ...plan, steps: [solo(team, problem)] };
}

// ---- The first round ------------------------------------------------------------------------------

function begin(team: RankedTeam, problem: Problem | undefined, maxSteps: number): ScriptedPlan {
  const [best = 0, second] = team.ranked;
  const isEasy = problem && (problem.difficulty === 1 || familyOf(problem).recall);
  if (isEasy || second === undefined || maxSteps === 1) {
    const what = isEasy ? `An easy question (${problem.topic}): one` : "One";
    return { why: `${what} worker does.`, steps: [solo(team, problem)] };
  }
  if (!problem) {
    const steps = [step(best, solveSubtask(problem), []), step(second, checkSubtask(problem), "all")];
    return { why: "A question of no kind I know: the strongest answers, another one checks.", steps };
  }
  const shape = `A question of ${problem.topic} in ${problem.stages.length} stages`;
  if (problem.difficulty === 2 && maxSteps >= 3) return attempts(team, problem, maxSteps, shape);
  const checking = step(team.checker(best), checkSubtask(problem), "all");
  if (maxSteps < 3) {
    return {
      why: `${shape}: one solves, another one checks.`,
      steps: [step(best, solveSubtask(problem), []), checking],
    };
  }
  const steps = [
    step(team.planner(), planSubtask(problem), []),
    step(best, solveSubtask(problem, { plan: true }), [0]),
    checking,
  ];
  return { why: `${shape}, hard: one plans, one solves along the plan, another one checks.`, steps };
}

/** Independent attempts, then a vote, which takes a third voice to decide, or a comparison of two. */
function attempts(team: RankedTeam, problem: Problem, maxSteps: number, shape: string): ScriptedPlan {
  const canVote = team.consensus !== undefined && team.ranked.length >= 3 && maxSteps >= 4;
  const solvers = team.ranked.slice(0, canVote ? 3 : 2);
  const steps = solvers.map((worker) => step(worker, solveSubtask(problem), []));
  const last = team.consensus ?? team.checker(solvers[0]!);
  steps.push(step(last, compareSubtask(problem), [...solvers.keys()]));
  const count = canVote ? "three" : "two";
  return {
    why: `${shape}, of medium difficulty: ${count} work on their own, then their answers are compared.`,
    steps,
  };
}

function solo(team: RankedTeam, problem: Problem | undefined): Step {
  return step(team.goodEnough(), solveSubtask(problem), []);
}

// ---- Later rounds ---------------------------------------------------------------------------------

/** Accepts what agrees; else one more opinion by somebody new, and a comparison. One correction is enough. */
function correct(
  request: ComposeRequest,
  team: RankedTeam,
  problem: Problem | undefined,
  last: ComposedRound,
): ScriptedPlan {
  const answers = last.replies.filter((reply) => reply.trim() !== "" && !isPlan(reply)).map(extractAnswer);
  const [first = ""] = answers;
  if (answers.length > 0 && answers.every((answer) => sameAnswer(answer, first))) {
    return { why: "The replies agree.", steps: [] };
  }
  if (request.rounds.length > 1) return { why: "One correction was made already.", steps: [] };
  const asked = new Set(last.workflow.steps.map(({ worker }) => worker));
  const fresh = team.ranked.find((worker) => !asked.has(worker)) ?? team.ranked[0] ?? 0;
  const comparing = step(team.checker(fresh), compareSubtask(problem), "all");
  if (request.maxSteps === 1) return { why: "The replies differ: they are compared.", steps: [comparing] };
  const steps = [step(fresh, solveSubtask(problem), []), comparing];
  return { why: "The replies differ: somebody new solves it, then all answers are compared.", steps };
}

// ---- Who is good for what ---------------------------------------------------------------------------

interface RankedTeam {
  /** Numbers of the models, the most successful in this topic first. */
  ranked: number[];
  consensus: number | undefined;
  /** The cheapest of those that are about as good as the best. */
  goodEnough(): number;
  planner(): number;
  /** Somebody else than the one whose work is checked, where there is somebody else. */
  checker(solver: number): number;
}

/** Without profiles the order of the pool stands for strength, as everywhere. */
function createTeam({ members }: Pool, topic: Topic | undefined): RankedTeam {
  const models = strongestMembers(members);
  const success = (worker: number, of: Topic | undefined) => {
    const profile = members[worker]?.profile;
    return (of && profile?.topics[of]) ?? profile?.success ?? 0;
  };
  const rankBy = (rate: (worker: number) => number) => [...models].sort((a, b) => rate(b) - rate(a));
  const ranked = rankBy((worker) => success(worker, topic));
  const best = ranked[0] ?? 0;
  const price = (worker: number) => members[worker]?.price?.outputUsd ?? Number.POSITIVE_INFINITY;
  const consensus = findConsensus(members);
  return {
    ranked,
    consensus: consensus < 0 ? undefined : consensus,
    goodEnough() {
      const measured = ranked.filter((worker) => members[worker]?.profile);
      const close = measured.filter((worker) => success(worker, topic) >= success(best, topic) - GOOD_ENOUGH);
      return close.reduce((cheapest, worker) => (price(worker) < price(cheapest) ? worker : cheapest), best);
    },
    planner: () => rankBy((worker) => success(worker, "planning"))[0] ?? best,
    checker(solver) {
      const fit = (worker: number) => success(worker, "logic") + success(worker, topic);
      return rankBy(fit).find((worker) => worker !== solver) ?? solver;
    },
  };
}

function step(worker: number, subtask: string, access: Step["access"]): Step {
  return { worker, subtask, access };
}
