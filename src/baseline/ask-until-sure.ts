// One after the other, the best by the neighbours first, until it is sure enough that the answer in
// front is right, or five were asked. An easy question costs one call, a disputed one five.

import { countVotes, type VoteCount } from "../worker/consensus.ts";
import { acceptVote, acceptWinner, nextToAsk, toAsked } from "./asked.ts";
import { createDecider, perform, solve } from "./decide.ts";
import { fitNeighbours } from "./neighbours.ts";
import { lessDollars, orderBy, requireCallsUsd } from "./strength.ts";
import { type Baseline, toPointName } from "./types.ts";

const MOST_ASKS = 5;
const SURE = 0.85;
/** The probability that two who are wrong say the same: models share their mistakes. */
const SAME_MISTAKE = 0.25;

function createAskUntilSure(costPerUsd: number): Baseline {
  const id = toPointName("ask-until-sure", costPerUsd);
  return {
    id,
    summary: "asks one by one, best neighbours first, until the vote is sure enough, at most five",
    needsHandOffs: false,
    comparesReplies: true,
    rounds: MOST_ASKS + 1,
    fit(context) {
      const { strength, estimate } = fitNeighbours(context);
      const callsUsd = requireCallsUsd(context.pool, context.training, costPerUsd);
      return createDecider(id, ({ task, rounds, pool }) => {
        const estimates = estimate(task);
        const asked = toAsked(rounds, estimates, pool);
        const count = countVotes(asked);
        const sure = count ? sureness(count) : 0;
        if (count && sure >= SURE) return acceptVote(asked, count.best);
        const worth = lessDollars(estimates, callsUsd, costPerUsd);
        const next = nextToAsk(orderBy(strength.order, worth), asked, MOST_ASKS);
        // One more ask can at most make it quite sure: what costs more than that is not worth it.
        const isTooDear = count && next !== undefined && costPerUsd * callsUsd[next]! > 1 - sure;
        return next === undefined || isTooDear ? acceptWinner(asked) : perform([solve(next)]);
      });
    },
    atPrice: createAskUntilSure,
  };
}

export const askUntilSure = createAskUntilSure(0);

/**
 * The probability that the winner is right, if each voter is right with its weight and mistakes are
 * independent but for a fixed probability to coincide. They are not, so it is a measure, not a promise.
 */
function sureness({ groups, winner }: VoteCount): number {
  let all = likelihood(groups, undefined);
  for (const right of groups) all += likelihood(groups, right);
  return likelihood(groups, winner) / all;
}

/** Of these votes, if `right` is the right answer; if undefined, nobody said it. */
function likelihood(groups: VoteCount["groups"], right: VoteCount["winner"] | undefined): number {
  let product = 1;
  for (const votes of groups) {
    for (const [i, { weight }] of votes.entries()) {
      if (votes === right) product *= weight;
      else product *= (1 - weight) * (i === 0 ? 1 : SAME_MISTAKE);
    }
  }
  return product;
}
