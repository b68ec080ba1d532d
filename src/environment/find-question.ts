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
/** A group has 64 rollouts of one question: it is sampled once. */
const MOST_QUESTIONS = 2_000;

export interface FoundQuestion {
  question: Question;
  world: Grading;
}

export interface QuestionFinder {
  /** "rehearsal (simulated)", "gsm8k". */
  readonly name: string;
  readonly isSimulated: boolean;
  /** Throws "unknown-label". */
  find(label: QuestionLabel): FoundQuestion;
}

/** Without tasks it knows the rehearsal alone; with tasks, these alone: what is simulated must not mix with what is paid. */
export function createQuestionFinder(tasks?: { world: TasksWorld; digest: string }): QuestionFinder {
  const found = new Map<string, FoundQuestion>();
  const find = tasks ? createTasksFinder(tasks) : findRehearsal;
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

function findRehearsal(label: QuestionLabel): FoundQuestion {
  if (label.world !== "rehearsal")
    throw unknownLabel(label, "it is of a set of tasks, and this server was started without --tasks");
  const world = rehearsalWorldOf(label.pools, label.seed);
  return { question: world.sampleFrom(label.split, label.number), world };
}

function createTasksFinder({ world, digest }: { world: TasksWorld; digest: string }) {
  return (label: QuestionLabel): FoundQuestion => {
    if (label.world !== "tasks")
      throw unknownLabel(label, "it is of the rehearsal, and this server was started with --tasks");
    if (label.digest !== digest)
      throw unknownLabel(
        label,
        `it is of another set, or of this one before it was changed (here: ${digest})`,
      );
    const question = world.recall(label.task, label.pool);
    if (!question) throw unknownLabel(label, "its task or one of its workers is not here");
    return { question, world };
  };
}
