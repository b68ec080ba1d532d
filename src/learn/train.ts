// A training from its first token to its best checkpoint: warm-up, then reinforcement in stages, watched on the
// tune split, saved as it goes. Killed at any moment it goes on from its last checkpoint, with the same result.

import { setMaxListeners } from "node:events";
import { hashSeed } from "../base/random.ts";
import { type CardDraft, saveCheckpoint } from "../conductor/native/checkpoint.ts";
import { type ChoiceSizes, createChoices, sizesOf } from "../conductor/native/choice.ts";
import { Language, LITERALS } from "../conductor/native/language.ts";
import { FEATURES } from "../conductor/native/reading.ts";
import { openEngine } from "../nn/engine.ts";
import { Model } from "../nn/model.ts";
import { AdamW } from "../nn/optimiser.ts";
import { trainTokenizer } from "../nn/tokenizer.ts";
import { createWeights } from "../nn/transformer.ts";
import type { Store } from "../store/types.ts";
import { toMessages } from "../task/types.ts";
import { textOf } from "../worker/brief.ts";
import { MAX_STEPS } from "../workflow/types.ts";
import type { Question, World } from "../world/types.ts";
import type { TrainingFolder } from "./folder.ts";
import { type Practised, practise, toFigures } from "./iteration.ts";
import { allSubtasks, type Words } from "./phrases.ts";
import type { Policy } from "./policy.ts";
import { takeSamples } from "./samples.ts";
import {
  comparesSizes,
  fewestIterations,
  type Lot,
  lotAt,
  type ScheduleOptions,
  totalOf,
} from "./schedule.ts";
import { loadState, saveState, type TrainingState } from "./state.ts";
import { measureSurprise } from "./surprise.ts";
import { answerAll, toTuneFigures } from "./tune.ts";
import type { StageName, TrainEvent, TuneFigures } from "./types.ts";

export interface TrainOptions {
  world: World;
  seed: number;
  /** Becomes a count of iterations once the first ones were timed. */
  minutes?: number;
  iterations?: number;
  rounds: 1 | 2 | 3;
  /** The size that teams shall have; absent: the Conductor learns to decide. */
  size?: number;
  /** Rollouts a question. */
  group: number;
  /** Questions an iteration. */
  questions: number;
  /** Taken off the reward for every call. */
  costPerCall: number;
  /** The variant with a supervised stage. */
  supervised: boolean;
  words: Words;
  shape?: { width?: number; layers?: number };
  threads: number;
  /** Experiments only. */
  learningRate?: number;
  exploration?: number;
  warmUp?: number;
  /** In iterations. */
  saveEvery?: number;
  tuneEvery?: number;
  folder: TrainingFolder;
  resume: boolean;
  /** The command line that repeats it, for the card. */
  command: string;
  signal: AbortSignal;
  onEvent(event: TrainEvent): void;
  /** Where sample runs are journaled, to be looked at like any other run. */
  journal?: Store;
}

export interface TrainResult {
  /** Folder of the best checkpoint. */
  checkpoint: string;
  iterations: number;
  isStopped: boolean;
  tune: TuneFigures | undefined;
}

const VOCABULARY = 1024;
const SHAPE = { width: 96, layers: 2 };
const HEAD_SIZE = 32;
const WARM_UP = 300;
const SUPERVISED = 60;
const DEFAULTS = { learningRate: 7e-4, exploration: 0.03, iterations: 300 };
const MAX_NORM = 1;
/** Iterations timed before minutes become a count. They compile their graphs, which makes up for longer plans later. */
const TIMED = 6;
const SAVE_EVERY = 20;
const TUNE_EVERY = 25;
const MICRO_BATCH = 4;
/** Rewards on the tune split differ by so much without a reason: two questions in a hundred. */
const LUCK_OF_A_LOOK = 0.01;
/** Steps of the teams that are looked at while sizes are given. */
const LOOKED_AT = 3;
const MOST_WORKERS = 64;
/** One worker or a team: that two are better than one, and three than two, drowned in the luck of a few tries. */
const FIRST_SIZES = [1, 3, 4, MAX_STEPS];
/** 0: what the team has answered is taken. */
const LATER_SIZES = [0, 1, 2, 3, 4];

