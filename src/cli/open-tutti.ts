// The library as the command uses it: with the config file of this folder and the environment of the process.

import { createTutti, type Tutti } from "../tutti/tutti.ts";
import { openConfig } from "./open-config.ts";

export interface OpenOptions {
  /** Of --config; otherwise the one in this folder, if there is any. */
  file?: string;
  /** Says less of the config: see `openConfig`. */
  isQuiet?: boolean;
  onNotice?: (text: string) => void;
}

export async function openTutti({ file, isQuiet, onNotice }: OpenOptions): Promise<Tutti> {
  const { config } = await openConfig({ file, isQuiet });
  return createTutti(config, { env: process.env, onNotice });
}
