// Which workers a run may ask: those of the config, those a caller names, or a pool of the caller's own; under a dollar
// budget without those whose price nobody knows.

import { usageError } from "../base/errors.ts";
import type { Environment } from "../config/home.ts";
import { type ResolvedPool, resolvePool } from "../config/pool.ts";
import type { TuttiConfig } from "../config/schema.ts";
import { isModel } from "../worker/kinds.ts";
import type { Pool, PoolMember } from "../worker/types.ts";

/** Looking for workers means probing local ports and reading model lists: once a minute is enough. */
const POOL_MS = 60_000;

type FoundPool = Pick<ResolvedPool, "pool" | "kind" | "poolFor">;

export interface PoolFinder {
  /** All, or those that a selector names. */
  find(selector?: string | string[]): Promise<ResolvedPool>;
  /** `isPriced`: workers of unknown price are left out, and it is said. */
  toPool(wanted: string | string[] | Pool | undefined, isPriced: boolean): Promise<FoundPool>;
}

export function createPoolFinder(
  config: TuttiConfig,
  env: Environment,
  notice: (text: string | undefined) => void,
): PoolFinder {
  const resolved = new Map<string, { at: number; found: Promise<ResolvedPool> }>();

  function find(selector?: string | string[]): Promise<ResolvedPool> {
    const key = JSON.stringify(selector ?? null);
    const known = resolved.get(key);
    if (known && Date.now() - known.at < POOL_MS) return known.found;
    const found = resolvePool(config, { env, selector });
    resolved.set(key, { at: Date.now(), found });
    found.catch(() => resolved.delete(key));
    return found;
  }

  async function findWanted(wanted: string | string[] | Pool | undefined): Promise<FoundPool> {
    if (typeof wanted === "object" && !Array.isArray(wanted)) return { pool: wanted, kind: "config" };
    const found = await find(wanted);
    for (const text of [found.notice, ...found.warnings]) notice(text);
    return found;
  }

  return {
    find,
    async toPool(wanted, isPriced) {
      const found = await findWanted(wanted);
      const unknown = isPriced ? unpricedIn(found.pool.members) : [];
      if (unknown.length === 0) return found;
      const members = found.pool.members.filter((member) => !unknown.includes(member));
      if (!members.some(({ worker }) => isModel(worker))) throw usageError(unknownPrice(unknown));
      notice(`${unknownPrice(unknown)} Left out for now.`);
      return { ...found, pool: { members } };
    },
  };
}

export function unpricedIn(members: PoolMember[]): PoolMember[] {
  return members.filter(({ worker, price }) => isModel(worker) && price === undefined);
}

export function unknownPrice(members: PoolMember[]): string {
  const ids = [...new Set(members.map(({ worker }) => worker.id))].join(", ");
  const remedy = "Give it a price in the config, allow unknown prices, or ask without a dollar budget.";
  return `The price of ${ids} is unknown, so a dollar budget cannot be kept. ${remedy}`;
}
