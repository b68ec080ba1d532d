// Train, validation and test: which tasks may be learned from and which are kept for the result. A task belongs
// where the hash of its words puts it, so the split is the same on every machine, needs no file, and
// twins (the same question under two ids, options in another order) are never on both sides.

import { usageError } from "../base/errors.ts";
import { hashSeed } from "../base/random.ts";
import type { GradedTask } from "../task/types.ts";
import type { SplitName } from "./types.ts";

export type Splits = Record<SplitName, GradedTask[]>;

/** Shares of the tasks: what is not for training or validation is for the test. */
export const SPLIT_SHARES = { train: 0.5, validation: 0.1, test: 0.4 } as const;

/** What tasks are kept together by: their words, or the family they come from. */
export type SplitBy = "prompt" | "family";

/** Of the normalised prompt with its options, never of the id. */
export function splitOf(task: { prompt: string; choices?: string[] }, seed = 0): SplitName {
  return toSplit(promptHash(task, seed));
}

/** All tasks of a family go together: whether what was learned carries over to families never seen. */
export function splitByFamily({ family }: { family: string }, seed = 0): SplitName {
  return toSplit(hashSeed("family", seed, normalise(family)));
}

/** One of `folds` parts; twins share theirs. For cross-fitting, where every task is used both ways in turn. */
export function foldOf(task: { prompt: string; choices?: string[] }, folds: number, seed = 0): number {
  return promptHash(task, hashSeed("fold", seed)) % folds;
}

/** Differs for every question, the same for twins: also used to sample tasks of a set. */
export function promptHash(
  { prompt, choices = [] }: { prompt: string; choices?: string[] },
  seed = 0,
): number {
  return hashSeed("prompt", seed, normalise(prompt), ...choices.map(normalise).sort());
}

/** A sample that is the same on every machine and in any order; a smaller limit gives a part of a larger one's. */
export function sampleTasks(tasks: readonly GradedTask[], limit: number | undefined, seed = 1): GradedTask[] {
  if (limit === undefined || limit >= tasks.length) return [...tasks];
  return tasks
    .map((task) => ({ task, hash: promptHash(task, seed) }))
    .sort((a, b) => a.hash - b.hash || (a.task.id < b.task.id ? -1 : 1))
    .slice(0, limit)
    .map(({ task }) => task);
}

export function splitTasks(tasks: readonly GradedTask[], by: SplitBy, seed: number): Splits {
  const splits: Splits = { train: [], validation: [], test: [] };
  for (const task of tasks) splits[(by === "family" ? splitByFamily : splitOf)(task, seed)].push(task);
  if (by === "family") {
    // One question in two families would be on both sides.
    const tested = new Set(splits.test.map((task) => promptHash(task)));
    for (const name of ["train", "validation"] as const)
      splits[name] = splits[name].filter((task) => !tested.has(promptHash(task)));
  }
  for (const name of ["train", "test"] as const)
    if (splits[name].length === 0)
      throw usageError(
        `${tasks.length} tasks are too few: none of them is for ${name === "train" ? "training" : "the test"}`,
      );
  return splits;
}

function toSplit(hash: number): SplitName {
  const share = hash / 0x1_0000_0000;
  if (share < SPLIT_SHARES.train) return "train";
  return share < SPLIT_SHARES.train + SPLIT_SHARES.validation ? "validation" : "test";
}

/** Case, spacing and the way a character is encoded do not make another question. */
function normalise(text: string): string {
  return text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}
