// What a Conductor that goes round by round knows: who has been asked so far and what they said.
// Here are also the ways to end: with the reply that won the vote, whichever round it is from.

import type { ComposedRound } from "../conductor/types.ts";
import { countVotes, type Vote } from "../worker/consensus.ts";
import type { Decision } from "../workflow/types.ts";

export interface AskedWorkers {
  round: number;
  step: number;
  worker: number;
  /** Empty where the step failed. */
  reply: string;
  /** The weight of this vote. */
  success: number;
}

/** All replies of all rounds, in time. */
export function toAsked(rounds: readonly ComposedRound[], weights: ArrayLike<number>): AskedWorkers[] {
  return rounds.flatMap(({ workflow, replies }, round) =>
    workflow.steps.map(({ worker }, step) => ({
      round,
      step,
      worker,
      reply: replies[step] ?? "",
      success: weights[worker] ?? 0,
    })),
  );
}

export function acceptWinner(asked: readonly AskedWorkers[]): Decision {
  const count = countVotes(asked);
  return count ? acceptVote(asked, count.best) : { type: "accept" };
}

/** `vote` was counted among these replies. */
export function acceptVote(asked: readonly AskedWorkers[], { position }: Vote): Decision {
  const { round, step } = asked[position]!;
  return { type: "accept", round, step };
}

/** The first who were not asked yet, in this order, as far as the limit of asks allows. */
export function nextToAsk(
  order: readonly number[],
  asked: readonly AskedWorkers[],
  limit: number,
): number | undefined {
  if (asked.length >= limit) return undefined;
  return order.find((worker) => asked.every((each) => each.worker !== worker));
}
