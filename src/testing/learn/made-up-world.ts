// A made-up world for tests of baselines: two kinds of questions, four workers of which each is good
// at something, and a vote. Every outcome is known, so every choice can be said in advance.

import type { Baseline, FitContext, TrainingTask } from "../../baseline/types.ts";
import type { ComposedRound } from "../../conductor/types.ts";
import { type GradedTask, toMessages } from "../../task/types.ts";
import { createConsensusWorker } from "../../worker/consensus.ts";
import type { Pool, Task } from "../../worker/types.ts";
import type { Decision, Step } from "../../workflow/types.ts";
import { scriptedWorker, toPool } from "../stage.ts";

/** Numbers in the pool. Overall steady is best (0.75), then poet and counter (0.5), then weak. */
export const WEAK = 0;
export const POET = 1;
export const COUNTER = 2;
export const STEADY = 3;
export const CONSENSUS = 4;

export function toWorldPool(): Pool {
  const workers = ["weak", "poet", "counter", "steady"].map((id) => scriptedWorker(id, id));
  return toPool([...workers, createConsensusWorker()]);
}

export function poem(n: number): GradedTask {
  const words = ["river", "moon", "winter", "garden"];
  return toTask(
    `poem ${n}`,
    "poems",
    `Which word rhymes best with ${words[n % 4]} in line ${n} of the poem?`,
  );
}

export function sum(n: number): GradedTask {
  return toTask(`sum ${n}`, "sums", `Add the numbers ${n} + ${7 * n} and give the total.`);
}

function toTask(id: string, category: string, prompt: string): GradedTask {
  return {
    id,
    set: "made up",
    category,
    family: `${category} of the world`,
    prompt,
    answer: "",
    grader: "text",
  };
}

/** Twenty questions of each kind: steady fails at every fourth, weak at all but every fifth. */
export function toTraining(): TrainingTask[] {
  return Array.from({ length: 20 }, (_, n) => {
    const weak = n % 5 === 0 ? 1 : 0;
    const steady = n % 4 === 0 ? 0 : 1;
    return [
      { task: poem(n), scores: [weak, 1, 0, steady] },
      { task: sum(n), scores: [weak, 0, 1, steady] },
    ];
  }).flat();
}

export function toContext(parts: Partial<FitContext> = {}): FitContext {
  const training = parts.training ?? toTraining();
  const asked = [poem(100), sum(100), ...training.map(({ task }) => task)];
  const labels = new Map(asked.map(({ id, category, family }) => [id, { category, family }]));
  return { pool: toWorldPool(), training, labels, seed: 7, ...parts };
}

export function toAskedTask(task: GradedTask): Task {
  return { id: task.id, messages: toMessages(task) };
}

/** What the fitted baseline decides for a question. */
export async function decideFor(
  baseline: Baseline,
  context: FitContext,
  task: Task,
  rounds: ComposedRound[] = [],
): Promise<Decision> {
  const conductor = baseline.fit(context);
  const request = { task, pool: context.pool, rounds, errors: [], maxSteps: 5, seed: 1 };
  for await (const event of conductor.compose(request, new AbortController().signal)) {
    if (event.type === "plan-end") return event.decision;
  }
  throw new Error(`${baseline.id} decided nothing`);
}

export async function stepsFor(baseline: Baseline, context: FitContext, task: Task): Promise<Step[]> {
  const decision = await decideFor(baseline, context, task);
  if (decision.type !== "workflow") throw new Error(`${baseline.id} decided to ${decision.type}`);
  return decision.workflow.steps;
}
