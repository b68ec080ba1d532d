// A TRINITY Conductor from trained weights: those that come with the package, or a folder.

import { usageError } from "../../base/errors.ts";
import { NO_RECORD, type TrackRecord } from "../../belief/track-record.ts";
import { findShipped, toCheckpointName } from "../native/shipped.ts";
import type { Conductor } from "../types.ts";
import { isTrinity, loadTrinity, type TrinityCard } from "./checkpoint.ts";
import { createTrinityConductor } from "./trinity.ts";
import type { TrinityOptions } from "./types.ts";

export interface OpenTrinityOptions {
  /** The price knob; defaults to the card's. */
  costPerCall?: number;
  costPerUsd?: number;
  costPerSecond?: number;
  /** What workers did since they were measured; by default one that all of this process share, by weights. */
  memory?: TrinityOptions["memory"];
}

/** By digest of the weights. Covered: a process. Not covered: its restart, after which everybody is believed again. */
const memories = new Map<string, { record: TrackRecord }>();

function memoryOf(digest: string): { record: TrackRecord } {
  const known = memories.get(digest) ?? { record: NO_RECORD };
  memories.set(digest, known);
  return known;
}

export interface TrinityConductor extends Conductor {
  readonly card: TrinityCard;
}

/** Throws "bad-checkpoint" where the folder holds none that can be read. */
export function openTrinity(folder: string, given: OpenTrinityOptions = {}): TrinityConductor {
  const { card, policy, digest } = loadTrinity(folder);
  const { hasRoles, maxTurns } = card;
  const identity = {
    kind: "trinity" as const,
    checkpoint: toCheckpointName(folder),
    digest,
    costPerCall: given.costPerUsd === undefined ? given.costPerCall : undefined,
    costPerUsd: given.costPerUsd,
  };
  const { memory = memoryOf(digest) } = given;
  const options = {
    ...given,
    memory,
    policy,
    hasRoles,
    maxTurns,
    costPerCall: given.costPerCall ?? card.costPerCall,
  };
  return { ...createTrinityConductor(identity, options), card };
}

/** The shipped one for such a pool: simulated workers take roles, recorded and live ones are asked alone. */
export function findTrinityFor(kind: "rehearsal" | "recording" | "live"): string | undefined {
  return findShipped(kind === "rehearsal" ? "trinity-rehearsal" : "trinity");
}

/** By its shipped name or folder; undefined: the shipped one for such a pool. */
export function findTrinity(named: string | undefined, kind: "rehearsal" | "recording" | "live"): string {
  const folder = named === undefined ? findTrinityFor(kind) : (findShipped(named) ?? named);
  if (folder === undefined)
    throw usageError(
      `No trained TRINITY for a ${kind} pool comes with this package: train one with tutti train trinity, and name its folder as trinity:FOLDER.`,
    );
  if (named !== undefined && !isTrinity(folder)) loadTrinity(folder);
  return folder;
}
