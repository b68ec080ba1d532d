// From a recording to what protocols are made of: tasks with the scores and dollars of each worker, as arrays.

import { usageError } from "../../base/errors.ts";
import { toSeries } from "../../base/format.ts";
import { meanOf } from "../../base/statistics.ts";
import type { TrainingTask } from "../../baseline/types.ts";
import { loadRecording } from "../../recording/load.ts";
import { readProtocolFields, readRewordings } from "../../recording/protocol-fields.ts";
import { createRecordedPool } from "../../recording/replay.ts";
import type { Recording } from "../../recording/types.ts";
import type { GradedTask } from "../../task/types.ts";
import type { Pool } from "../../worker/types.ts";
import { createRecordedSet, type RecordedOutcomes, readScores } from "../../world/sets.ts";
import type { ProtocolMaterial, ProtocolName, RouterContext } from "./types.ts";

export async function openMaterial(folder: string): Promise<ProtocolMaterial> {
  const recording = await loadRecording(folder);
  const [fields, rewordings] = [await readProtocolFields(folder), await readRewordings(folder)];
  return { recording, fields, rewordings };
}

/** Workers that answered every task of every one of these sets. */
export function workersOfAll(recording: Recording, sets: readonly string[]): string[] {
  const [first = [], ...others] = sets.map((set) => recording.workersOf(set));
  return first.filter((id) => others.every((ids) => ids.includes(id)));
}

/** The workers as a pool, without a vote: nobody here asks more than one. */
export function poolOf(recording: Recording, set: string, workers: readonly string[]): Pool {
  return createRecordedPool(recording, set, { workers: [...workers] });
}

/** Training tasks of one set or of several. */
export function toTraining(recording: Recording, tasks: readonly GradedTask[], pool: Pool): TrainingTask[] {
  return readScores(tasks, pool, createRecordedSet(recording, tasks[0]!.set) as RecordedOutcomes);
}

/** Score of a worker on a task, 0..1: the mean over its samples. */
export function scoreOf(recording: Recording): RouterContext["scoreOf"] {
  return (task, worker) => meanOf(recording.outcomesOf(task, worker).map(({ score }) => score));
}

/** What a recording must have, or the command ends with all that is missing. */
export function requireAll(
  protocol: ProtocolName,
  recording: Recording,
  needs: readonly [isThere: boolean, what: string][],
): void {
  const missing = needs.filter(([isThere]) => !isThere).map(([, what]) => what);
  if (missing.length === 0) return;
  throw usageError(`${recording.folder} cannot be measured as ${protocol}: it lacks ${toSeries(missing)}`);
}
