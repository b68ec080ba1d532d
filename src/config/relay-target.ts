// Where a worker's model really stands, for whoever passes requests through to it. Apart from the pool's
// members, because those are journaled and shown, and this holds the key: nothing that walks over the
// fields of a worker can find it here.

import type { ProviderProtocol } from "../worker/models.ts";
import type { Price, Worker } from "../worker/types.ts";

export interface RelayTarget {
  provider: string;
  protocol: ProviderProtocol;
  /** Without a slash at the end, and with the version: "https://api.openai.com/v1". */
  baseUrl: string;
  /** As the provider calls it. */
  model: string;
  /** Absent for servers that want none. */
  apiKey?: string;
  price?: Price;
}

const targets = new WeakMap<Worker, RelayTarget>();

export function rememberTarget(worker: Worker, target: RelayTarget): void {
  targets.set(worker, target);
}

/** Undefined for workers that are no model behind an address: simulated ones, tools, objects made in code. */
export function relayTargetOf(worker: Worker): RelayTarget | undefined {
  return targets.get(worker);
}
