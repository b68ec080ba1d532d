// Keys that were made before there was a Postgres: those of keys.json go on being good in the service. Once they are there they
// are changed there; the file is left as it is and is not read any more.

import type { Environment } from "../../config/home.ts";
import { type GatewayKey, readKeyFile } from "../access/key-file.ts";
import { toKeyFile } from "../access/keys.ts";
import type { KeyTable } from "./key-table.ts";

/** Into a service that has never had a key, so that a gateway that was closed does not open by moving. */
export async function takeOverFirst(
  table: KeyTable,
  env: Environment,
  onNotice: (text: string) => void,
): Promise<void> {
  if (table.current().length > 0) return;
  const taken = await takeOver(table, env, { onlyFirst: true });
  if (taken.length > 0)
    onNotice(
      `The keys of ${toKeyFile(env)} (${taken.length}) are in Postgres now. Change them there: tutti keys --postgres`,
    );
}

/** Returns those that were not there. */
export async function takeOver(
  table: KeyTable,
  env: Environment,
  options?: { onlyFirst?: boolean },
): Promise<GatewayKey[]> {
  const keys = readKeyFile(toKeyFile(env));
  return keys.length === 0 ? [] : table.takeOver(keys, options);
}
