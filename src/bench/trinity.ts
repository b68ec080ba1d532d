// TRINITY as a contender: trained weights, or looking ahead without any training. Both read profiles for the question, which
// come from the train split, as everything that is measured here does.

import { requireCallsUsd } from "../baseline/strength.ts";
import type { Baseline } from "../baseline/types.ts";
import { NO_RECORD } from "../belief/track-record.ts";
import { openTrinity } from "../conductor/trinity/open.ts";
import { createStartPolicy } from "../conductor/trinity/policy.ts";
import { createTrinityConductor } from "../conductor/trinity/trinity.ts";
import type { WorldSet } from "../world/types.ts";
import { onlyRecorded, toTrainedOn } from "./native.ts";

const LOOK_AHEAD = { maxTurns: 6, costPerCall: 0.01 };

export interface TrinityContenderOptions {
  /** What its rows are called: "trinity", "trinity@0.02", "trinity:FOLDER". */
  id: string;
  folder: string;
  /** The price knob; defaults to the card's. */
  costPerCall?: number;
  costPerUsd?: number;
  set: Pick<WorldSet, "kind" | "id" | "recorded" | "hasReplies">;
}

/** Throws "bad-checkpoint" where the folder holds none that can be read. */
export function createTrinityContender(options: TrinityContenderOptions): Baseline {
  const { id, folder, costPerCall, costPerUsd, set } = options;
  const trinity = openTrinity(folder, { costPerCall, costPerUsd, memory: { record: NO_RECORD } });
  const { card } = trinity;
  return {
    id,
    summary: `decides in turns, trained: ${card.training.world}`,
    needsHandOffs: card.hasRoles,
    rounds: card.maxTurns + 1,
    readsProfiles: true,
    trainedOn: toTrainedOn(card, set),
    fit({ pool, training }) {
      requireCallsUsd(pool, training, costPerUsd ?? 0);
      return set.recorded ? onlyRecorded(trinity, { ...set, recorded: set.recorded }) : trinity;
    },
    // Dollars take the place of calls: both together would pay twice.
    atPrice: (other) =>
      createTrinityContender({ ...options, id: `${id}@${other}/usd`, costPerCall: 0, costPerUsd: other }),
  };
}

/** The same belief and look-ahead, with a head that nobody has trained. */
export function createLookAhead(id: string, costPerCall = LOOK_AHEAD.costPerCall, costPerUsd = 0): Baseline {
  const { maxTurns } = LOOK_AHEAD;
  return {
    id,
    summary: "asks in turns whoever is worth the call by looking ahead; nothing is trained",
    needsHandOffs: false,
    rounds: maxTurns + 1,
    readsProfiles: true,
    fit({ pool, training }) {
      requireCallsUsd(pool, training, costPerUsd);
      return createTrinityConductor(
        { kind: "custom", id },
        { policy: createStartPolicy(), hasRoles: false, maxTurns, costPerCall, costPerUsd },
      );
    },
    atPrice: (other) => createLookAhead(`${id}@${other}/usd`, 0, other),
  };
}
