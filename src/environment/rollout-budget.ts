// Money for rollouts: so much in all and so much a day. Days are those of the world's clock (UTC). What was
// spent is read from the kept replies, so a restart does not begin to count anew.

import { AskBudget, Ledger } from "../perform/ledger.ts";
import { toDay } from "../world/live/reply-cache.ts";

export interface RolloutBudgetOptions {
  /** `Infinity` is no limit. */
  totalUsd: number;
  dailyUsd: number;
  spentUsd: number;
  spentOn: (day: string) => number;
  now: () => number;
}

/** What it says of budget and spending is in all. A reply after midnight is paid by the day it was asked on. */
export function createRolloutBudget(options: RolloutBudgetOptions): AskBudget {
  const { totalUsd, dailyUsd, spentUsd, spentOn, now } = options;
  const total = new Ledger(totalUsd, spentUsd);
  const openDay = (name: string) => ({ name, ledger: new Ledger(dailyUsd, spentOn(name)) });
  let day = openDay(toDay(now()));
  return new AskBudget(() => {
    const name = toDay(now());
    if (name !== day.name) day = openDay(name);
    return [total, day.ledger];
  });
}
