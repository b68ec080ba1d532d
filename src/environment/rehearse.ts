// A policy to try the protocol with, without a GPU: a handful of habits, of which one is sampled for each rollout,
// and which earn weight by group-normalised advantages, as in GRPO. It "trains" against a real server over
// HTTP, through OpenRLHF's route. A simulation: nothing is learned that could be used.

import { TuttiError } from "../base/errors.ts";
import { createRandom, hashSeed, type Random } from "../base/random.ts";
import { meanOf } from "../base/statistics.ts";
import { createScriptedPlanner } from "../rehearsal/scripted-planner.ts";
import { toMessages } from "../task/types.ts";
import { isModel, numbersOf } from "../worker/kinds.ts";
import { renderWorkflow } from "../workflow/render.ts";
import { MAX_STEPS } from "../workflow/types.ts";
import { poseRehearsal } from "./export-questions.ts";
import { type PosedQuestion, toPrompt } from "./export-rows.ts";
import { toLabelText } from "./label.ts";

/** What the policy may do, the worst first. All but the planner are beginners' habits. */
export const HABITS = ["babble", "broken lists", "anybody", "two of them", "scripted planner"] as const;
type Habit = (typeof HABITS)[number];

const LEARNING_RATE = 1;
const PHRASES = [
  "Solve it step by step.",
  "Work it out and state the result.",
  "Answer, and check your work.",
];

export interface RehearseOptions {
  url: string;
  iterations: number;
  /** Questions of an iteration, and rollouts of each. */
  questions: number;
  group: number;
  seed: number;
  signal: AbortSignal;
  onIteration?: (metrics: RehearsedIteration) => void;
}

export interface RehearsedIteration {
  iteration: number;
  reward: number;
  validShare: number;
  /** How likely each habit is after this iteration. */
  habits: Record<Habit, number>;
}

export async function rehearsePolicy(options: RehearseOptions): Promise<RehearsedIteration[]> {
  const { iterations, questions, group, seed, onIteration } = options;
  const { train } = poseRehearsal({ pools: "random", seed, train: iterations * questions, test: 0 });
  const weights = HABITS.map(() => 0);
  const told: RehearsedIteration[] = [];
  for (let iteration = 0; iteration < iterations; iteration++) {
    const random = createRandom(hashSeed("rehearse", seed, iteration));
    const probabilities = softmax(weights);
    const batch = train.slice(iteration * questions, (iteration + 1) * questions);
    const rollouts = await Promise.all(
      batch.flatMap((posed) =>
        Array.from({ length: group }, async () => {
          const habit = sampleHabit(probabilities, random);
          const own = createRandom(random.integer(0, 0xffff_ffff));
          const reward = await submit(options, posed, await write(HABITS[habit]!, posed, own));
          return { posed, habit, reward };
        }),
      ),
    );
    for (const posed of batch)
      learn(
        weights,
        rollouts.filter((rollout) => rollout.posed === posed),
      );
    const after = softmax(weights);
    const metrics: RehearsedIteration = {
      iteration,
      reward: meanOf(rollouts.map(({ reward }) => reward)),
      validShare: meanOf(rollouts.map(({ reward }) => (reward > 0 ? 1 : 0))),
      habits: Object.fromEntries(HABITS.map((habit, i) => [habit, after[i]!])) as Record<Habit, number>,
    };
    told.push(metrics);
    onIteration?.(metrics);
  }
  return told;
}

/** The gradient of the log-probability of what was done, times how much better than its group it was. */
function learn(weights: number[], rollouts: readonly { habit: number; reward: number }[]): void {
  const rewards = rollouts.map(({ reward }) => reward);
  const average = meanOf(rewards);
  const deviation = Math.sqrt(meanOf(rewards.map((reward) => (reward - average) ** 2)));
  const probabilities = softmax(weights);
  const gradient = weights.map(() => 0);
  for (const { habit, reward } of rollouts) {
    const advantage = (reward - average) / (deviation + 1e-4);
    for (const i of gradient.keys()) gradient[i]! += advantage * ((i === habit ? 1 : 0) - probabilities[i]!);
  }
  for (const i of weights.keys()) weights[i]! += (LEARNING_RATE * gradient[i]!) / rollouts.length;
}

async function write(
  habit: Habit,
  { question: { task, pool } }: PosedQuestion,
  random: Random,
): Promise<string> {
  const models = numbersOf(pool, isModel);
  const ask = (worker: number, access: [] | "all" = []) => ({
    worker,
    subtask: random.pick(PHRASES),
    access,
  });
  switch (habit) {
    case "babble":
      return `I would rather think about it: ${random.pick(PHRASES)}`;
    case "broken lists":
      return `model_id = [${random.pick(models)}]\nsubtasks = ["${random.pick(PHRASES)}"`;
    case "anybody":
      return renderWorkflow({ steps: [ask(random.pick(models))] });
    case "two of them":
      return renderWorkflow({ steps: [ask(random.pick(models)), ask(random.pick(models), "all")] });
    case "scripted planner":
      return plan(task.id, { task: { messages: toMessages(task) }, pool });
  }
}

async function plan(
  id: string,
  { task, pool }: Pick<Parameters<typeof PLANNER.compose>[0], "task" | "pool">,
) {
  const request = { task, pool, rounds: [], errors: [], maxSteps: MAX_STEPS, seed: hashSeed(id) };
  for await (const event of PLANNER.compose(request, new AbortController().signal))
    if (event.type === "plan-end") return event.text;
  return "";
}
const PLANNER = createScriptedPlanner();

/** As OpenRLHF sends it: the prompt in the model's template and the completion in one text. */
async function submit(
  { url, signal }: Pick<RehearseOptions, "url" | "signal">,
  posed: PosedQuestion,
  completion: string,
): Promise<number> {
  const turns = toPrompt(posed).map(({ role, content }) => `<|im_start|>${role}\n${content}<|im_end|>\n`);
  const prompt = `${turns.join("")}<|im_start|>assistant\n`;
  const response = await fetch(`${url}/rl/openrlhf`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      query: [`${prompt}${completion}<|im_end|>`],
      prompts: [prompt],
      labels: [toLabelText(posed.label)],
    }),
    signal,
  });
  const { rewards, error } = (await response.json()) as { rewards?: number[]; error?: { message: string } };
  if (rewards?.length === 1) return rewards[0]!;
  throw new TuttiError(
    "no-reward",
    `${url} gave no reward (${response.status}): ${error?.message ?? "no reason"}`,
  );
}

function sampleHabit(probabilities: readonly number[], random: Random): number {
  let rest = random.next();
  const sampled = probabilities.findIndex((probability) => {
    rest -= probability;
    return rest < 0;
  });
  return sampled < 0 ? probabilities.length - 1 : sampled;
}

function softmax(weights: readonly number[]): number[] {
  const powers = weights.map((weight) => Math.exp(weight - Math.max(...weights)));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}
