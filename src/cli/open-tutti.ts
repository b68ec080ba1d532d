// The library as the command uses it: with the config file of this folder and the environment of the process.

import { POSTGRES_VARIABLE, readVariable } from "../config/home.ts";
import { createTutti, type Tutti } from "../tutti/tutti.ts";
import { openConfig } from "./open-config.ts";
import { type PostgresFlag, withAddress } from "./postgres-flag.ts";

export interface OpenOptions {
  /** Of --config; otherwise the one in this folder, if there is any. */
  file?: string;
  /** Says less of the config: see `openConfig`. */
  isQuiet?: boolean;
  onNotice?: (text: string) => void;
  /** Of --postgres: the journal is that of several gateways, whatever the config says. */
  postgres?: PostgresFlag;
  /** Says so where there is another journal that it could be about. */
  isOfThisMachine?: boolean;
}

export async function openTutti({
  file,
  isQuiet,
  onNotice,
  postgres,
  isOfThisMachine,
}: OpenOptions): Promise<Tutti> {
  const env = withAddress(process.env, postgres);
  const { config } = await openConfig({ file, isQuiet });
  if (
    isOfThisMachine &&
    postgres === undefined &&
    config.store !== "postgres" &&
    readVariable(env, POSTGRES_VARIABLE)
  )
    process.stderr.write(`This is the journal of this machine. That in ${POSTGRES_VARIABLE}: --postgres\n`);
  return createTutti(postgres === undefined ? config : { ...config, store: "postgres" }, { env, onNotice });
}
