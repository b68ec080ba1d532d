// What a Conductor that goes round by round knows: who has been asked so far and what they said.
// Here are also the ways to end: with the reply that won the vote, whichever round it is from.

import { shiftProbability, toVoteShift } from "../belief/reply-reading.ts";
import type { ComposedRound } from "../conductor/types.ts";
import { countVotes, type Vote } from "../worker/consensus.ts";
import type { Pool } from "../worker/types.ts";
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

/** All replies of all rounds, in time. `pool`: where its profiles say how replies are read, that moves the weights. */
export function toAsked(
  rounds: readonly ComposedRound[],
  weights: ArrayLike<number>,
  { members }: Pool = { members: [] },
): AskedWorkers[] {
  return rounds.flatMap(({ workflow, replies, features }, round) =>
    workflow.steps.map(({ worker }, step) => {
      const reply = replies[step] ?? "";
      const reading = members[worker]?.profile?.reading;
      const shift = toVoteShift(reading, { text: reply, features: features?.[step] });
      return { round, step, worker, reply, success: shiftProbability(weights[worker] ?? 0, shift) };
    }),
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
