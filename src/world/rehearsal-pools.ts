// Pools of simulated workers with measured profiles, for training and for tests with teams never met.
// Profiles count as fitting: only tasks of the train split stand behind them, so that no question of a
// validation or test split has been seen by anybody.

import { TuttiError, usageError } from "../base/errors.ts";
import { createRandom, hashSeed } from "../base/random.ts";
import { createProfiler } from "../calibration/profiler.ts";
import type { Calibration } from "../calibration/types.ts";
import { createLiar, type LiarKind, type Lying } from "../rehearsal/liars.ts";
import { PLAYERS, type Player } from "../rehearsal/players.ts";
import { measureProfiles, rehearsalCalibration } from "../rehearsal/profiles.ts";
import { createStrangers, findStranger } from "../rehearsal/strangers.ts";
import { createRehearsalWorker } from "../rehearsal/workers.ts";
import { isModel } from "../worker/kinds.ts";
import type { Pool, PoolMember, Topic, Worker, WorkerRequest } from "../worker/types.ts";
import { splitOf } from "./split.ts";

/** Strangers of this seed sit in the pools of the training, and nowhere else. */
const TRAINING_SEED = 1;
/** Strangers for tests have seeds from here on, so that none of them was ever trained with. */
const UNSEEN_SEEDS = 1_000_000;
/** Of a pool of strangers in a test. */
const TEAM = 7;
const CALIBRATION_TASKS = 60;
/** Of its questions, where a worker lies at random. */
const LYING_SHARE = 0.5;

/** A pool with what its workers were measured on: `createProfiler(pool.calibration)` profiles it by question. */
export interface CalibratedPlayers extends Pool {
  calibration: Calibration;
}

export function trainingStrangers(count: number): Player[] {
  return createStrangers(count, TRAINING_SEED);
}

/** Pools of seven strangers each, without `consensus`. No training has met any of them. */
export function createUnseenPools(
  count: number,
  seed: number,
  calibrationTasks = CALIBRATION_TASKS,
): CalibratedPlayers[] {
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw usageError(`Unseen pools need a seed that is a whole number from 0, not ${seed}`);
  return toPools(createStrangers(count * TEAM, UNSEEN_SEEDS + seed), calibrationTasks);
}

/** The same with strangers of the training: what differs from unseen pools is only that these were met. */
export function createMetPools(count: number, calibrationTasks = CALIBRATION_TASKS): CalibratedPlayers[] {
  return toPools(trainingStrangers(count * TEAM), calibrationTasks);
}

function toPools(strangers: readonly Player[], calibrationTasks: number): CalibratedPlayers[] {
  return Array.from({ length: strangers.length / TEAM }, (_, number) =>
    calibratePlayers(strangers.slice(number * TEAM, (number + 1) * TEAM), calibrationTasks),
  );
}

/** In the order of the players, at once and without delays, measured on about so many tasks a topic. */
export function calibratePlayers(players: readonly Player[], tasksPerTopic: number): CalibratedPlayers {
  // Half of all questions are of the train split.
  const asked = 2 * tasksPerTopic;
  const calibration = keepTraining(rehearsalCalibration(asked, players), tasksPerTopic);
  const measured = measureProfiles(asked, players);
  const members = players.map((player): PoolMember => {
    const profile = measured.get(player.id);
    return {
      worker: { ...createRehearsalWorker(player, 0), isInstant: true },
      price: player.price,
      profile,
      source: "rehearsal (simulated)",
    };
  });
  // What was measured on all questions is replaced here by what was measured on those of the train split.
  return { ...createProfiler(calibration).poolFor({ members }, ""), calibration };
}

function keepTraining(calibration: Calibration, tasksPerTopic: number): Calibration {
  const { tasks, scores } = calibration;
  const kept = [...tasks.keys()].filter((number) => splitOf({ prompt: tasks[number]!.text }) === "train");
  return {
    ...calibration,
    tasks: kept.map((number) => tasks[number]!),
    scores: kept.map((number) => scores[number]!),
    source: `simulated, about ${tasksPerTopic} training tasks a topic`,
  };
}

