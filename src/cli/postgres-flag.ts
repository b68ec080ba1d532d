// --postgres of the verbs that have it: the address given with it, or the one of the environment. An address may hold a password,
// which no config may: it is put where whoever opens the journal looks for it.

import { usageError } from "../base/errors.ts";
import { shorten } from "../base/format.ts";
import { type Environment, isPostgresAddress, POSTGRES_VARIABLE } from "../config/home.ts";

/** With an address, without one, or not at all. */
export type PostgresFlag = string | true | undefined;

/** What was given may hold a password all the same. */
function toShown(given: string): string {
  return /[@:]/.test(given) ? "this one" : `"${shorten(given, 40)}"`;
}

export function withAddress(env: Environment, postgres: PostgresFlag): Environment {
  if (typeof postgres !== "string") return env;
  if (isPostgresAddress(postgres)) return { ...env, [POSTGRES_VARIABLE]: postgres };
  const remedy = `Without an address write it last, and say it in ${POSTGRES_VARIABLE}.`;
  throw usageError(
    `--postgres must be an address like postgres://user@host/database, not ${toShown(postgres)}. ${remedy}`,
  );
}
