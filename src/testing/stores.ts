// Every store, for suites that hold for all of them.

import { join } from "node:path";
import { createMemoryStore } from "../store/memory.ts";
import { openSqliteStore } from "../store/sqlite/store.ts";
import type { Store } from "../store/types.ts";

type Open = (folder: string, now?: () => number) => Promise<Store>;

export const STORES: [name: string, open: Open][] = [
  ["memory", async (_, now) => createMemoryStore({ now })],
  ["sqlite", (folder, now) => openSqliteStore(join(folder, "journal.db"), { now })],
];
