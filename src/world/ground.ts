// Where Conductors are measured: a recording, tasks with a live pool, or the rehearsal. The same few
// things are needed of each; how a recording replays and how the rehearsal is simulated is known here only.

import type { Run } from "../perform/run.ts";
import { loadRecording } from "../recording/load.ts";
import { createRecordedPool, gradeRecorded } from "../recording/replay.ts";
import { type Recording, RIGHT } from "../recording/types.ts";
import { createRehearsalPool } from "../rehearsal/pool.ts";
import { createRehearsalGrader, rehearsalTaskSet } from "../rehearsal/task-set.ts";
import type { Grade, GradedTask, Grader, TaskSet } from "../task/types.ts";
import { findConsensus } from "../worker/consensus.ts";
import { createHelper } from "../worker/helpers.ts";
import { nests } from "../worker/kinds.ts";
import type { Pool, PoolMember } from "../worker/types.ts";

export interface Ground {
  kind: "recording" | "tasks" | "rehearsal";
  set: string;
  /** For people: the folder or file, or that it is simulated. */
  source: string;
  tasks: readonly GradedTask[];
  pool: Pool;
  grade(task: GradedTask, run: Run, signal: AbortSignal): Grade | Promise<Grade>;
  /** Nothing takes time: workers are recorded or simulated. */
  isInstant: boolean;
  /** How long a step takes, where the clock cannot tell. */
  delayOf?: (task: GradedTask, step: Run["steps"][number]) => number;
  /** How often a worker can be asked the same of every task. */
  samplesOf(worker: string): number;
  /** Right or wrong, 0..1, of a worker's samples, known without asking. Absent: somebody must be asked. */
  recorded?: (task: string, worker: string) => readonly number[];
}

export interface RecordingGroundOptions {
  folder: string;
  /** In this order; by default all that the folder holds. */
  sets?: readonly string[];
  /** By default those that answered every task of the set. */
  workers?: readonly string[];
}

/** One for each set: a set has its own workers, and is split and fitted on its own. */
export async function openRecording({ folder, sets, workers }: RecordingGroundOptions): Promise<Ground[]> {
  const recording = await loadRecording(folder, { ...(sets && { sets: [...new Set(sets)] }) });
  return recording.sets.map(({ id }) => toRecordedGround(recording, id, workers));
}

export function toRecordedGround(recording: Recording, set: string, workers?: readonly string[]): Ground {
  const tasks = recording.tasksOf(set);
  return {
    kind: "recording",
    set,
    source: recording.folder,
    tasks,
    pool: withConsensus(createRecordedPool(recording, set, { ...(workers && { workers: [...workers] }) })),
    grade: (task, run) => gradeRecorded(recording, task, run),
    isInstant: true,
    delayOf: ({ id }, { workerId }) => recording.outcomesOf(id, workerId)[0]?.durationMs ?? 0,
    samplesOf: (worker) =>
      tasks.reduce((fewest, { id }) => Math.min(fewest, recording.outcomesOf(id, worker).length), Infinity),
    recorded: (task, worker) =>
      recording.outcomesOf(task, worker).map(({ score }) => (score >= RIGHT ? 1 : 0)),
  };
}

export function openTasks({ id, tasks, source }: TaskSet, pool: Pool, grader: Grader): Ground {
  return {
    kind: "tasks",
    set: id,
    source,
    tasks,
    pool: withConsensus(pool),
    grade: (task, { answer }, signal) => grader.grade(task, answer, signal),
    isInstant: false,
    samplesOf: () => Infinity,
  };
}

/** Simulated tasks and workers, without their delays: those are told from the profiles, in simulated time. */
export function openRehearsal(count: number, seed: number): Ground {
  const pool = createRehearsalPool({ delayScale: 0 });
  const delays = new Map(pool.members.map(({ worker, profile }) => [worker.id, profile?.delayMs ?? 0]));
  return {
    ...openTasks(rehearsalTaskSet({ count, seed }), pool, createRehearsalGrader()),
    kind: "rehearsal",
    isInstant: true,
    delayOf: (_, { workerId }) => delays.get(workerId) ?? 0,
  };
}

/** `self` nests runs of its own, which a measurement of one Conductor must not; a vote is always there. */
export function withConsensus({ members }: Pool): Pool {
  const kept: PoolMember[] = members.filter(({ worker }) => !nests(worker));
  if (findConsensus(kept) < 0) kept.push(createHelper("consensus"));
  return { members: kept };
}
