// The best workflow for a problem, by brute force: all workflows of five shapes with all workers of a
// small pool, each simulated many times. It is what regret is measured against. "Best" is
// the highest simulated success, of equal ones the cheapest, among these shapes and these words only.

import { usageError } from "../base/errors.ts";
import { hashSeed } from "../base/random.ts";
import { findConsensus } from "../worker/consensus.ts";
import { isFree, isModel, numbersOf } from "../worker/kinds.ts";
import { costOf } from "../worker/price.ts";
import type { Message, Pool, VisibleStep } from "../worker/types.ts";
import type { Step, Workflow } from "../workflow/types.ts";
import { toPositions } from "../workflow/waves.ts";
import { gradeProblem } from "./questions.ts";
import { checkSubtask, compareSubtask, planSubtask, solveSubtask } from "./subtasks.ts";
import type { Problem } from "./types.ts";

export interface RatedWorkflow {
  shape: "solve" | "solve-check" | "plan-solve" | "plan-solve-check" | "two-solvers";
  workflow: Workflow;
  /** Share of the repetitions whose answer was right. */
  success: number;
  /** Mean of the repetitions; a worker of unknown price counts as free. */
  costUsd: number;
  calls: number;
}

interface SearchOptions {
  /** How often each workflow is simulated. */
  repetitions: number;
  seed: number;
  signal?: AbortSignal;
}

/** How many of the best are simulated again in each heat, and how much more often. */
const HEATS = [
  { name: "second", kept: 60, factor: 4 },
  { name: "third", kept: 10, factor: 24 },
  { name: "final", kept: 1, factor: 4 },
];

/**
 * The best of many noisy estimates seems better than it is, so the best are simulated again with other seeds, heat by
 * heat; the last heat has one workflow only, so that what is reported of it was not chosen for being high.
 */
export async function findBestWorkflow(
  problem: Problem,
  pool: Pool,
  options: SearchOptions,
): Promise<RatedWorkflow> {
  let rated = await rate([...listWorkflows(problem, pool)], problem, pool, options);
  for (const { name, kept, factor } of HEATS) {
    const again = {
      ...options,
      repetitions: options.repetitions * factor,
      seed: hashSeed(name, options.seed),
    };
    rated = await rate(rated.slice(0, kept), problem, pool, again);
  }
  const [best] = rated;
  if (!best) throw usageError("The pool has no model to ask: there is no best workflow.");
  return best;
}

type WorkflowCandidate = Pick<RatedWorkflow, "shape" | "workflow">;

/** The best first. */
async function rate(candidates: WorkflowCandidate[], problem: Problem, pool: Pool, options: SearchOptions) {
  const { repetitions, seed, signal = new AbortController().signal } = options;
  const rated: RatedWorkflow[] = [];
  for (const { shape, workflow } of candidates) {
    let right = 0;
    let costUsd = 0;
    for (let repetition = 0; repetition < repetitions; repetition++) {
      const run = await simulateWorkflow(workflow, problem, pool, {
        seed: hashSeed(seed, repetition),
        signal,
      });
      right += gradeProblem(problem, run.reply).score;
      costUsd += run.costUsd / repetitions;
    }
    const calls = workflow.steps.filter(({ worker }) => !isFree(pool.members[worker]!.worker)).length;
    rated.push({ shape, workflow, success: right / repetitions, costUsd, calls });
  }
  return rated.sort((a, b) => b.success - a.success || a.costUsd - b.costUsd);
}

function* listWorkflows(problem: Problem, pool: Pool): Iterable<WorkflowCandidate> {
  const models = numbersOf(pool, isModel);
  const votes = [findConsensus(pool.members)].filter((number) => number >= 0);
  const solve = solveSubtask(problem);
  const solveAlong = solveSubtask(problem, { plan: true });
  const check = checkSubtask(problem);
  for (const solver of models) {
    yield of("solve", [solver, solve, []]);
    for (const other of models) {
      yield of("solve-check", [solver, solve, []], [other, check, "all"]);
      yield of("plan-solve", [other, planSubtask(problem), []], [solver, solveAlong, [0]]);
      for (const checker of models) {
        const planned: StepRow[] = [
          [other, planSubtask(problem), []],
          [solver, solveAlong, [0]],
        ];
        yield of("plan-solve-check", ...planned, [checker, check, "all"]);
      }
      // Two solvers in either order are the same team; one alone twice is a team too.
      if (other < solver) continue;
      for (const last of [...votes, ...models]) {
        yield of(
          "two-solvers",
          [solver, solve, []],
          [other, solve, []],
          [last, compareSubtask(problem), [0, 1]],
        );
      }
    }
  }
}

type StepRow = [worker: number, subtask: string, access: Step["access"]];

function of(shape: RatedWorkflow["shape"], ...rows: StepRow[]): WorkflowCandidate {
  return {
    shape,
    workflow: { steps: rows.map(([worker, subtask, access]) => ({ worker, subtask, access })) },
  };
}

/** Step by step in order, without journal, budget or retries: the last reply, and what all of them cost. */
export async function simulateWorkflow(
  { steps }: Workflow,
  problem: Problem,
  pool: Pool,
  { seed, signal }: { seed: number; signal: AbortSignal },
): Promise<{ reply: string; costUsd: number }> {
  const task: { messages: Message[] } = { messages: [{ role: "user", content: problem.question }] };
  const done: VisibleStep[] = [];
  let costUsd = 0;
  for (const [position, { worker, subtask, access }] of steps.entries()) {
    const visible = toPositions(access, position).map((at) => done[at]!);
    // What a provider would be sent, near enough to count its tokens.
    const quoted = visible.map((earlier) => `${earlier.subtask}\n${earlier.reply}`).join("\n");
    const messages: Message[] = [{ role: "user", content: `${problem.question}\n${quoted}\n${subtask}` }];
    const brief = { task, subtask, visible, isLast: position === steps.length - 1 };
    const member = pool.members[worker]!;
    let reply = "";
    const request = { messages, brief, maxOutputTokens: 4096, seed: hashSeed(seed, position) };
    for await (const event of member.worker.ask(request, signal)) {
      if (event.type === "text-delta") reply += event.text;
      if (event.type === "finish" && member.price) costUsd += costOf(event.usage, member.price);
    }
    done.push({ round: 0, step: position, worker, subtask, reply });
  }
  return { reply: done.at(-1)?.reply ?? "", costUsd };
}
