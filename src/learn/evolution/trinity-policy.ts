// TRINITY's policy as evolution searches it: the head and the numbers of the belief as one vector, begun where nothing is
// learned and everything is looked ahead.

import { hashSeed } from "../../base/random.ts";
import { NO_RECORD } from "../../belief/track-record.ts";
import { saveTrinity, type TrinityCard } from "../../conductor/trinity/checkpoint.ts";
import { openTrinity } from "../../conductor/trinity/open.ts";
import {
  createStartPolicy,
  FEATURES,
  fromVector,
  toScales,
  toVector,
} from "../../conductor/trinity/policy.ts";
import { createTrinityConductor } from "../../conductor/trinity/trinity.ts";
import type { Conductor } from "../../conductor/types.ts";
import type { World } from "../../world/types.ts";
import { toFrontValue } from "./exact-replay.ts";
import type { SearchedPolicy } from "./types.ts";

export interface TrinityPolicyOptions {
  /** Its name and splits are for the card; recordings have no hand-offs. */
  world: Pick<World, "name" | "isSimulated" | "splitBy">;
  hasRoles: boolean;
  /** Replies of a run at the most. */
  turns: number;
  /** Of the card: what a call costs where nobody says otherwise, where a right answer is worth 1. */
  costPerCall: number;
  /** For the card. */
  seed: number;
  command: string;
}

/**
 * What stays as it is without roles: numbers that mean nothing there, and whatever is added to an ask's worth instead of
 * scaling its gain. An addend acts like a price that nobody can turn off, and then the same weights no longer serve the
 * whole front.
 */
const OF_ROLES =
  /^(ask|probability|behind|seconds|stop|thinker|verifier|sees|again|planned|sensitivity|specificity|judgement|followed)/;

/** A new policy: exactly looking ahead. */
export function openTrinityPolicy(options: TrinityPolicyOptions): SearchedPolicy {
  const { world, hasRoles, turns: maxTurns, costPerCall } = options;
  const costOf = (task: string | undefined) => costPerCall * sampleCost(task);
  const start = toVector(createStartPolicy());
  return {
    size: start.length,
    head: FEATURES.length,
    start,
    scales: toScales(hasRoles ? undefined : (name) => !OF_ROLES.test(name)),
    rounds: maxTurns + 1,
    costPerCall: ({ task }) => costOf(task.id),
    conductor: (vector, { explore, force, onChoice } = {}) => {
      const identity = { kind: "custom" as const, id: "trinity in training" };
      const base = { policy: fromVector(vector), hasRoles, maxTurns, explore, force, onChoice };
      const byFactor = new Map(
        FACTORS.map((factor) => [
          factor,
          createTrinityConductor(identity, { ...base, costPerCall: costPerCall * factor }),
        ]),
      );
      return {
        identity,
        rounds: maxTurns + 1,
        compose: (request, signal) => byFactor.get(sampleCost(request.task.id))!.compose(request, signal),
      };
    },
    evaluate: hasRoles
      ? undefined
      : (vector, questions) => toFrontValue(questions, { policy: fromVector(vector), hasRoles, maxTurns }),
    save: (folder, vector, { iterations, runs, validation, algorithm }) =>
      saveTrinity(folder, fromVector(vector), {
        ...{ name: hasRoles ? "trinity-roles" : "trinity", hasRoles, maxTurns, costPerCall },
        training: toTraining(options, iterations, algorithm),
        about: {
          runs,
          splitBy: world.splitBy ?? "prompt",
          splitSeed: 0,
          validation: { accuracy: validation.accuracy, calls: validation.calls, tasks: validation.tasks },
        },
      }),
  };
}

/** Every question has a price of its own while it is trained on: the same weights then serve the whole front. */
const FACTORS: readonly number[] = [0.1, 0.3, 1, 3];

function sampleCost(task: string | undefined): number {
  return FACTORS[hashSeed("cost", task ?? "") % FACTORS.length]!;
}

/** What was saved, greedy, with the rounds of its card. */
export async function openTrinityCheckpoint(
  folder: string,
): Promise<{ conductor: Conductor; rounds: number }> {
  const conductor = openTrinity(folder, { memory: { record: NO_RECORD } });
  return { conductor, rounds: conductor.card.maxTurns + 1 };
}

function toTraining(
  { world, seed, command }: TrinityPolicyOptions,
  iterations: number,
  algorithm: string,
): TrinityCard["training"] {
  const date = new Date().toISOString().slice(0, 10);
  return { world: world.name, isSimulated: world.isSimulated, command, seed, iterations, algorithm, date };
}
