// Opens the store that a config or a flag names: "memory", or the path of a journal file.

import { createMemoryStore } from "./memory.ts";
import { openSqliteStore } from "./sqlite/store.ts";
import type { Store } from "./types.ts";

export async function openStore(location: string): Promise<Store> {
  return location === "memory" ? createMemoryStore() : await openSqliteStore(location);
}
