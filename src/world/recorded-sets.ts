// Recorded sets with their splits, as a Conductor learns from them. Apart from the world, because whoever
// measures a trained Conductor must leave out exactly what it has seen.

import { usageError } from "../base/errors.ts";
import { loadRecording } from "../recording/load.ts";
import { createRecordedPool } from "../recording/replay.ts";
import type { Recording } from "../recording/types.ts";
import type { PoolMember } from "../worker/types.ts";
import { type Splits, splitTasks } from "./prepare.ts";
import { promptHash, type SplitBy } from "./split.ts";

export interface RecordingSource {
  folder: string;
  /** By default all sets of the folder. */
  set?: string;
  /** Which of the workers that answered every task take part. By default all. */
  workers?: (id: string) => boolean;
}

export interface SplitOptions {
  splitBy?: SplitBy;
  splitSeed?: number;
}

export interface RecordedSet {
  set: string;
  recording: Recording;
  splits: Splits;
  /** Models only, without profiles. */
  members: PoolMember[];
}

/** In the order of the sources. Train, validation and test do not mix, within a set and between sets. */
export async function openRecordedSets(
  sources: readonly RecordingSource[],
  { splitBy = "prompt", splitSeed = 0 }: SplitOptions = {},
): Promise<RecordedSet[]> {
  if (sources.length === 0) throw usageError("A world of recordings needs one set or more, not none");
  const recordings = await loadFolders(sources);
  const opened: RecordedSet[] = [];
  for (const { folder, set: named, workers = () => true } of sources) {
    const recording = recordings.get(folder)!;
    for (const set of named === undefined ? recording.sets.map(({ id }) => id) : [named]) {
      if (opened.some((other) => other.set === set))
        throw usageError(`The set "${set}" is there twice: name each set once`);
      const chosen = recording.workersOf(set).filter(workers);
      if (chosen.length === 0 && recording.workersOf(set).length > 0)
        throw usageError(`None of the workers of "${set}" was chosen: let in one or more`);
      const { members } = createRecordedPool(recording, set, { workers: chosen });
      if (members.length < 2)
        throw usageError(
          `Only ${members[0]!.worker.id} answered every task of "${set}": a Conductor needs two workers or more to choose from`,
        );
      opened.push({
        set,
        recording,
        splits: splitTasks(recording.tasksOf(set), splitBy, splitSeed),
        members,
      });
    }
  }
  // Split by its words, a question is on the same side in every set.
  return splitBy === "prompt" ? opened : keepApart(opened);
}

/** Reading a folder is the dear part, so one that holds several of the sets is read once. */
async function loadFolders(sources: readonly RecordingSource[]): Promise<Map<string, Recording>> {
  const wanted = new Map<string, string[] | undefined>();
  for (const { folder, set } of sources) {
    const sets = wanted.has(folder) ? wanted.get(folder) : [];
    wanted.set(folder, set === undefined || sets === undefined ? undefined : [...new Set([...sets, set])]);
  }
  const recordings = new Map<string, Recording>();
  for (const [folder, sets] of wanted)
    recordings.set(folder, await loadRecording(folder, { ...(sets && { sets }) }));
  return recordings;
}

/** The same question may be in two sets, and with a split by family on two sides: the test keeps it. */
function keepApart(opened: readonly RecordedSet[]): RecordedSet[] {
  const hashed = opened.map(({ splits: { train, validation, test } }) => ({
    train: train.map((task) => ({ task, hash: promptHash(task) })),
    validation: validation.map((task) => ({ task, hash: promptHash(task) })),
    test: test.map((task) => promptHash(task)),
  }));
  const tested = new Set(hashed.flatMap(({ test }) => test));
  const validated = new Set(hashed.flatMap(({ validation }) => validation.map(({ hash }) => hash)));
  return opened.map((each, i) => {
    const { train, validation } = hashed[i]!;
    const kept = train.filter(({ hash }) => !tested.has(hash) && !validated.has(hash));
    if (kept.length === 0)
      throw usageError(`All training tasks of "${each.set}" are test or validation tasks of another set`);
    return {
      ...each,
      splits: {
        train: kept.map(({ task }) => task),
        validation: validation.filter(({ hash }) => !tested.has(hash)).map(({ task }) => task),
        test: each.splits.test,
      },
    };
  });
}
