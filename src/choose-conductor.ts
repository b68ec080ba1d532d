// Which Conductor when: the one that was named; in the rehearsal the scripted planner; on a live pool
// a prompted one, planned by the strongest of the cheap workers. The trace says which one and why.

import { createPromptedConductor } from "./conductor/prompted.ts";
import type { Conductor } from "./conductor/types.ts";
import { type ResolvedPool, resolveModel } from "./config/pool.ts";
import { usageError } from "./errors.ts";
import { strongestFirst } from "./worker/strength.ts";
import type { Pool, PoolMember } from "./worker/types.ts";

export interface Chosen {
  conductor: Conductor;
  reason: string;
}

export async function chooseConductor(
  wanted: string | Conductor | undefined,
  pool: Pool,
  kind: ResolvedPool["kind"],
  options: { showNames: boolean; env: Record<string, string | undefined> },
): Promise<Chosen> {
  if (typeof wanted === "object") return { conductor: wanted, reason: "given in code" };
  if (wanted === "scripted-planner" || (wanted === undefined && kind === "rehearsal")) {
    const { createScriptedPlanner } = await import("./rehearsal/scripted-planner.ts");
    const reason = wanted ? "named" : "the pool is the rehearsal, and no trained Conductor is there yet";
    return { conductor: createScriptedPlanner(), reason };
  }
  if (wanted !== undefined && wanted !== "prompted") {
    const member = pool.members.find(({ worker }) => worker.id === wanted && worker.kind === "model");
    const planner = member ?? (await resolvePlanner(wanted, pool, options.env));
    return { conductor: createPromptedConductor(planner, options), reason: "named" };
  }
  const planner = strongestCheap(pool);
  if (!planner)
    throw usageError("The pool has no model that could plan. Name one with --conductor provider/model.");
  return {
    conductor: createPromptedConductor(planner, options),
    reason: `${wanted ? "named; " : ""}${planner.worker.id} is the strongest of the cheaper half of the pool`,
  };
}

async function resolvePlanner(
  wanted: string,
  pool: Pool,
  env: Record<string, string | undefined>,
): Promise<PoolMember> {
  if (wanted.includes("/")) return resolveModel(wanted, { env });
  const ids = pool.members.filter(({ worker }) => worker.kind === "model").map(({ worker }) => worker.id);
  throw usageError(
    `No Conductor "${wanted}" (there are: prompted, scripted-planner, ${ids.join(", ")}, or any provider/model).`,
  );
}

/** A plan is short and decides much: not the dearest model, and not the weakest. */
function strongestCheap({ members }: Pool): PoolMember | undefined {
  const order = strongestFirst(members.map(({ worker, profile }) => ({ kind: worker.kind, profile })));
  const priceOf = (number: number) => members[number]!.price?.outputUsd ?? Number.POSITIVE_INFINITY;
  const prices = order.map(priceOf).sort((a, b) => a - b);
  const median = prices[Math.floor((prices.length - 1) / 2)] ?? 0;
  const chosen = order.find((number) => priceOf(number) <= median);
  return chosen === undefined ? undefined : members[chosen];
}
