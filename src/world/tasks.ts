// A live pool with tasks of one's own as a world to learn in. Asking costs money here: every reply is kept
// (reply-cache.ts) and every ask is paid from one budget. When that is spent, asks fail as an outage would,
// so that nothing is learned from what could not be paid.

import { usageError } from "../base/errors.ts";
import { createRandom, hashSeed, type Random } from "../base/random.ts";
import { createProfiler } from "../calibration/profiler.ts";
import { createRatedProfiles, type Observation } from "../calibration/ratings/rated-profiles.ts";
import { textOf } from "../calibration/text-features.ts";
import type { Calibration } from "../calibration/types.ts";
import type { AskBudget } from "../perform/ledger.ts";
import { refuseDecidedInside } from "../task/decided-inside.ts";
import { type GradedTask, type Grader, type TaskSet, toMessages } from "../task/types.ts";
import { isModel, isSimulatedPool } from "../worker/kinds.ts";
import type { Pool, PoolMember } from "../worker/types.ts";
import { createCachingWorker } from "./live/caching-worker.ts";
import type { ReplyCache } from "./live/reply-cache.ts";
import { withConsensus } from "./sets.ts";
import { type Splits, sampleTasks, splitTasks } from "./split.ts";
import type { Question, World } from "./types.ts";

const SMALLEST_POOL = 2;
const VALIDATION = 40;
const TEXTS = 4_000;
/** Characters of a question that may be only the beginning of one. */
const LONG = 1_000;

export interface TasksWorldOptions {
  set: TaskSet;
  pool: Pool;
  grader: Grader;
  /** What the workers were measured on. Without it they keep the profiles they have. */
  calibration?: Calibration;
  /** What people and tests said of the workers' answers, newest first; never of questions of this set. */
  ratings?: TasksRatings;
  /** Where replies are kept and who pays for them. Without both nobody can be asked: for exports. */
  cache?: ReplyCache;
  budget?: AskBudget;
  seed: number;
  /** fixed: the whole pool. random: half of the time some of its models. */
  pools: "fixed" | "random";
  splitSeed?: number;
  /** How many validation tasks are evaluated: each is asked anew whenever the plans change. */
  validation?: number;
  /** Learn also from grades that a program could have forged. */
  allowInsideGrades?: boolean;
}

export interface TasksRatings {
  observations: readonly Observation[];
  halfLifeDays: number;
  /** Workers whose profile the config says. */
  isConfigured: (id: string) => boolean;
}

export interface TasksWorld extends World {
  readonly splits: Splits;
  /** A task with a sampled pool, as `sample` would give it. */
  pose(task: GradedTask, number: number): Question;
  /** The same question again, from ids alone; undefined where the task or a worker is not here. */
  recall(task: string, workers: readonly string[]): Question | undefined;
}

