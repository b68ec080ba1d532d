// A worker as it is journaled: what explains a bill later, without what asks.

import type { PoolMember } from "../worker/types.ts";
import type { PoolEntry } from "./types.ts";

export function toPoolEntry({ worker, price, profile, maxOutputTokens }: PoolMember): PoolEntry {
  return {
    id: worker.id,
    kind: worker.kind,
    ...(price && { price }),
    ...(profile && { profile }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
  };
}
