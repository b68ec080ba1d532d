// Where Tutti keeps its own files, and what it takes the environment for. The environment is always a
// parameter, so that tests and programs decide what is seen.

import { homedir } from "node:os";
import { join, resolve } from "node:path";

export type Environment = Readonly<Record<string, string | undefined>>;

export function toTuttiHome(env: Environment): string {
  return env.TUTTI_HOME || join(homedir(), ".tutti");
}

/** The journal's file, or "memory" for none. */
export function toStorePath(store: string | undefined, env: Environment): string {
  if (store === "memory") return store;
  if (store === undefined) return join(toTuttiHome(env), "journal.db");
  return store.startsWith("~/") ? join(homedir(), store.slice(2)) : resolve(store);
}
