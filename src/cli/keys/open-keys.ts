// Which keys a command is about: those of the file in TUTTI_HOME, or those of several gateways on one Postgres.

import { type Environment, POSTGRES_VARIABLE, readVariable, toStorePath } from "../../config/home.ts";
import { type KeyRing, openKeyRing } from "../../gateway/access/keys.ts";
import type { KeyTable } from "../../gateway/service/key-table.ts";
import type { CommonFlags } from "../options.ts";
import { type PostgresFlag, withAddress } from "../postgres-flag.ts";

export interface KeyFlags extends CommonFlags {
  postgres?: PostgresFlag;
}

export interface OpenedKeys {
  ring: KeyRing;
  /** Those of a service. */
  table?: KeyTable;
}

export async function withKeys<T>(flags: KeyFlags, work: (opened: OpenedKeys) => Promise<T>): Promise<T> {
  const env = toEnv(flags);
  if (!(await isInPostgres(flags, env))) return work({ ring: openKeyRing({ env }) });
  const [{ openServiceKeys }, { createKeyRing }] = await Promise.all([
    import("../../gateway/service/service.ts"),
    import("../../gateway/access/keys.ts"),
  ]);
  const { keys: table, connection } = await openServiceKeys(
    toStorePath("postgres", env),
    (text) => void process.stderr.write(`${text}\n`),
  );
  try {
    return await work({ ring: createKeyRing(table), table });
  } finally {
    await connection.close();
  }
}

export function toEnv({ postgres }: KeyFlags): Environment {
  return withAddress(process.env, postgres);
}

/** As the gateway itself would find it. No config is read where there is no address. */
async function isInPostgres({ postgres, config: file }: KeyFlags, env: Environment): Promise<boolean> {
  if (postgres !== undefined) return true;
  if (!readVariable(env, POSTGRES_VARIABLE)) return false;
  const { openConfig } = await import("../open-config.ts");
  const { config } = await openConfig({ file, isQuiet: true });
  if (config.store === "postgres") return true;
  process.stderr.write(`These are the keys of this machine. Those in ${POSTGRES_VARIABLE}: --postgres\n`);
  return false;
}
