// The trainer: iterations of any learning algorithm, evaluated on the validation split, the best kept, saved as it
// goes. Killed at any moment it goes on from its last save, with the same result.

import { setMaxListeners } from "node:events";
import { TuttiError } from "../base/errors.ts";
import { hashSeed } from "../base/random.ts";
import type { Store } from "../store/types.ts";
import type { Question, World } from "../world/types.ts";
import type { TrainingFolder } from "./folder.ts";
import { toPartMetrics, toValidationMetrics } from "./metrics.ts";
import { Minutes } from "./minutes.ts";
import { performAsked } from "./perform.ts";
import { takeSamples } from "./samples.ts";
import { loadState, saveState, type TrainerState } from "./state.ts";
import type {
  AlgorithmState,
  LearningAlgorithm,
  Schedule,
  ScheduleEntry,
  TrainEvent,
  UpdateMetrics,
  ValidationMetrics,
} from "./types.ts";

export interface TrainerOptions<Entry extends ScheduleEntry> {
  /** Opens the algorithm, new or as it was saved. */
  open(saved: AlgorithmState | undefined): Promise<LearningAlgorithm<Entry>>;
  world: World;
  seed: number;
  /**
   * From the command to the end of the test, warm-up and evaluations included. Becomes a count of iterations once the
   * first ones were timed, and a lower one where they turn out to be slower. Throws "usage" where it cannot be kept.
   */
  minutes?: number;
  /** What was trained is tested afterwards: some of the minutes are kept for it. */
  hasTest?: boolean;
  /** Seconds since the command was given; by default those of the process. */
  clock?: () => number;
  iterations?: number;
  /** Subtracted from the validation reward for every call. */
  costPerCall: number;
  /** In iterations. */
  saveEvery?: number;
  evaluateEvery?: number;
  folder: TrainingFolder;
  resume: boolean;
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
  /** Of the best. */
  validation: ValidationMetrics | undefined;
}

const ITERATIONS = 300;
/** With minutes the count is not known yet; only its first stage matters until it is. */
const UNKNOWN_ITERATIONS = 10_000;
/** Questions of the validation split by which an evaluation is timed. */
const TIMED_QUESTIONS = 32;
const SAVE_EVERY = 20;
const EVALUATE_EVERY = 25;

export async function train<Entry extends ScheduleEntry>(
  options: TrainerOptions<Entry>,
): Promise<TrainResult> {
  const { folder, resume, signal } = options;
  // Every run of an iteration listens to it at the same time.
  setMaxListeners(0, signal);
  const saved = resume ? await loadState(folder.checkpoint) : undefined;
  const algorithm = await options.open(saved?.algorithm);
  const { name } = algorithm;
  const state = saved?.state ?? { name, iteration: 0, secondsOfFirst: [] };
  try {
    if (state.name !== name)
      throw new TuttiError(
        "bad-checkpoint",
        `The training in ${folder.path} cannot go on with ${name}: it was begun with ${state.name}`,
      );
    return await new TrainingLoop(options, algorithm, state).run();
  } finally {
    await algorithm.close();
  }
}

class TrainingLoop<Entry extends ScheduleEntry> {
  readonly #options: TrainerOptions<Entry>;
  readonly #algorithm: LearningAlgorithm<Entry>;
  readonly #state: TrainerState;
  #schedule: Schedule<Entry>;
  /** While this process turns minutes into a count, and keeps to them. */
  readonly #minutes: Minutes | undefined;
  readonly #clock: () => number;