/** The same pool, in which the workers of these numbers have turned. Their profiles stay what they were. */
export function withLiars<Kind extends Pool>(
  pool: Kind,
  which: readonly number[],
  lying: Lying = { kind: "always" },
): Kind {
  const members = [...pool.members];
  for (const number of which) {
    const member = members[number];
    if (!member) throw usageError(`No worker ${number} in a pool of ${members.length} can lie`);
    members[number] = toLiar(member, lying);
  }
  return { ...pool, members };
}

/** By the worker it is made of: the pools of all questions must have the very same workers. */
const alone = new WeakMap<Worker, Worker>();

/** The same pool, whose models refuse to be shown replies of others, as recorded ones do. */
export function withoutHandOffs({ members }: Pool): Pool {
  return {
    members: members.map((member) =>
      isModel(member.worker) ? { ...member, worker: toAlone(member.worker) } : member,
    ),
  };
}

function toAlone(worker: Worker): Worker {
  const made = alone.get(worker) ?? {
    ...worker,
    refusesHandOffs: true,
    async *ask(request: WorkerRequest, signal: AbortSignal) {
      if (request.brief && request.brief.visible.length > 0)
        throw new TuttiError(
          "handoff-not-recorded",
          `Worker "${worker.id}" answers alone here: it is shown no replies of others`,
        );
      yield* worker.ask(request, signal);
    },
  };
  alone.set(worker, made);
  return made;
}

export interface LiarOptions {
  /** How many of the models turn: sampled. */
  count: number;
  kind: LiarKind;
  seed: number;
}

/** A change for a pool and for any other with the same members in the same order, whatever profiles they have. */
export interface Turn {
  /** Ids of those who lie. */
  liars: string[];
  turn(pool: Pool): Pool;
}

export function createTurn({ members }: Pool, { count, kind, seed }: LiarOptions): Turn {
  const models = [...members.keys()].filter((number) => isModel(members[number]!.worker));
  if (!(Number.isInteger(count) && count >= 1 && count <= models.length))
    throw usageError(`There can be 1 to ${models.length} liars in a pool of ${models.length}, not ${count}`);
  const which = createRandom(hashSeed("liars", seed)).shuffle(models).slice(0, count);
  const lies = which.map((number) => ({ number, lying: toLying(kind, members[number]!) }));
  return {
    liars: which.map((number) => members[number]!.worker.id),
    turn: (pool) => lies.reduce((turned, { number, lying }) => withLiars(turned, [number], lying), pool),
  };
}

/** Lies that somebody who only knows the profile suspects least: half of them, or where the worker is best. */
function toLying(kind: LiarKind, { worker, profile }: PoolMember): Lying {
  switch (kind) {
    case "random":
      return { kind, probability: LYING_SHARE };
    case "topic": {
      const topics = Object.entries(profile?.topics ?? {}) as [Topic, number][];
      if (topics.length === 0)
        throw usageError(`Worker "${worker.id}" has no measured topic that it could lie about`);
      return { kind, topic: topics.reduce((best, each) => (each[1] > best[1] ? each : best))[0] };
    }
    default:
      return { kind };
  }
}

/** By id and way of lying: the pools of all questions must have the very same workers. */
const liars = new Map<string, PoolMember["worker"]>();

function toLiar(member: PoolMember, lying: Lying): PoolMember {
  const { id } = member.worker;
  const key = JSON.stringify([id, lying]);
  let worker = liars.get(key);
  if (!worker) {
    const player = PLAYERS.find((each) => each.id === id) ?? findStranger(id);
    if (!player) throw usageError(`Worker "${id}" cannot lie: only simulated workers of the rehearsal can`);
    worker = { ...createLiar(player, 0, lying), isInstant: true };
    liars.set(key, worker);
  }
  return { ...member, worker };
}
