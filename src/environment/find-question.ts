// From labels to questions: the task with its grader and the pool in its order. One finder serves the rehearsal,
// of any seed, and the one set of tasks that it was opened with.

import { createRehearsalWorld, type RehearsalWorld } from "../world/rehearsal.ts";
import type { TasksWorld } from "../world/tasks.ts";
import type { Grading, Question } from "../world/types.ts";
import { type QuestionLabel, unknownLabel } from "./label.ts";

/** As many tasks stand behind each profile that a prompt shows. */
const CALIBRATION_TASKS = 60;
/** Measuring the workers of a world takes seconds; a training uses one or two. */
const MOST_WORLDS = 4;
/** Of the rehearsal, that a server measures in its life: seeds come from whoever asks. */
const MOST_SEEDS = 16;
/** A group has 64 rollouts of one question: it is sampled once. */
const MOST_QUESTIONS = 2_000;

export interface FoundQuestion {
  question: Question;
  world: Grading;
  /** Which answers it is graded by: a reward that was kept for others is not this one's. */
  answers?: string;
}

export interface QuestionFinder {
  /** "rehearsal (simulated)", "gsm8k". */
  readonly name: string;
  readonly isSimulated: boolean;
  /** Throws "unknown-label". */
  find(label: QuestionLabel): FoundQuestion;
}

export interface FinderTasks {
  world: TasksWorld;
  /** As labels have it: `digestQuestions`. */
  digest: string;
  /** `digestTasks`; told to nobody. */
  answers?: string;
}

/** Without tasks it knows the rehearsal alone; with tasks, these alone: what is simulated must not mix with what is paid. */
export function createQuestionFinder(tasks?: FinderTasks): QuestionFinder {
  const found = new Map<string, FoundQuestion>();
  const find = tasks ? createTasksFinder(tasks) : createRehearsalFinder();
  return {
    name: tasks?.world.name ?? "rehearsal (simulated)",
    isSimulated: tasks?.world.isSimulated ?? true,
    find(label) {
      const { before: _, ...itself } = label;
      const key = JSON.stringify(itself);
      let question = found.get(key);
      if (!question) {
        question = find(label);
        if (found.size >= MOST_QUESTIONS) found.delete(found.keys().next().value!);
        found.set(key, question);
      }
      return question;
    },
  };
}

const worlds = new Map<string, RehearsalWorld>();

export function rehearsalWorldOf(pools: "fixed" | "random", seed: number): RehearsalWorld {
  const key = `${pools} ${seed}`;
  let world = worlds.get(key);
  if (!world) {
    world = createRehearsalWorld({ seed, pools, calibrationTasks: CALIBRATION_TASKS, validation: 0 });
    if (worlds.size >= MOST_WORLDS) worlds.delete(worlds.keys().next().value!);
    worlds.set(key, world);
  }
  return world;
}

function createRehearsalFinder() {
  const seeds = new Set<number>();
  return (label: QuestionLabel): FoundQuestion => {
    if (label.world !== "rehearsal")
      throw unknownLabel(label, "it is of a set of tasks, and this server was started without --tasks");
    if (!seeds.has(label.seed) && seeds.size >= MOST_SEEDS)
      throw unknownLabel(label, `this server has met ${MOST_SEEDS} other seeds: start another for this one`);
    seeds.add(label.seed);
    const world = rehearsalWorldOf(label.pools, label.seed);
    return { question: world.sampleFrom(label.split, label.number), world };
  };
}

function createTasksFinder({ world, digest, answers }: FinderTasks) {
  return (label: QuestionLabel): FoundQuestion => {
    if (label.world !== "tasks")
      throw unknownLabel(label, "it is of the rehearsal, and this server was started with --tasks");
    // Which set is here is told to nobody: with its digest, labels could be made up.
    if (label.digest !== digest)
      throw unknownLabel(label, "it is of another set, or of this one before it was changed");
    const question = world.recall(label.task, label.pool);
    if (!question) throw unknownLabel(label, "its task or one of its workers is not here");
    return { question, world, answers };
  };
}
