// Several worlds as one, so that one Conductor learns in all of them: teams that hand on in the rehearsal, voices that
// are compared on recordings. Which world a question is from is not told to anybody but its grader.

import { usageError } from "../base/errors.ts";
import { createRandom, hashSeed } from "../base/random.ts";
import type { GradedTask } from "../task/types.ts";
import type { Question, World } from "./types.ts";

const MOST_APART = 1e-9;

/** `shares` of the training questions, in the order of the worlds; together 1. The splits stay those of each world. */
export function createJoinedWorld(worlds: readonly World[], shares: readonly number[]): World {
  checkShares(worlds, shares);
  // A grader is given a task and no more. Tasks that were sampled and forgotten take no room here.
  const sources = new WeakMap<GradedTask, World>();
  const give = (question: Question, world: World): Question => {
    sources.set(question.task, world);
    return question;
  };
  let validation: Question[] | undefined;
  return {
    kind: "joined",
    name: worlds.map(({ name }) => name).join(" + "),
    isSimulated: worlds.some(({ isSimulated }) => isSimulated),
    parts: worlds.map((world) => ({
      name: world.name,
      isSimulated: world.isSimulated,
      holds: (task) => sources.get(task) === world,
    })),
    splitBy: worlds.find(({ splitBy }) => splitBy)?.splitBy,
    isInstant: worlds.every(({ isInstant }) => isInstant),
    allowsInsideGrades: worlds.some(({ allowsInsideGrades }) => allowsInsideGrades),
    sample(seed) {
      const world = worlds[pickByShare(shares, createRandom(hashSeed("joined", seed)).next())]!;
      return give(world.sample(seed), world);
    },
    get validation() {
      validation ??= interleave(worlds.map((world) => world.validation.map((each) => give(each, world))));
      return validation;
    },
    grade(task, run, signal) {
      const world = sources.get(task);
      if (!world)
        throw usageError(`Task "${task.id}" is of none of the joined worlds: it was not sampled here`);
      return world.grade(task, run, signal);
    },
    gradeAnswer: (task, answer, signal) => sources.get(task)?.gradeAnswer?.(task, answer, signal),
    // Of a part alone they would pass for the whole.
    replays: worlds.every(({ replays }) => replays)
      ? (split) => worlds.flatMap((world) => world.replays!(split))
      : undefined,
    texts: () => repeatToLongest(worlds.map((world) => world.texts())),
  };
}

/** Of joined worlds only some may be simulated. */
export function isSimulatedTask({ isSimulated, parts }: World, task: GradedTask): boolean {
  return parts?.find((part) => part.holds(task))?.isSimulated ?? isSimulated;
}

function checkShares(worlds: readonly World[], shares: readonly number[]): void {
  if (worlds.length < 2) throw usageError(`Two worlds or more can be joined, not ${worlds.length}`);
  const sum = shares.reduce((all, share) => all + share, 0);
  const isRight = shares.length === worlds.length && shares.every((share) => share > 0);
  if (!isRight || Math.abs(sum - 1) > MOST_APART)
    throw usageError(
      `The shares of ${worlds.length} worlds must be as many numbers above 0 that make 1, not ${shares.join(", ")}`,
    );
}

/** `point` is from 0 to 1. */
function pickByShare(shares: readonly number[], point: number): number {
  let sum = 0;
  const found = shares.findIndex((share) => {
    sum += share;
    return point < sum;
  });
  // What rounding leaves is the last one's.
  return found < 0 ? shares.length - 1 : found;
}

/** As many of each as the shortest has, from all over it, in turns: each list weighs the same. */
function interleave<T>(lists: readonly (readonly T[])[]): T[] {
  const count = Math.min(...lists.map(({ length }) => length));
  return Array.from({ length: count }, (_, i) =>
    lists.map((list) => list[Math.floor((i * list.length) / count)]!),
  ).flat();
}

/** Each list as long as the longest: a tokenizer counts words, and a large world would drown the others. */
function repeatToLongest<T>(lists: readonly (readonly T[])[]): T[] {
  const count = Math.max(...lists.map(({ length }) => length));
  return lists.flatMap((list) =>
    Array.from({ length: list.length === 0 ? 0 : count }, (_, i) => list[i % list.length]!),
  );
}
