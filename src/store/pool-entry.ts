// A worker as it is journaled: what explains a bill later, without what asks.

import type { PoolMember } from "../worker/types.ts";
import type { PoolEntry } from "./types.ts";

export function toPoolEntry({ worker, price, profile, maxOutputTokens }: PoolMember): PoolEntry {
  const { id, kind, isSimulated } = worker;
  return { id, kind, isSimulated, price, profile, maxOutputTokens };
}
