// Recorded sets, opened and split. Apart from the world, because whoever measures a trained Conductor must
// leave out exactly what it has seen.

import { usageError } from "../base/errors.ts";
import { loadRecording } from "../recording/load.ts";
import type { Recording } from "../recording/types.ts";
import { createRecordedSet } from "./sets.ts";
import { promptHash, type SplitBy, type Splits, splitTasks } from "./split.ts";
import type { WorldSet } from "./types.ts";

export interface RecordingSource {
  folder: string;
  /** By default all sets of the folder. */
  set?: string;
  /** By default all that answered every task of the set. */
  workers?: readonly string[];
}

export interface SplitOptions {
  splitBy?: SplitBy;
  splitSeed?: number;
}

export interface SplitSet {
  set: WorldSet;
  splits: Splits;
}

/** In the order of the sources. */
export async function openRecordedSets(sources: readonly RecordingSource[]): Promise<WorldSet[]> {
  if (sources.length === 0) throw usageError("A world of recordings needs one set or more, not none");
  const recordings = await loadFolders(sources);
  const opened = new Map<string, WorldSet>();
  for (const { folder, set: named, workers } of sources) {
    const recording = recordings.get(folder)!;
    for (const id of named === undefined ? recording.sets.map((set) => set.id) : [named]) {
      if (opened.has(id)) throw usageError(`The set "${id}" is there twice: name each set once`);
      if (workers?.length === 0)
        throw usageError(`None of the workers of "${id}" was chosen: let in one or more`);
      opened.set(id, createRecordedSet(recording, id, workers));
    }
  }
  return [...opened.values()];
}

/** Train, validation and test do not mix, within a set and between sets. */
export function splitSets(
  sets: readonly WorldSet[],
  { splitBy = "prompt", splitSeed = 0 }: SplitOptions = {},
): SplitSet[] {
  const split = sets.map((set) => ({ set, splits: splitTasks(set.tasks, splitBy, splitSeed) }));
  // Split by its words, a question is on the same side in every set.
  return splitBy === "prompt" ? split : keepApart(split);
}

/** Reading a folder is the expensive part, so one that holds several of the sets is read once. */
async function loadFolders(sources: readonly RecordingSource[]): Promise<Map<string, Recording>> {
  const wanted = new Map<string, string[] | undefined>();
  for (const { folder, set } of sources) {
    const sets = wanted.has(folder) ? wanted.get(folder) : [];
    wanted.set(folder, set === undefined || sets === undefined ? undefined : [...new Set([...sets, set])]);
  }
  const recordings = new Map<string, Recording>();
  for (const [folder, sets] of wanted) recordings.set(folder, await loadRecording(folder, { sets }));
  return recordings;
}

/** The same question may be in two sets, and with a split by family on two sides: the test keeps it. */
function keepApart(split: readonly SplitSet[]): SplitSet[] {
  const hashesOf = (name: keyof Splits) =>
    new Set(split.flatMap(({ splits }) => splits[name].map((task) => promptHash(task))));
  const [tested, validated] = [hashesOf("test"), hashesOf("validation")];
  return split.map(({ set, splits: { train, validation, test } }) => {
    const isTested = (task: { prompt: string }) => tested.has(promptHash(task));
    const kept = train.filter((task) => !isTested(task) && !validated.has(promptHash(task)));
    if (kept.length === 0)
      throw usageError(`All training tasks of "${set.id}" are test or validation tasks of another set`);
    return { set, splits: { train: kept, validation: validation.filter((task) => !isTested(task)), test } };
  });
}
