// All baselines by name, in the order results show them. `single:<worker>` is made on demand, and
// the oracle (`oracle.ts`) by the bench, which alone has the outcomes.

import { usageError } from "../base/errors.ts";
import { askUntilSure } from "./ask-until-sure.ts";
import { cascade } from "./cascade.ts";
import { lookupCategory, lookupFamily } from "./lookup.ts";
import { neighbours, neighboursVote3, neighboursVote5 } from "./neighbours.ts";
import { randomWorkflow } from "./random-workflow.ts";
import { router } from "./router.ts";
import { bestSingle, createSingle, randomWorker, SINGLE } from "./single.ts";
import { allOneWorker, mixtureOfAgents, mixtureOfAgents8, selfReflection } from "./teams.ts";
import type { Baseline } from "./types.ts";
import { selfConsistency, vote3, vote5, voteAll } from "./vote.ts";

export const BASELINES: readonly Baseline[] = [
  randomWorker,
  randomWorkflow,
  bestSingle,
  lookupCategory,
  lookupFamily,
  neighbours,
  router,
  vote3,
  vote5,
  voteAll,
  neighboursVote3,
  neighboursVote5,
  cascade,
  askUntilSure,
  allOneWorker,
  selfConsistency,
  selfReflection,
  mixtureOfAgents,
  mixtureOfAgents8,
];

export function findBaseline(id: string): Baseline {
  const found = BASELINES.find((baseline) => baseline.id === id);
  if (found) return found;
  if (id.startsWith(SINGLE) && id.length > SINGLE.length) return createSingle(id.slice(SINGLE.length));
  const known = BASELINES.map((baseline) => baseline.id).join(", ");
  throw usageError(`No baseline "${id}" (there are: ${known}, ${SINGLE}<worker>)`);
}
