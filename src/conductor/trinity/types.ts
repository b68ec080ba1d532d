// TRINITY: a Conductor that decides after every reply. It writes no text. At each turn it lists what could be done (stop with
// the likeliest answer; ask a worker in a role), describes each option by features, and a linear head chooses.

import type { TrackRecord } from "../../belief/track-record.ts";
import type { TurnRole } from "../../belief/types.ts";

/** What could be done at a turn. */
export type TurnOption =
  /** The answer is the likeliest one so far, or what a Verifier accepted. */
  | { type: "stop"; features: Float64Array }
  /** `sees`: the worker is shown what was said so far; otherwise it is an independent voice. */
  | { type: "ask"; worker: number; role: TurnRole; sees: boolean; features: Float64Array };

/** A decision as whoever learns from it needs it: what was on offer, by features, and what was taken. */
export interface TurnChoice {
  options: readonly TurnOption[];
  taken: number;
}

/** What the policy is: the head, and numbers of the belief it stands on. One flat vector for whoever searches. */
export interface TrinityPolicy {
  /** One weight per feature (FEATURES in features.ts). */
  head: Float64Array;
  /** Numbers of the belief: BELIEF in policy.ts says which. */
  belief: Float64Array;
}

export interface TrinityOptions {
  policy: TrinityPolicy;
  /** Thinker, Worker, Verifier; false: everybody is asked for an answer, alone. */
  hasRoles: boolean;
  /** Replies at the most. */
  maxTurns: number;
  /** Cost per call in probability of a right answer: the price knob. Defaults to the card's. */
  costPerCall: number;
  /** Instead of, or beside, the cost per call: of a dollar. */
  costPerUsd?: number;
  /** Of a second of waiting: above 0, several may be asked at once. */
  costPerSecond?: number;
  /** What workers did since they were measured; shared by the runs of whoever keeps it. Absent: nothing is remembered. */
  memory?: { record: TrackRecord };
  /** In training: choices are sampled from a softmax instead of taking the best. */
  explore?: { temperature: number; seed: number };
  /** In training: at this turn (rounds before it) this option is taken, whatever the head says. */
  force?: { turn: number; option: number };
  /** In training: told every choice. */
  onChoice?(choice: TurnChoice): void;
}
