// --postgres of the verbs that have it: the address given with it, or the one of the environment. An address may hold a password,
// which no config may: it is put where whoever opens the journal looks for it.

import { usageError } from "../base/errors.ts";
import { type Environment, isPostgresAddress, POSTGRES_VARIABLE } from "../config/home.ts";

/** With an address, without one, or not at all. */
export type PostgresFlag = string | true | undefined;

export function withAddress(env: Environment, postgres: PostgresFlag): Environment {
  if (typeof postgres !== "string") return env;
  if (isPostgresAddress(postgres)) return { ...env, [POSTGRES_VARIABLE]: postgres };
  throw usageError("--postgres must be an address like postgres://user@host/database");
}
