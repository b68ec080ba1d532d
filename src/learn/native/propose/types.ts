// Who proposes better instructions, and what they are shown. A chat model of the pool does it on live tasks, edits by rule
// in a simulation; what comes of it is decided by reward alone (compete.ts).

import type { Random } from "../../../base/random.ts";
import type { Instruction, Wording } from "../../../instruction/types.ts";
import type { Question } from "../../../world/types.ts";
import type { Asking } from "../../types.ts";

export type { ProposalMemory } from "./memory.ts";

/** A step that was told the instruction in a plan whose answer was wrong. */
export interface Failure {
  question: Question;
  told: string;
  reply: string;
}

export interface ProposalRequest {
  parent: Instruction;
  /** Of its plans, some whose answer was wrong; at least one. */
  failures: readonly Failure[];
  /** English sentences that were proposed in its place before, and earned nothing. */
  tried: readonly string[];
  random: Random;
  seed: number;
}

/** `by`: a model's id, or a rule that is said to be simulated. */
export type Proposed = { by: string; costUsd: number } & (
  | { type: "sentences"; text: Wording }
  | { type: "refused"; why: string }
);

export interface Proposer {
  /** Whom it asks, it asks by rollouts: they are paid, kept and bounded like all others. */
  propose(request: ProposalRequest): Asking<Proposed>;
}
