// Shadow runs: requests of the gateway that were asked once more, of somebody else, to compare (gateway/shadow/). What they
// take is on a reserved key, so that it has a budget and a line of the bill like any key's, and no client's key finds them.

import { createHash } from "node:crypto";

/** Ids of real keys begin with "key_" (gateway/access/key-file.ts). */
export const SHADOW_KEY_ID = "shadow";

/** A run has one shadow at the most, found by its id alone: whoever deletes the run deletes both. */
export function toShadowId(runId: string): string {
  return `r_${createHash("sha256").update(`shadow ${runId}`).digest("hex").slice(0, 20)}`;
}
