// The native Conductor as a learning algorithm: a warm-up, perhaps distillation, GRPO on selection, teams and
// rounds, and last the comparison of sizes, all on one policy with one optimiser.

import { TuttiError } from "../../base/errors.ts";
import { hashSeed } from "../../base/random.ts";
import { type CardDraft, loadCheckpoint, saveCheckpoint } from "../../conductor/native/checkpoint.ts";
import {
  type ChoiceSizes,
  type Choices,
  choiceTensors,
  createChoices,
  sizesOf,
} from "../../conductor/native/choice.ts";
import { Language, toLiterals } from "../../conductor/native/language.ts";
import { FEATURES } from "../../conductor/native/reading.ts";
import { parseRepertoire, toRepertoireYaml } from "../../instruction/repertoire.ts";
import type { Repertoire } from "../../instruction/types.ts";
import { openEngine } from "../../nn/engine.ts";
import { Model } from "../../nn/model.ts";
import { AdamW } from "../../nn/optimiser.ts";
import { fromTokenizerJson, trainTokenizer } from "../../nn/tokenizer.ts";
import { createWeights, weightDims } from "../../nn/transformer.ts";
import type { ModelShape, Weights } from "../../nn/types.ts";
import { toMessages } from "../../task/types.ts";
import { textOf } from "../../worker/brief.ts";
import { handsOff } from "../../worker/kinds.ts";
import { MAX_STEPS } from "../../workflow/types.ts";
import type { Question } from "../../world/types.ts";
import { grpo, isFlat } from "../grpo.ts";
import { toOutcomeMetrics } from "../metrics.ts";
import { type TrainerOptions, type TrainResult, train } from "../train.ts";
import type { AlgorithmState, LearningAlgorithm, UpdateMetrics } from "../types.ts";
import { answerAll } from "./answer.ts";
import { compareSizes } from "./compare-sizes.ts";
import { distil } from "./distil.ts";
import { createChatProposer } from "./propose/chat-proposer.ts";
import { ProposalMemory } from "./propose/memory.ts";
import { proposeInstruction } from "./propose/propose.ts";
import { createRuleProposer } from "./propose/rule-proposer.ts";
import { countInstructions, toInstructionUses } from "./propose/uses.ts";
import { createSchedule, type StageName, type StagePlan } from "./schedule.ts";
import type { StageResult, TrainingStage } from "./stage.ts";
import { type LearningPolicy, type Plan, type Policy, toPrompt } from "./stage.ts";
import { warmUp } from "./warm-up.ts";

export interface TrainOptions extends Omit<TrainerOptions<StagePlan>, "open"> {
  rounds: 1 | 2 | 3;
  /** The size that teams shall have; absent: the Conductor learns to decide. */
  size?: number;
  /** Rollouts a question. */
  group: number;
  /** Questions an iteration. */
  questions: number;
  /** Iterations that imitate the best plans of a search, before reinforcement; 0: reward alone. */
  distilled: number;
  /** Better instructions that are looked for, one an iteration, before sizes are compared. */
  proposals?: number;
  /** What steps can be told. */
  repertoire: Repertoire;
  /** The folder of a checkpoint whose weights, words and size it begins with; what teams are worth it learns anew. */
  from?: string;
  shape?: { width?: number; layers?: number };
  threads: number;
  /** Experiments only. */
  learningRate?: number;
  exploration?: number;
  warmUp?: number;
  /** The command line that repeats it, for the card. */
  command: string;
}

export function trainNative(options: TrainOptions): Promise<TrainResult> {
  return train({ ...options, open: (saved) => openNativeLearner(options, saved) });
}

const VOCABULARY = 1280;
const SHAPE = { width: 96, layers: 2 };
const HEAD_SIZE = 32;
const WARM_UP = 300;
const LEARNING_RATE = 1e-3;
/** Of one that goes on from a checkpoint, so that it does not begin by forgetting. */
const CONTINUED_RATE = 3e-4;
const EXPLORATION = 0.03;
/** Steps of the teams that are evaluated while sizes are given. */
const EVALUATED_SIZE = 3;
const MOST_WORKERS = 64;
const FIRST_SIZES = [1, 2, 3, 4, MAX_STEPS];
/** 0: what the team has answered is taken. */
const LATER_SIZES = [0, 1, 2, 3, 4];

const STAGES: Record<StageName, TrainingStage> = {
  "warm-up": warmUp,
  distillation: distil,
  selection: grpo,
  teams: grpo,
  rounds: grpo,
  proposals: proposeInstruction,
  sizes: compareSizes,
};

