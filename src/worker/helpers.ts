// Workers that any pool may have beside its models, by their ids. No data leaves through them: they combine replies,
// or conduct the same pool again.

import { createConsensusWorker } from "./consensus.ts";
import { createSelfWorker } from "./self.ts";
import type { PoolMember } from "./types.ts";

const HELPERS = {
  consensus: (): PoolMember => ({ worker: createConsensusWorker(), price: { inputUsd: 0, outputUsd: 0 } }),
  self: (): PoolMember => ({ worker: createSelfWorker() }),
};

export type HelperId = keyof typeof HELPERS;
export const HELPER_IDS = Object.keys(HELPERS) as HelperId[];

export function isHelperId(id: string): id is HelperId {
  return Object.hasOwn(HELPERS, id);
}

export function createHelper(id: HelperId): PoolMember {
  return HELPERS[id]();
}
