// Opens the store that a config or a flag names: "memory", the address of a Postgres database, or the path of a journal file.

import { createMemoryStore } from "./memory.ts";
import { openSqliteStore } from "./sqlite/store.ts";
import type { Store } from "./types.ts";

/** `onWaiting` hears that a database is waited for. */
export async function openStore(location: string, onWaiting?: (text: string) => void): Promise<Store> {
  if (location === "memory") return createMemoryStore();
  if (!/^postgres(ql)?:\/\//.test(location)) return await openSqliteStore(location);
  const { openPostgresStore } = await import("./postgres/store.ts");
  return await openPostgresStore(location, { onWaiting });
}
