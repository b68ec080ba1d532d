// Who answers what an agent asks beside its work: the cheapest that can, and nobody plans.

import { createSingleConductor } from "../conductor/single.ts";
import { describeTurn } from "../trajectory/describe.ts";
import { findSideShape } from "../trajectory/side-request.ts";
import { isModel, numbersOf } from "../worker/kinds.ts";
import { estimateInputTokens, usualUsd } from "../worker/price.ts";
import type { Pool } from "../worker/types.ts";
import type { ChooseOptions, Chosen } from "./conductors.ts";
import { rankPlanners } from "./planners.ts";

/** Undefined: it may be work, or no price is known. A simulated pool knows its own questions only. */
export function chooseForSide(pool: Pool, { task, kind, isAvailable }: ChooseOptions): Chosen | undefined {
  if (kind === "rehearsal" || !task || pool.members.length < 2) return undefined;
  const shape = findSideShape(task);
  if (shape === undefined) return undefined;
  const input = estimateInputTokens(task.messages);
  const usdOf = (number: number) => usualUsd(pool.members[number]!, input);
  const [worker] = numbersOf(pool, isModel)
    .filter(
      (number) => usdOf(number) !== undefined && isAvailable?.(pool.members[number]!.worker.id) !== false,
    )
    .filter((number) => (pool.members[number]!.contextTokens ?? Number.POSITIVE_INFINITY) > input)
    .sort((a, b) => usdOf(a)! - usdOf(b)!);
  if (worker === undefined) return undefined;
  const [usual] = rankPlanners(pool, { isAvailable });
  const usualNumber = pool.members.indexOf(usual!);
  const side = {
    kind: "side-request" as const,
    shape,
    worker,
    usd: usdOf(worker),
    usualUsd: usualNumber < 0 ? undefined : usdOf(usualNumber),
  };
  const nameOf = (number: number) => pool.members[number]!.worker.id;
  return { conductor: createSingleConductor(nameOf(worker)), reason: describeTurn(side, nameOf), side };
}
