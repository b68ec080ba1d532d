// Asking several at once: where waiting costs, the one who would probably be asked next anyway is asked now. It is worth it
// when the delay that is saved, times the probability that the ask follows, is more than the price of an ask in vain.

import { valueAsks } from "../../belief/look-ahead.ts";
import { bestMass, hear, totalMass } from "../../belief/posterior.ts";
import { DEPTH, priceOf, secondsOf, type TurnContext, type WeighedOption, WIDTH } from "./options.ts";
import type { TurnOption } from "./types.ts";

type Ask = Extract<TurnOption, { type: "ask" }>;

/** Who is asked beside the taken option: nobody, or one. Only Workers asked alone; everybody else waits for what is said. */
export function askTogether(context: TurnContext, weighed: readonly WeighedOption[], taken: number): Ask[] {
  const { transcript, options, left, pool } = context;
  const { costPerSecond = 0 } = options;
  const first = weighed[taken]!.option;
  if (costPerSecond <= 0 || left < 2 || !isAlone(first)) return [];
  const others = weighed.flatMap(({ option }) => (option !== first && isAlone(option) ? [option] : []));
  const [next] = others;
  if (!next || transcript.turns.length + 2 > options.maxTurns) return [];
  const follows = probabilityOfAsking(context, first, others);
  const saved = Math.min(secondsOf(pool.members[first.worker]!), secondsOf(pool.members[next.worker]!));
  const inVain = (1 - follows) * priceOf(context, next.worker);
  return follows * costPerSecond * saved > inVain ? [next] : [];
}

/** That one more ask is worth its price after whatever the first one says. */
function probabilityOfAsking(context: TurnContext, first: Ask, others: readonly Ask[]): number {
  const { prior, transcript, left } = context;
  const { posterior } = transcript;
  const candidates = others.map(({ worker }) => ({
    worker,
    curve: prior.curveOf(worker),
    price: priceOf(context, worker),
  }));
  const { dependence } = prior;
  const looking = { dependence, depth: Math.min(DEPTH, left - 1), width: WIDTH };
  let asks = 0;
  for (let group = 0; group <= posterior.groups.length; group++) {
    const after = hear(posterior, first.worker, prior.curveOf(first.worker), group, dependence);
    const mass = totalMass(after.mass);
    const [best] = valueAsks(after, candidates, looking);
    if (best && best.value - best.candidate.price > bestMass(after) / mass) asks += mass;
  }
  return asks / totalMass(posterior.mass);
}

function isAlone(option: TurnOption): option is Ask {
  return option.type === "ask" && option.role === "worker" && !option.sees;
}