async function openNativeLearner(
  options: TrainOptions,
  saved: AlgorithmState | undefined,
): Promise<LearningAlgorithm<StagePlan>> {
  const { world, rounds, costPerCall } = options;
  const engine = await openEngine({ threads: options.threads });
  const opened = saved ? toPolicyState(saved) : createState(options);
  const { shape, weights, choices, moments } = opened;
  const model = new Model(engine, shape, weights);
  // Its language changes when a proposed instruction is kept.
  const policy: LearningPolicy = { model, language: opened.language, choices };
  const memory = new ProposalMemory(saved?.values.proposals);
  // Replies of simulated workers are no sentences of anybody: there edits are made by rule, and said to be simulated.
  const proposer = world.isSimulated ? createRuleProposer() : createChatProposer();
  let used = new Map<string, number>();
  const optimiser = moments ? AdamW.fromTensors(weights, moments) : new AdamW(weights);
  return {
    name: "native",
    engine: engine.id,

    schedule: (iterations) =>
      createSchedule({
        ...{ iterations, rounds, size: options.size, warmUp: options.warmUp ?? WARM_UP },
        ...{ distilled: options.distilled, proposals: options.proposals },
        isContinued: options.from !== undefined,
        learningRate: options.learningRate ?? (options.from ? CONTINUED_RATE : LEARNING_RATE),
        exploration: options.exploration ?? EXPLORATION,
      }),

    async *iterate(plan, signal) {
      const stage = STAGES[plan.stage];
      const proposing = { proposer, memory };
      return toMetrics(yield* stage({ ...options, policy, optimiser, plan, signal, proposing }), plan);
    },

    answer(questions, { stage }, { seed, signal }) {
      // Until the choice of a size is trained, one that is given is evaluated, and a single round.
      const isChosen = stage === "sizes";
      const isAlone = stage === "selection";
      const size = isAlone ? 1 : (options.size ?? (isChosen ? undefined : EVALUATED_SIZE));
      const own = { policy, world, size, rounds: isChosen ? rounds : 1, cost: costPerCall };
      used = new Map();
      const onPlan = (plan: Plan) => countInstructions(plan, policy.language, used);
      return answerAll(questions, { ...own, seed, signal, onPlan });
    },

    instructions: () => toInstructionUses(policy.language.repertoire, used),

    save() {
      const { language } = policy;
      const state = { shape, weights, language, choices, moments: optimiser.toTensors() };
      return toAlgorithmState(state, memory);
    },

    async saveCheckpoint(folder, { iterations, validation }) {
      const card: CardDraft = {
        name: world.kind,
        shape,
        limits: { workers: MOST_WORKERS, rounds },
        size: options.size,
        choices: structuredClone(sizesOf(choices)) as CardDraft["choices"],
        cost: costPerCall,
        nll: await measureNll(policy, world.validation),
        closing: findClosing(world.validation),
        handOffs: findHandOffs(world.validation),
        training: {
          ...{ world: world.name, isSimulated: world.isSimulated, command: options.command },
          ...{ seed: options.seed, iterations, engine: engine.id },
          date: new Date().toISOString().slice(0, 10),
        },
        about: { validation, splitBy: world.splitBy },
      };
      await saveCheckpoint(folder, { card, weights, language: policy.language, choices });
    },

    close: () => model.close(),
  };
}

function toMetrics(
  { groups, loss, entropy, gradientNorm, proposal, proposalUsd = 0 }: StageResult,
  { learningRate }: StagePlan,
): UpdateMetrics {
  const flat = groups.filter(({ rewards }) => isFlat(rewards)).length;
  const metrics = toOutcomeMetrics(groups.flatMap(({ outcomes }) => outcomes));
  return {
    ...{ ...metrics, costUsd: metrics.costUsd + proposalUsd, proposal },
    flatShare: flat / Math.max(1, groups.length),
    decisionEntropy: entropy,
    ...{ loss, gradientNorm, learningRate },
  };
}

// ---- Its state --------------------------------------------------------------------------------------------

interface PolicyState {
  shape: ModelShape;
  weights: Weights;
  language: Language;
  /** Of the sizes of teams, as far as they are not settled. */
  choices: Choices;
  /** Of the optimiser. */
  moments?: Weights;
}

const MOMENT = "moment:";

