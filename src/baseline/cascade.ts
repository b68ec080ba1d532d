// Cheap first: two cheap workers are asked, and where they agree that is the answer. Where they do
// not, the strongest one not yet asked is asked too, until two say the same or five were asked.

import { countVotes } from "../worker/consensus.ts";
import { usualUsd } from "../worker/price.ts";
import type { Pool } from "../worker/types.ts";
import { acceptVote, acceptWinner, nextToAsk, toAsked } from "./asked.ts";
import { createDecider, perform, solve } from "./decide.ts";
import { measureWorth } from "./strength.ts";
import { type Baseline, toPointName } from "./types.ts";

const AT_ONCE = 2;
const MOST_ASKS = 5;

function createCascade(costPerUsd: number): Baseline {
  const id = toPointName("cascade", costPerUsd);
  return {
    id,
    summary: "asks two cheap workers; while nobody agrees, the strongest one left, at most five",
    needsHandOffs: false,
    comparesReplies: true,
    // Two at once, three alone, and the round that accepts.
    rounds: MOST_ASKS - AT_ONCE + 2,
    fit({ pool, training }) {
      const { order, rates } = measureWorth(pool, training, costPerUsd);
      const first = perform(
        cheapFirst(pool, order)
          .slice(0, AT_ONCE)
          .map((worker) => solve(worker)),
      );
      return createDecider(id, ({ rounds, pool: asks }) => {
        if (rounds.length === 0) return first;
        const asked = toAsked(rounds, rates, asks);
        const agreed = countVotes(asked)?.groups.find((votes) => votes.length > 1);
        // They say the same; the stronger one's words are passed on.
        if (agreed)
          return acceptVote(
            asked,
            agreed.reduce((a, b) => (b.weight > a.weight ? b : a)),
          );
        const next = nextToAsk(order, asked, MOST_ASKS);
        return next === undefined ? acceptWinner(asked) : perform([solve(next)]);
      });
    },
    atPrice: createCascade,
  };
}

/** At a price the one that is worth most takes the place of the strongest. */
export const cascade = createCascade(0);

/** By what an ask usually costs, of which the reply is most; equal prices leave the stronger one first. */
function cheapFirst({ members }: Pool, order: readonly number[]): number[] {
  // Of an unknown price it cannot be said that it is cheap.
  const priceOf = (worker: number) => usualUsd(members[worker]!, 0) ?? Number.MAX_VALUE;
  return [...order].sort((a, b) => priceOf(a) - priceOf(b));
}
