// A worker as it is journaled: what explains a bill later, without what asks.

import type { PoolMember } from "../worker/types.ts";
import type { PoolEntry } from "./types.ts";

export function toPoolEntry(member: PoolMember): PoolEntry {
  const { worker, price, profile, maxOutputTokens, contextTokens } = member;
  const { id, kind, isSimulated } = worker;
  const entry = { id, kind, isSimulated, price, profile, maxOutputTokens };
  return contextTokens === undefined ? entry : { ...entry, contextTokens };
}
