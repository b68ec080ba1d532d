// Pools of simulated workers with measured profiles, for training and for tests with teams never met.
// Profiles count as fitting: only tasks of the train split stand behind them, so that no question of a
// validation or test split has been seen by anybody.

import { usageError } from "../base/errors.ts";
import { createProfiler } from "../calibration/profiler.ts";
import type { Calibration } from "../calibration/types.ts";
import { createLiar } from "../rehearsal/liars.ts";
import { PLAYERS, type Player } from "../rehearsal/players.ts";
import { measureProfiles, rehearsalCalibration } from "../rehearsal/profiles.ts";
import { createStrangers, findStranger } from "../rehearsal/strangers.ts";
import { createRehearsalWorker } from "../rehearsal/workers.ts";
import type { Pool, PoolMember } from "../worker/types.ts";
import { splitOf } from "./split.ts";

/** Strangers of this seed sit in the pools of the training, and nowhere else. */
const TRAINING_SEED = 1;
/** Strangers for tests have seeds from here on, so that none of them was ever trained with. */
const UNSEEN_SEEDS = 1_000_000;
/** Of a pool of strangers in a test. */
const TEAM = 7;
const CALIBRATION_TASKS = 60;

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
export function withLiars<Kind extends Pool>(pool: Kind, which: readonly number[]): Kind {
  const members = [...pool.members];
  for (const number of which) {
    const member = members[number];
    if (!member) throw usageError(`No worker ${number} in a pool of ${members.length} can lie`);
    members[number] = toLiar(member);
  }
  return { ...pool, members };
}

const liars = new Map<string, PoolMember["worker"]>();

function toLiar(member: PoolMember): PoolMember {
  const { id } = member.worker;
  let worker = liars.get(id);
  if (!worker) {
    const player = PLAYERS.find((each) => each.id === id) ?? findStranger(id);
    if (!player) throw usageError(`Worker "${id}" cannot lie: only simulated workers of the rehearsal can`);
    worker = { ...createLiar(player, 0), isInstant: true };
    liars.set(id, worker);
  }
  return { ...member, worker };
}