export function createTasksWorld(options: TasksWorldOptions): TasksWorld {
  const { set, grader, cache, budget, seed, pools, splitSeed = 0 } = options;
  refuseDecidedInside(set.tasks, options.allowInsideGrades);
  const splits = splitTasks(set.tasks, "prompt", splitSeed);
  const { members } = withConsensus(options.pool);
  const unpriced = members.filter(({ worker, price }) => isModel(worker) && !price);
  if (unpriced.length > 0 && budget && !budget.allowsUnknownPrice) {
    const names = unpriced.map(({ worker }) => `"${worker.id}"`).join(", ");
    throw usageError(`The price of ${names} is not known, so a budget cannot be kept: give it in the config`);
  }
  const models = members
    .filter(({ worker }) => isModel(worker))
    .map((member): PoolMember => {
      const worker = cache && budget ? createCachingWorker(member, cache, budget) : member.worker;
      return { ...member, worker };
    });
  if (models.length === 0) throw usageError("The pool has no model to ask: name one or more");
  const tools = members.filter(({ worker }) => !isModel(worker));
  const held = [...splits.validation, ...splits.test];
  const profile = withRatings(
    createProfiling(options.calibration, splits.train, held),
    options.ratings,
    set.tasks,
  );

  const toQuestion = (task: GradedTask, chosen: PoolMember[], random: Random): Question => ({
    task,
    pool: profile({ members: random.shuffle([...chosen, ...tools]) }, task),
  });
  const pose = (task: GradedTask, random: Random): Question =>
    toQuestion(task, pools === "fixed" ? models : sampleModels(models, random), random);
  const byId = new Map([...models, ...tools].map((member) => [member.worker.id, member]));
  const tasks = new Map(set.tasks.map((task) => [task.id, task]));
  let validation: Question[] | undefined;
  return {
    splits,
    pose: (task, number) => pose(task, createRandom(hashSeed("tasks pose", seed, task.id, number))),
    recall(id, workers) {
      const task = tasks.get(id);
      const chosen = workers.flatMap((worker) => byId.get(worker) ?? []);
      return task && chosen.length === workers.length
        ? { task, pool: profile({ members: chosen }, task) }
        : undefined;
    },
    kind: "tasks",
    name: set.id,
    isSimulated: isSimulatedPool({ members }),
    isInstant: false,
    allowsInsideGrades: options.allowInsideGrades,
    sample(number) {
      const random = createRandom(hashSeed("tasks draw", seed, number));
      return pose(random.pick(splits.train), random);
    },
    get validation() {
      validation ??= sampleTasks(splits.validation, options.validation ?? VALIDATION).map((task) =>
        toQuestion(task, models, createRandom(hashSeed("tasks tune", seed, task.id))),
      );
      return validation;
    },
    grade: (task, { answer }, signal) => grader.grade(task, answer, signal),
    texts: () => sampleTasks(splits.train, TEXTS).map(toText),
  };
}

function sampleModels(models: PoolMember[], random: Random): PoolMember[] {
  if (models.length <= SMALLEST_POOL || random.next() < 0.5) return models;
  return random.shuffle(models).slice(0, random.integer(SMALLEST_POOL, models.length));
}

type Profiling = (pool: Pool, task: GradedTask) => Pool;

/**
 * Profiles count as fitting: what was measured on validation and test tasks of this set is not looked at, and a
 * training task is not its own neighbour. A task is known by its prompt or by all that a worker is asked.
 */
function createProfiling(
  calibration: Calibration | undefined,
  training: readonly GradedTask[],
  held: readonly GradedTask[],
): Profiling {
  if (!calibration) return (pool) => pool;
  const formsOf = (task: GradedTask) => [toKey(task.prompt), toKey(toText(task))];
  const forbidden = new Set(held.flatMap(formsOf));
  const { tasks, scores } = calibration;
  const kept = [...tasks.keys()].filter((number) => !forbidden.has(toKey(tasks[number]!.text)));
  const profiler = createProfiler({
    ...calibration,
    tasks: kept.map((number) => tasks[number]!),
    scores: kept.map((number) => scores[number]!),
  });
  const numbers = new Map(kept.map((number, at) => [toKey(tasks[number]!.text), at]));
  const own = new Map<string, number>();
  for (const task of training) {
    const found = formsOf(task).map((form) => numbers.get(form));
    const number = found.find((at) => at !== undefined);
    if (number !== undefined) own.set(task.id, number);
  }
  return (pool, task) => {
    const without = own.get(task.id);
    return profiler.poolFor(pool, toText(task), without === undefined ? {} : { without });
  };
}

/** What was said of a task's own answers would tell how it ends: such ratings are left out. */
function withRatings(
  profile: Profiling,
  ratings: TasksRatings | undefined,
  tasks: readonly GradedTask[],
): Profiling {
  if (!ratings) return profile;
  const forms = tasks.flatMap((task) => [toKey(task.prompt), toKey(toText(task))]);
  const own = new Set(forms);
  // Of a long question the rating has the beginning.
  const isOwn = (key: string) =>
    own.has(key) || (key.length >= LONG && forms.some((form) => form.startsWith(key)));
  const { observations, halfLifeDays, isConfigured } = ratings;
  const others = observations.filter(({ question }) => question === undefined || !isOwn(toKey(question)));
  const rated = createRatedProfiles(others, { halfLifeDays });
  return (pool, task) => rated.poolFor(profile(pool, task), toText(task), { isConfigured });
}

/** Case and spacing do not make another question. */
function toKey(text: string): string {
  return text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}

function toText(task: GradedTask): string {
  return textOf(toMessages(task));
}
