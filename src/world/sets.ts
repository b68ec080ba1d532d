// Sets of tasks with the pool that answers them and their grade: recorded, live, or simulated. How a recording
// replays and how the rehearsal is simulated is known here only.

import { labelAnswers } from "../answer/label.ts";
import { meanOf } from "../base/statistics.ts";
import type { TrainingTask } from "../baseline/types.ts";
import { charactersOf, costOfOutcome, measureWorkerCost, toRecordedCosts } from "../recording/costs.ts";
import { createRecordedPool, featuresOf, gradeRecorded } from "../recording/replay.ts";
import { type Recording, RIGHT } from "../recording/types.ts";
import { createRehearsalPool } from "../rehearsal/pool.ts";
import { createRehearsalGrader, rehearsalTaskSet } from "../rehearsal/task-set.ts";
import type { GradedTask, Grader, TaskSet } from "../task/types.ts";
import { findConsensus } from "../worker/consensus.ts";
import { createHelper, isModel, nests } from "../worker/kinds.ts";
import type { Pool } from "../worker/types.ts";
import { createTurn, type LiarOptions } from "./rehearsal-pools.ts";
import type { WorldSet } from "./types.ts";

/** `workers`: by default those that answered every task of the set. */
export function createRecordedSet(recording: Recording, id: string, workers?: readonly string[]): WorldSet {
  const tasks = recording.tasksOf(id);
  const ids = workers ?? recording.workersOf(id);
  const costs = new Map(ids.map((worker) => [worker, measureWorkerCost(recording, tasks, worker)]));
  const characters = new Map(tasks.map((task) => [task.id, charactersOf(task)]));
  return {
    kind: "recording",
    id,
    source: recording.folder,
    tasks,
    pool: withConsensus(createRecordedPool(recording, id, { workers: workers && [...workers], costs })),
    grade: (task, run) => gradeRecorded(recording, task, run),
    isInstant: true,
    delayOf: (task, { workerId }) => recording.outcomesOf(task.id, workerId)[0]?.durationMs ?? 0,
    samplesOf: (worker) =>
      tasks.reduce(
        (fewest, task) => Math.min(fewest, recording.outcomesOf(task.id, worker).length),
        Infinity,
      ),
    recorded: (task, worker) =>
      recording.outcomesOf(task, worker).map(({ score }) => (score >= RIGHT ? 1 : 0)),
    recordedAnswer: (task, worker) => recording.outcomesOf(task, worker)[0]?.answer ?? null,
    recordedFeatures: (task, worker) => {
      const [first] = recording.outcomesOf(task, worker);
      return first ? featuresOf(first) : null;
    },
    recordedCostUsd(task, worker) {
      const price = recording.prices.get(worker);
      const dollars = recording
        .outcomesOf(task, worker)
        .map((outcome) => costOfOutcome(outcome, characters.get(task) ?? 0, price).usd);
      return dollars.length > 0 && dollars.every((usd) => usd !== undefined) ? meanOf(dollars) : undefined;
    },
    costs: toRecordedCosts(costs),
    hasReplies: (task) => recording.hasReplies(task),
    withoutReplies: tasks.filter((task) => isRightWithoutReply(recording, task.id, ids)).length,
  };
}

/** Somebody was right, so that there was an answer; but nobody's was kept. */
function isRightWithoutReply(recording: Recording, task: string, workers: readonly string[]): boolean {
  if (recording.hasReplies(task)) return false;
  return workers.some((worker) => recording.outcomesOf(task, worker).some(({ score }) => score >= RIGHT));
}

export function createLiveSet({ id, tasks, source }: TaskSet, pool: Pool, grader: Grader): WorldSet {
  return {
    kind: "tasks",
    id,
    source,
    tasks,
    pool: withConsensus(pool),
    grade: (task, { answer }, signal) => grader.grade(task, answer, signal),
    isInstant: false,
    samplesOf: () => Infinity,
  };
}

export interface RehearsalSetOptions {
  /** So many questions are made. */
  count: number;
  seed: number;
  /** By default the seven players. `consensus` joins them. */
  pool?: Pool;
  /** Some of them lie, once they were measured. */
  liars?: Omit<LiarOptions, "seed">;
}

/** Simulated tasks and workers, without their delays: those are told from the profiles, in simulated time. */
export function createRehearsalSet({ count, seed, pool, liars }: RehearsalSetOptions): WorldSet {
  const { members } = pool ?? createRehearsalPool({ delayScale: 0 });
  const delays = new Map(members.map(({ worker, profile }) => [worker.id, profile?.delayMs ?? 0]));
  const set: WorldSet = {
    ...createLiveSet(rehearsalTaskSet({ count, seed }), { members }, createRehearsalGrader()),
    kind: "rehearsal",
    isInstant: true,
    delayOf: (_, { workerId }) => delays.get(workerId) ?? 0,
  };
  if (!liars) return set;
  const { turn, liars: ids } = createTurn(set.pool, { ...liars, seed });
  return { ...set, turn, source: `${set.source}, who lies (${liars.kind}): ${ids.join(", ")}` };
}

/** `self` nests runs of its own, which a measurement of one Conductor must not; a vote is always there. */
export function withConsensus({ members }: Pool): Pool {
  const kept = members.filter(({ worker }) => !nests(worker));
  if (findConsensus(kept) < 0) kept.push(createHelper("consensus"));
  return { members: kept };
}

export type RecordedOutcomes = Required<Pick<WorldSet, "recorded">> &
  Pick<WorldSet, "recordedAnswer" | "recordedFeatures" | "recordedCostUsd">;

/** Right or wrong per worker from the recording: the share of its samples that are right. And who agreed with whom. */
export function readScores(
  tasks: readonly GradedTask[],
  pool: Pool,
  { recorded, recordedAnswer, recordedFeatures, recordedCostUsd }: RecordedOutcomes,
): TrainingTask[] {
  return tasks.map((task) => {
    const scores = pool.members.map(({ worker }) => {
      const samples = isModel(worker) ? recorded(task.id, worker.id) : [];
      return samples.length === 0 ? undefined : meanOf(samples);
    });
    const answers =
      recordedAnswer &&
      labelAnswers(
        pool.members.map(({ worker }) => (isModel(worker) ? recordedAnswer(task.id, worker.id) : null)),
      );
    const replies =
      recordedFeatures &&
      pool.members.map(({ worker }) =>
        isModel(worker) ? (recordedFeatures(task.id, worker.id) ?? undefined) : undefined,
      );
    const costsUsd =
      recordedCostUsd &&
      pool.members.map(({ worker }) => (isModel(worker) ? recordedCostUsd(task.id, worker.id) : undefined));
    return { task, scores, answers, costsUsd, replies: replies?.some((each) => each) ? replies : undefined };
  });
}