export async function train(options: TrainOptions): Promise<TrainResult> {
  const { folder, signal, threads, saveEvery = SAVE_EVERY, tuneEvery = TUNE_EVERY } = options;
  // Every run of an iteration listens to it at the same time.
  setMaxListeners(0, signal);
  const engine = await openEngine({ threads, purpose: "training" });
  const tell = (event: TrainEvent) => {
    folder.append(event);
    options.onEvent(event);
  };
  folder.describe({ engine: engine.id });
  tell({ type: "notice", text: `Engine: ${engine.id}.` });
  const state = (options.resume && (await loadState(folder.checkpoint))) || createState(options);
  if (options.resume) folder.rewind(state.iteration);
  const model = new Model(engine, state.shape, state.weights);
  const policy: Policy = { model, language: state.language, choices: state.choices };
  const optimiser = state.moments
    ? AdamW.fromTensors(state.weights, state.moments)
    : new AdamW(state.weights);
  const schedule = toSchedule(options, state);
  const watching = { options, policy, state, schedule, engine: engine.id, tell };
  const look = async () => {
    // What an abort cuts off is looked at by whoever goes on: it may be the best.
    if (state.look && (await watch(watching, state.look, lastStage(schedule)))) delete state.look;
  };
  const save = () => {
    state.moments = optimiser.toTensors();
    return saveState(folder.checkpoint, state);
  };
  try {
    if (state.look) {
      await look();
      await save();
    }
    while (state.iteration < totalOf(schedule) && !signal.aborted) {
      const startedAt = performance.now();
      const { iteration } = state;
      const lot = lotAt(iteration, schedule);
      const practised = await practise({ ...options, policy, lot, iteration, microBatch: MICRO_BATCH });
      if (signal.aborted) break;
      const { gradients } = practised.learned;
      const { learningRate } = lot;
      const norm =
        gradients.size > 0 ? optimiser.step(gradients, { learningRate, maxNorm: MAX_NORM }).norm : 0;
      const seconds = (performance.now() - startedAt) / 1000;
      if (lot.stage !== "warm-up") countIterations(state, schedule, options, seconds, tell);
      const total = totalOf(schedule);
      const isTiming = options.iterations === undefined && options.minutes !== undefined && !state.iterations;
      tell(toEvent(practised, lot, { iteration, total, norm, seconds, ...(isTiming && { isTiming }) }));
      state.iteration++;
      const isLast = state.iteration === total;
      if (isLast || (lot.stage !== "warm-up" && state.iteration % tuneEvery === 0)) state.look = lot.stage;
      await look();
      if (isLast || state.iteration % saveEvery === 0) await save();
    }
    // Stopped between two saves: what was learned since the last one would be learned again.
    if (signal.aborted) await save();
    return {
      checkpoint: folder.best,
      iterations: state.iteration,
      isStopped: signal.aborted,
      tune: state.best,
    };
  } finally {
    await model.close();
  }
}

// ---- Before the first iteration ---------------------------------------------------------------------

function createState({ world, seed, size, rounds, shape = {} }: TrainOptions): TrainingState {
  const { width = SHAPE.width, layers = SHAPE.layers } = shape;
  const subtasks = allSubtasks(world.works());
  // Each subtask often enough that its words become tokens, however many questions there are.
  const texts = [...world.texts(), ...subtasks.flatMap((text) => Array<string>(20).fill(text))];
  const language = new Language(trainTokenizer(texts, { size: VOCABULARY, literals: LITERALS }));
  const whole = {
    vocabulary: language.vocabulary,
    width,
    layers,
    heads: Math.max(1, Math.round(width / HEAD_SIZE)),
    hidden: Math.round(width / 3) * 8,
    features: FEATURES,
  };
  const sizes: ChoiceSizes = {
    ...(size === undefined && { first: FIRST_SIZES }),
    ...(rounds > 1 && { later: LATER_SIZES }),
  };
  return {
    iteration: 0,
    shape: whole,
    weights: createWeights(whole, hashSeed(seed, "weights")),
    language,
    choices: createChoices(sizes, language.vocabulary),
    secondsOfFirst: [],
  };
}

function toSchedule(options: TrainOptions, state: TrainingState): ScheduleOptions {
  const { rounds, supervised, warmUp = WARM_UP, minutes } = options;
  const { learningRate = DEFAULTS.learningRate, exploration = DEFAULTS.exploration } = options;
  // With minutes the count is not known yet; only its first stage matters until it is.
  const unknown = minutes === undefined ? DEFAULTS.iterations : 10_000;
  const iterations = options.iterations ?? state.iterations ?? unknown;
  return {
    ...{ iterations, warmUp, supervised: supervised ? SUPERVISED : 0, rounds, learningRate, exploration },
    ...(options.size !== undefined && { size: options.size }),
  };
}

