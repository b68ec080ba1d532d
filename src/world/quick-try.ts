// Another try of a plan in a simulation: the same workers with the same briefs and the same luck, without journal, budget
// or events, at an eighth of the time. The first try of every plan, and whatever is evaluated or shown, goes through
// the real performer; a test holds both ways against each other, reply by reply. Costs in dollars are not counted here.

import { hashSeed } from "../base/random.ts";
import type { ComposedRound } from "../conductor/types.ts";
import { RIGHT } from "../recording/types.ts";
import { toMessages } from "../task/types.ts";
import { combines, isFree } from "../worker/kinds.ts";
import type { Brief, Task, VisibleStep, Worker } from "../worker/types.ts";
import type { Workflow } from "../workflow/types.ts";
import { firstRoundSeen, toPositions } from "../workflow/waves.ts";
import { type Outcome, REWARD } from "./rollout.ts";
import type { Grading, Question } from "./types.ts";

const MAX_OUTPUT_TOKENS = 8192;
/** Nobody is asked twice: a simulated worker never fails. */
const ATTEMPT = 0;

export interface QuickTry {
  question: Question;
  /** Of the round that is tried. */
  workflow: Workflow;
  texts: readonly string[];
  seed: number;
  /** What the rounds before became. */
  before?: Outcome;
}

/** Undefined where somebody did not answer as expected: then the real performer has to say what comes of it. */
export async function tryQuickly(
  world: Grading,
  { question, workflow, texts, seed, before }: QuickTry,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  const { task, pool } = question;
  // A vote that goes by what replies look like is the performer's.
  if (!world.isInstant || !world.gradeAnswer || pool.members.some(({ profile }) => profile?.reading))
    return undefined;
  const asked: Task = { id: task.id, messages: toMessages(task) };
  const rounds: ComposedRound[] = [...(before?.rounds ?? [])];
  const number = rounds.length;
  const replies: string[] = [];
  rounds.push({ workflow, replies });
  for (const [position, { worker, subtask }] of workflow.steps.entries()) {
    const brief: Brief = {
      task: asked,
      subtask,
      visible: toVisible(rounds, number, position, question),
      isLast: position === workflow.steps.length - 1,
    };
    const seedOfStep = hashSeed(seed, number, position, ATTEMPT);
    const reply = await ask(pool.members[worker]!.worker, brief, seedOfStep, signal);
    if (reply === undefined || reply === "") return undefined;
    replies.push(reply);
  }
  const answer = replies.at(-1)!;
  const grade = await world.gradeAnswer(task, answer, signal);
  if (!grade || grade.ungraded) return undefined;
  const models = workflow.steps
    .map(({ worker }) => pool.members[worker]!.worker)
    .filter((worker) => !isFree(worker));
  const isRight = grade.score >= RIGHT;
  return {
    ...{ texts, isValid: true, isOutage: false, faults: before?.faults ?? [], isRight, score: grade.score },
    reward: isRight ? REWARD.right : REWARD.wrong,
    calls: (before?.calls ?? 0) + models.length,
    steps: workflow.steps.length,
    costUsd: before?.costUsd ?? 0,
    asked: [...(before?.asked ?? []), ...models.map(({ id }) => id)],
    ...{ answer, rounds },
  };
}

/** As the performer shows them: `toVisible` of perform/visible.ts. */
function toVisible(
  rounds: readonly ComposedRound[],
  number: number,
  position: number,
  { pool }: Question,
): VisibleStep[] {
  const { access } = rounds[number]!.workflow.steps[position]!;
  const visible: VisibleStep[] = [];
  const show = (round: number, step: number) => {
    const { workflow, replies } = rounds[round]!;
    const { worker, subtask } = workflow.steps[step]!;
    const reply = replies[step];
    if (!reply) return;
    const { worker: asked, profile } = pool.members[worker]!;
    const success = profile?.probability ?? profile?.similar ?? profile?.success;
    const isCombined = combines(asked) ? true : undefined;
    visible.push({ round, step, worker, subtask, reply, success, isCombined });
  };
  for (let round = firstRoundSeen(access, number); round < number; round++)
    for (const step of rounds[round]!.workflow.steps.keys()) show(round, step);
  for (const step of toPositions(access, position)) show(number, step);
  return visible;
}

async function ask(
  worker: Worker,
  brief: Brief,
  seed: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  let reply = "";
  try {
    const request = { messages: [], brief, maxOutputTokens: MAX_OUTPUT_TOKENS, seed };
    for await (const event of worker.ask(request, signal))
      if (event.type === "text-delta") reply += event.text;
  } catch {
    // Refused, or nothing to vote on: what follows from that is the performer's to say.
    return undefined;
  }
  return reply;
}