function createState(options: TrainOptions): PolicyState {
  const { world, seed, size, rounds, repertoire, from, shape = {} } = options;
  const sizes: ChoiceSizes = {
    first: size === undefined ? FIRST_SIZES : undefined,
    later: rounds > 1 ? LATER_SIZES : undefined,
  };
  if (from !== undefined) {
    const { card, weights, language } = loadCheckpoint(from);
    return { shape: card.shape, weights, language, choices: createChoices(sizes, language.vocabulary) };
  }
  const { width = SHAPE.width, layers = SHAPE.layers } = shape;
  const tokenizer = trainTokenizer([...world.texts()], {
    size: VOCABULARY,
    literals: toLiterals(repertoire),
  });
  const language = new Language(tokenizer, repertoire);
  const whole = {
    vocabulary: language.vocabulary,
    width,
    layers,
    heads: Math.max(1, Math.round(width / HEAD_SIZE)),
    hidden: Math.round(width / 3) * 8,
    features: FEATURES,
  };
  const choices = createChoices(sizes, language.vocabulary);
  return { shape: whole, weights: createWeights(whole, hashSeed(seed, "weights")), language, choices };
}

function toAlgorithmState(
  { shape, weights, language, choices, moments = new Map() }: PolicyState,
  memory: ProposalMemory,
): AlgorithmState {
  const named = [...moments].map(([name, value]) => [MOMENT + name, value] as const);
  return {
    tensors: new Map([...weights, ...named, ...choiceTensors(choices, { isLearning: true })]),
    values: {
      ...{ shape, choices: sizesOf(choices), tokenizer: language.tokenizer.toJson() },
      repertoire: toRepertoireYaml(language.repertoire),
      proposals: memory.toValues(),
    },
  };
}

function toPolicyState({ tensors, values }: AlgorithmState): PolicyState {
  const shape = values.shape as ModelShape;
  if (shape.features !== FEATURES)
    throw new TuttiError(
      "bad-checkpoint",
      `The training cannot go on: it was begun when workers had ${shape.features} features, and now they have ${FEATURES}. Begin it anew`,
    );
  const repertoire = parseRepertoire(String(values.repertoire), "the repertoire of the training");
  const language = new Language(fromTokenizerJson(values.tokenizer), repertoire);
  // In the order they were made in: the norm of a gradient depends on the order of its sum, by a hair.
  const weights: Weights = new Map();
  for (const [name] of weightDims(shape)) {
    const value = tensors.get(name);
    if (!value)
      throw new TuttiError("bad-checkpoint", `The training cannot go on: weight "${name}" is missing`);
    weights.set(name, value);
  }
  const moments: Weights = new Map();
  for (const [name, value] of tensors)
    if (name.startsWith(MOMENT)) moments.set(name.slice(MOMENT.length), value);
  const choices = createChoices(values.choices as ChoiceSizes, language.vocabulary, tensors);
  return { shape, weights, language, choices, moments: moments.size > 0 ? moments : undefined };
}

// ---- Its card ---------------------------------------------------------------------------------------------

const NLL_BATCH = 32;
/** So many of the questions it was made for pass. */
const NLL_SHARE = 0.98;

/** The negative log-likelihood of questions like those of its training, and where strange ones begin. */
export async function measureNll(policy: Policy, questions: readonly Question[]) {
  const values: number[] = [];
  for (let first = 0; first < questions.length; first += NLL_BATCH) {
    const part = questions.slice(first, first + NLL_BATCH);
    const prefixes = part.map((question) => toPrompt(policy, question).reading.prefix);
    values.push(...(await policy.model.negativeLogLikelihood(prefixes)));
  }
  const sorted = values.sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { threshold: at(NLL_SHARE), median: at(0.5), share: NLL_SHARE };
}

/** What follows the prompt in every question without options: how its answer is to be stated. */
function findClosing(questions: readonly Question[]): string | undefined {
  const open = questions.filter(({ task }) => !task.choices);
  const [closing, ...others] = new Set(
    open.map(({ task }) => textOf(toMessages(task).at(-1)!).slice(task.prompt.length)),
  );
  return others.length === 0 && closing ? closing : undefined;
}

/** Whether the pools of its training showed models the replies of others: all of them, none, or some. */
function findHandOffs(questions: readonly Question[]): CardDraft["handOffs"] {
  const [found = true, ...others] = new Set(questions.map(({ pool }) => handsOff(pool)));
  return others.length === 0 ? found : "by-pool";
}