/** The first iterations are timed; then the minutes that are left become a count. */
function countIterations(
  state: TrainingState,
  schedule: ScheduleOptions,
  { minutes, iterations, seed }: TrainOptions,
  seconds: number,
  tell: (event: TrainEvent) => void,
): void {
  if (minutes === undefined || iterations !== undefined || state.iterations !== undefined) return;
  state.secondsOfFirst.push(seconds);
  if (state.secondsOfFirst.length < TIMED) return;
  const each = [...state.secondsOfFirst].sort((a, b) => a - b)[Math.floor(TIMED / 2)]!;
  const spent = process.uptime();
  // Not so few that the iterations so far would have been others, had the count been known.
  const fewest = fewestIterations(TIMED, schedule);
  state.iterations = Math.max(fewest, Math.round((minutes * 60 - spent) / each));
  schedule.iterations = state.iterations;
  const text = `${minutes} minutes are ${state.iterations} iterations here: --iterations ${state.iterations} --seed ${seed} repeats this training.`;
  tell({ type: "notice", text });
}

/** Without reinforcement what comes before it is kept: that is how a warm-up alone is measured. */
function lastStage(schedule: ScheduleOptions): StageName {
  if (schedule.iterations === 0) return schedule.supervised > 0 ? "supervised" : "warm-up";
  return comparesSizes(schedule) ? "sizes" : "teams";
}

// ---- After an iteration -----------------------------------------------------------------------------

function toEvent(
  { learned, groups }: Practised,
  { stage, learningRate }: Lot,
  rest: { iteration: number; total: number; isTiming?: true; norm: number; seconds: number },
): TrainEvent {
  const { norm, ...counted } = rest;
  const { asked, ...figures } = toFigures(groups);
  return {
    type: "iteration",
    stage,
    ...counted,
    ...figures,
    decisionEntropy: learned.entropy,
    loss: learned.loss,
    gradientNorm: norm,
    learningRate,
    ...(groups.length > 0 && { asked }),
  };
}

interface Watching {
  options: TrainOptions;
  policy: Policy;
  state: TrainingState;
  schedule: ScheduleOptions;
  engine: string;
  tell: (event: TrainEvent) => void;
}

/** On the tune split: told, sampled, and kept where it is the best of the last stage. False: it was cut off. */
async function watch(watching: Watching, stage: StageName, last: StageName): Promise<boolean> {
  const { options, policy, state, tell } = watching;
  const { world, costPerCall, signal, seed, folder, journal } = options;
  const rounds = stage === "sizes" ? options.rounds : 1;
  const iteration = state.iteration - 1;
  // Until the choice of a size is practised, one that is given is looked at.
  const isAlone = stage === "selection" || stage === "supervised";
  const lookedAt = stage === "sizes" ? undefined : LOOKED_AT;
  const size = isAlone ? 1 : (options.size ?? lookedAt);
  const outcomes = await answerAll(world.validation, {
    ...(size !== undefined && { size }),
    policy,
    world,
    rounds,
    cost: costPerCall,
    seed: hashSeed(seed, "tune"),
    signal,
  });
  if (signal.aborted) return false;
  const figures = toTuneFigures(outcomes, costPerCall);
  // While sizes are compared it only learns more: that counts, unless it does clearly worse.
  const slack = stage === "sizes" ? LUCK_OF_A_LOOK : 0;
  const isBest = stage === last && (state.best === undefined || figures.reward > state.best.reward - slack);
  const event: TuneFigures = { type: "tune", stage, iteration, ...figures, isBest };
  tell(event);
  for (const sample of await takeSamples(outcomes, world, {
    stage,
    iteration,
    seed,
    folder: folder.path,
    signal,
    ...(journal && { journal }),
  }))
    tell(sample);
  if (!isBest) return true;
  state.best = event;
  await saveCheckpoint(folder.best, {
    card: await toCard(watching),
    weights: state.weights,
    language: state.language,
    choices: state.choices,
  });
  return true;
}

/** What follows the prompt in every question: how its answer is to be stated. */
function findClosing(questions: readonly Question[]): { closing?: string } {
  const closings = new Set(
    questions.map(({ task }) => textOf(toMessages(task).at(-1)!).slice(task.prompt.length)),
  );
  const [closing] = closings;
  return closing && closings.size === 1 ? { closing } : {};
}

async function toCard({ options, policy, state, engine }: Watching): Promise<CardDraft> {
  const { world, seed, command, rounds } = options;
  return {
    name: world.kind,
    shape: state.shape,
    limits: { workers: MOST_WORKERS, rounds },
    ...(options.size !== undefined && { size: options.size }),
    choices: structuredClone(sizesOf(policy.choices)) as NonNullable<CardDraft["choices"]>,
    cost: options.costPerCall,
    nll: await measureSurprise(policy, world.validation),
    ...findClosing(world.validation),
    handOffs: world.kind !== "recording",
    training: {
      world: world.name,
      isSimulated: world.isSimulated,
      command,
      seed,
      iterations: state.iteration,
      engine,
      date: new Date().toISOString().slice(0, 10),
    },
    about: { tune: state.best, ...(world.splitBy && { splitBy: world.splitBy }) },
  };
}
