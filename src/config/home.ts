// Where Tutti keeps its own files, and what it takes the environment for. The environment is always a
// parameter, so that tests and programs decide what is seen.

import { chmodSync, readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { usageError } from "../base/errors.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Of a name that a config chooses: "constructor" is no variable, though every object answers to it. */
export function readVariable(env: Environment, name: string): string | undefined {
  return Object.hasOwn(env, name) ? env[name] : undefined;
}

export function toTuttiHome(env: Environment): string {
  return env.TUTTI_HOME || join(homedir(), ".tutti");
}

/** The address of a journal in Postgres. It may hold a password, so it has no place in a config. */
export const POSTGRES_VARIABLE = "TUTTI_POSTGRES_URL";

/** The journal's file, the address of its Postgres, or "memory" for none. */
export function toStorePath(store: string | undefined, env: Environment): string {
  if (store === "memory" || (store !== undefined && isPostgresAddress(store))) return store;
  if (store === "postgres") {
    const address = readVariable(env, POSTGRES_VARIABLE);
    if (address && isPostgresAddress(address)) return address;
    const example = `export ${POSTGRES_VARIABLE}=postgres://user:password@host:5432/database`;
    throw usageError(
      `The journal is in Postgres, and ${POSTGRES_VARIABLE} does not say where. Set it: ${example}`,
    );
  }
  if (store === undefined) return join(toTuttiHome(env), "journal.db");
  return store.startsWith("~/") ? join(homedir(), store.slice(2)) : resolve(store);
}

/** Of `--postgres [url]`, where it is not the journal that is meant. */
export function toPostgresAddress(given: string | true, env: Environment): string {
  const address = given === true ? readVariable(env, POSTGRES_VARIABLE) : given;
  const example = "postgres://user:password@host:5432/database";
  if (address && isPostgresAddress(address)) return address;
  // What was given may hold a password, so it is not repeated.
  if (given !== true) throw usageError(`--postgres must be an address like ${example}`);
  throw usageError(
    `--postgres needs an address, and ${POSTGRES_VARIABLE} does not say one. Set it: export ${POSTGRES_VARIABLE}=${example}`,
  );
}

export function isPostgresAddress(store: string): boolean {
  return /^postgres(ql)?:\/\//.test(store);
}

/** The journal's file; undefined where it is none of this machine's. */
export function toStoreFile(store: string | undefined, env: Environment): string | undefined {
  const path = toStorePath(store, env);
  return path === "memory" || isPostgresAddress(path) ? undefined : path;
}

/** What Tutti puts into its home, with what SQLite and locks put beside it. */
const OWN =
  /^\.?(journal\.db|keys\.json|trusted\.json|models-cache\.json|calibration$|trainings$|rl$|bench$|workflows$)/;

/**
 * Homes of earlier versions may be open to other users. Returns what was done, once: afterwards it is closed. A
 * TUTTI_HOME that holds anything else is somebody's decision, and left as it is.
 */
export function closeHome(env: Environment): string | undefined {
  const home = toTuttiHome(env);
  try {
    const { mode, uid } = statSync(home);
    if (process.getuid?.() !== uid || (mode & 0o077) === 0) return undefined;
    const names = readdirSync(home);
    const isOurs = names.length > 0 && names.every((name) => OWN.test(name));
    if (env.TUTTI_HOME && !isOurs) return undefined;
    chmodSync(home, mode & 0o700);
    return `Closed ${home} to other users of this machine: it holds what was asked and answered.`;
  } catch {
    return undefined; // there is none yet, or this system has no such modes
  }
}
