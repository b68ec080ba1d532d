// A world for tests of learning: sums, a worker that can add, one that cannot, and a vote. And a policy whose
// plans are given, so that what is made of them can be said in advance.

import { createRandom } from "../../base/random.ts";
import type { Language, WrittenStep } from "../../conductor/native/language.ts";
import type { StagePlan } from "../../learn/native/schedule.ts";
import type { LearningPolicy, StageContext } from "../../learn/native/stage.ts";
import type { LossOptions, Model } from "../../nn/model.ts";
import { AdamW } from "../../nn/optimiser.ts";
import type { GenerateOptions } from "../../nn/text-model.ts";
import type { GradedTask } from "../../task/types.ts";
import { createConsensusWorker } from "../../worker/consensus.ts";
import type { PoolMember, WorkerRequest } from "../../worker/types.ts";
import type { Question, World } from "../../world/types.ts";
import { scriptedWorker } from "../stage.ts";

export function toSum(number: number): GradedTask {
  return {
    ...{ id: `sum/${number}`, set: "sums", category: "arithmetic", family: "addition" },
    ...{ prompt: `What is the sum of ${number} and 1?`, answer: String(number + 1), grader: "text" },
  };
}

/** What is asked for stands in the question. */
export function add(request: WorkerRequest): string {
  const [, number] = /sum of (\d+) and 1/.exec(JSON.stringify(request.messages))!;
  return `Answer: ${Number(number) + 1}`;
}

export function toMember(
  id: string,
  script: Parameters<typeof scriptedWorker>[1],
  success: number,
): PoolMember {
  return {
    worker: scriptedWorker(id, script),
    price: { inputUsd: 1, outputUsd: 2 },
    profile: { success, tasks: 40, topics: {} },
  };
}

export function createSmallWorld(parts: Partial<World> = {}): World {
  const members = [
    toMember("good", add, 0.9),
    toMember("bad", "Answer: 0", 0.2),
    { worker: createConsensusWorker(), price: { inputUsd: 0, outputUsd: 0 } },
  ];
  const sample = (seed: number): Question => {
    const random = createRandom(seed);
    return { task: toSum(random.integer(1, 500)), pool: { members: random.shuffle(members) } };
  };
  return {
    kind: "rehearsal",
    name: "sums",
    isSimulated: true,
    isInstant: true,
    sample,
    validation: [601, 602, 603, 604].map((number) => ({ ...sample(number), task: toSum(number) })),
    grade: ({ answer }, run) => ({
      score: run.answer.trim() === `Answer: ${answer}` ? 1 : 0,
      why: "compared",
    }),
    texts: () => Array.from({ length: 40 }, (_, number) => toSum(number).prompt),
    ...parts,
  };
}

/** What a policy is given to write: steps with slots, nothing to accept, or text that is no workflow. */
export type GivenPlan = WrittenStep[] | "babble";

/** Of a stage that is run alone: teams of one, and an optimiser that has nothing to change. */
export function createStageContext(policy: LearningPolicy, parts: Partial<StageContext> = {}): StageContext {
  const plan: StagePlan = {
    ...{ iteration: 3, stage: "teams", isWarmUp: false, isFinal: false, tolerance: 0 },
    ...{ learningRate: 1e-3, exploration: 0.01, sampleSize: () => 1, focus: "all" },
  };
  return {
    ...{ policy, plan, optimiser: new AdamW(new Map()), world: createSmallWorld(), seed: 1 },
    ...{ questions: 2, group: 4, costPerCall: 0 },
    signal: new AbortController().signal,
    ...parts,
  };
}

interface GivenPolicy extends LearningPolicy {
  /** What was learned from, call by call. */
  examples: { rows: Parameters<Model["computeGradients"]>[0]; options: LossOptions }[];
  /** How many questions were read, call by call. */
  writes: number[];
}

/** Each call of `write` takes the next list of plans: rollout i of every question writes plan i. */
export function createGivenPolicy(language: Language, ...calls: GivenPlan[][]): GivenPolicy {
  const policy: Pick<GivenPolicy, "examples" | "writes"> = { examples: [], writes: [] };
  const model = {
    async generate(prefixes: readonly unknown[], { group }: GenerateOptions) {
      const plans = calls[Math.min(policy.writes.length, calls.length - 1)]!;
      policy.writes.push(prefixes.length);
      return prefixes.map(() =>
        Array.from({ length: group }, (_, i) => {
          const plan = plans[i % plans.length]!;
          const tokens = plan === "babble" ? [language.next, language.close] : language.toTokens(plan);
          return { tokens, logps: tokens.map(() => -1), entropies: tokens.map(() => 0.1) };
        }),
      );
    },
    async computeGradients(rows: Parameters<Model["computeGradients"]>[0], options: LossOptions) {
      policy.examples.push({ rows, options });
      return { gradients: new Map(), loss: 0, entropy: 0 };
    },
    negativeLogLikelihood: async (prefixes: readonly { tokens: readonly number[] }[]) =>
      prefixes.map(({ tokens }) => tokens.length),
  };
  return { ...policy, language, choices: {}, model: model as unknown as Model };
}
