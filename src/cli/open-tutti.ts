// The library as the command uses it: with the config file of this folder and the environment of the process.

import { loadConfig } from "../config/load.ts";
import { createTutti, type Tutti } from "../tutti/tutti.ts";

export interface OpenOptions {
  /** Of --config; otherwise the one in this folder, if there is any. */
  file?: string;
  onNotice?: (text: string) => void;
}

export async function openTutti({ file, onNotice }: OpenOptions): Promise<Tutti> {
  const { config } = await loadConfig({ cwd: process.cwd(), file });
  return createTutti(config, { env: process.env, onNotice });
}