  constructor(options: TrainerOptions<Entry>, algorithm: LearningAlgorithm<Entry>, state: TrainerState) {
    this.#options = options;
    this.#algorithm = algorithm;
    this.#state = state;
    const unknown = options.minutes === undefined ? ITERATIONS : UNKNOWN_ITERATIONS;
    this.#schedule = algorithm.schedule(options.iterations ?? state.iterations ?? unknown);
    const { clock = () => process.uptime(), hasTest = false, evaluateEvery = EVALUATE_EVERY } = options;
    this.#clock = clock;
    const { minutes } = options;
    if (minutes === undefined || !this.#isTiming) return;
    const warmUp = countWarmUp(this.#schedule) - state.iteration;
    const timed = state.secondsOfFirst;
    this.#minutes = new Minutes({ minutes, clock, warmUp, evaluateEvery, hasTest, timed });
  }

  async run(): Promise<TrainResult> {
    const { world, folder, resume, signal } = this.#options;
    const { saveEvery = SAVE_EVERY, evaluateEvery = EVALUATE_EVERY } = this.#options;
    const state = this.#state;
    const { engine } = this.#algorithm;
    if (engine) {
      folder.describe({ engine });
      this.#tell({ type: "notice", text: `Engine: ${engine}.` });
    }
    if (resume) folder.rewind(state.iteration);
    if (state.isEvaluationDue) {
      await this.#evaluate();
      await this.#save();
    }
    while (state.iteration < this.#schedule.total && !signal.aborted) {
      const entry = this.#schedule.at(state.iteration);
      const startedAt = this.#clock();
      const metrics = await performAsked(this.#algorithm.iterate(entry, signal), world, signal);
      if (!metrics) break;
      const seconds = this.#clock() - startedAt;
      if (entry.isWarmUp) this.#minutes?.addWarmUp(seconds);
      else await this.#time(entry, seconds);
      this.#tellIteration(entry, metrics, seconds);
      state.iteration++;
      this.#keepTime();
      const isLast = state.iteration === this.#schedule.total;
      state.isEvaluationDue = isLast || (!entry.isWarmUp && state.iteration % evaluateEvery === 0);
      if (state.isEvaluationDue) {
        const evaluatedAt = this.#clock();
        await this.#evaluate();
        this.#minutes?.addEvaluation(this.#clock() - evaluatedAt);
      }
      if (isLast || state.iteration % saveEvery === 0) await this.#save();
    }
    // Stopped between two saves: what was learned since the last one would be learned again.
    if (signal.aborted) await this.#save();
    const { iteration: iterations, best: validation } = state;
    return { checkpoint: folder.best, iterations, isStopped: signal.aborted, validation };
  }

  /** The first iterations are timed, and what an evaluation takes; then the minutes that are left become a count. */
  async #time(entry: Entry, seconds: number): Promise<void> {
    const { minutes, seed } = this.#options;
    const state = this.#state;
    if (this.#isTiming) state.secondsOfFirst.push(seconds);
    if (!this.#minutes?.addIteration(seconds)) return;
    await this.#timeEvaluation(entry);
    const warmUp = this.#schedule.total - UNKNOWN_ITERATIONS;
    const count = state.iteration + 1 - warmUp + this.#minutes.countMore();
    state.iterations = Math.max(fewestIterations(this.#algorithm, state.iteration), count);
    this.#schedule = this.#algorithm.schedule(state.iterations);
    const text = `${minutes} minutes are ${state.iterations} iterations here: --iterations ${state.iterations} --seed ${seed} repeats this training.`;
    this.#tell({ type: "notice", text });
  }

  /** By a few questions, of which nothing is kept. Not where they would cost: then what is slower is made up for later. */
  async #timeEvaluation(entry: Entry): Promise<void> {
    const { world, signal, seed } = this.#options;
    if (!world.isInstant) return;
    const questions = world.validation.slice(0, TIMED_QUESTIONS);
    const startedAt = this.#clock();
    await this.#algorithm.answer(questions, entry, { seed: toEvaluationSeed(seed), signal });
    const share = world.validation.length / Math.max(1, questions.length);
    this.#minutes?.addEvaluation((this.#clock() - startedAt) * share);
  }

  /** Iterations that became slower are made fewer: then the last stages come sooner, and the minutes are kept. */
  #keepTime(): void {
    const state = this.#state;
    const { iteration, iterations } = state;
    if (this.#isTiming || iterations === undefined) return;
    const fewer = this.#minutes?.countFewer(this.#schedule.total - iteration);
    if (fewer === undefined) return;
    const before = this.#schedule.total - iterations;
    state.iterations = iteration + fewer - before;
    this.#schedule = this.#algorithm.schedule(state.iterations);
    const text = `Iterations take longer than the first ones: there is time for ${state.iterations}, not ${iterations}. A training with another count before it had this one cannot be repeated to the bit.`;
    this.#tell({ type: "notice", text });
  }

  get #isTiming(): boolean {
    const { minutes, iterations } = this.#options;
    return minutes !== undefined && iterations === undefined && this.#state.iterations === undefined;
  }

  /** On the validation split: told, sampled, and kept where it is the best of the final stage. */
  async #evaluate(): Promise<void> {
    const { world, costPerCall, signal, seed, folder, journal } = this.#options;
    const state = this.#state;
    const entry = this.#schedule.at(state.iteration - 1);
    const { stage, iteration, isFinal, tolerance } = entry;
    const evaluationSeed = toEvaluationSeed(seed);
    const outcomes = await this.#algorithm.answer(world.validation, entry, { seed: evaluationSeed, signal });
    // What an abort cuts off is evaluated by whoever goes on: it may be the best.
    if (signal.aborted) return;
    const measured = toValidationMetrics(outcomes, costPerCall);
    const reward = this.#algorithm.validate?.() ?? measured.reward;
    const instructions = this.#algorithm.instructions?.();
    const metrics = { ...measured, reward, parts: toPartMetrics(world, outcomes), instructions };
    // A training too short for its final stage keeps what it ends with.
    const isKept = isFinal || (state.iteration === this.#schedule.total && !state.best);
    const isBest = isKept && !(state.best && metrics.reward <= state.best.reward - tolerance);
    const event: ValidationMetrics = { type: "validation", stage, iteration, ...metrics, isBest };
    this.#tell(event);
    const toRollout = (question: Question, runSeed: number) =>
      this.#algorithm.toRollout?.(question, entry, runSeed);
    const where = { stage, iteration, seed: evaluationSeed, folder: folder.path, journal, signal, toRollout };
    for (const sample of await takeSamples(outcomes, world, where)) this.#tell(sample);
    if (isBest) {
      state.best = event;
      const trained = { iterations: state.iteration, validation: event };
      await this.#algorithm.saveCheckpoint(folder.best, trained);
    }
    state.isEvaluationDue = false;
  }

  #tellIteration({ stage, iteration }: Entry, metrics: UpdateMetrics, seconds: number): void {
    const { total } = this.#schedule;
    const isTiming = this.#isTiming || undefined;
    this.#tell({ type: "iteration", stage, iteration, total, isTiming, ...metrics, seconds });
  }

  #save(): Promise<void> {
    return saveState(this.#options.folder.checkpoint, this.#state, this.#algorithm.save());
  }

  #tell(event: TrainEvent): void {
    this.#options.folder.append(event);
    this.#options.onEvent(event);
  }
}

/** Iterations of the warm-up, which come first. */
function countWarmUp({ at, total }: Schedule): number {
  let count = 0;
  while (count < total && at(count).isWarmUp) count++;
  return count;
}

/** Not so few that the iterations up to this one would have been others, had the count been known. */
export function fewestIterations(
  { schedule }: Pick<LearningAlgorithm, "schedule">,
  iteration: number,
): number {
  const entryOf = (count: number) => JSON.stringify(schedule(count).at(iteration));
  const wanted = entryOf(Number.MAX_SAFE_INTEGER);
  let count = 1;
  while (entryOf(count) !== wanted) count++;
  return count;
}

/** The word is older than its name for the split: another one would change every result. */
function toEvaluationSeed(seed: number): number {
  return hashSeed(seed, "tune");
}
