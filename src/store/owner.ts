// Who performs a run, and whether that process still lives. A claim is alive while its heartbeat is fresh
// and, on this host, its process exists: after a kill the run can be claimed at once.
// Not covered: hosts of the same name with processes of their own (containers told to share a name), and
// clocks of several hosts that differ by more than the heartbeat allows.

import { hostname } from "node:os";
import { TuttiError } from "../base/errors.ts";
import { isProcessAlive } from "../files/claim-file.ts";
import type { Owner } from "./types.ts";

/** The driver claims again every five seconds. */
export const CLAIM_MS = 15_000;

export interface Claim extends Owner {
  heartbeatAt: number;
}

export function isAlive(claim: Claim, now: number): boolean {
  if (now - claim.heartbeatAt >= CLAIM_MS) return false;
  return claim.host !== hostname() || isProcessAlive(claim.pid);
}

/**
 * Whether this process holds the living claim of a run: its reservation is not lost then, though it has not been heard of for as
 * long, and its money is still being spent.
 */
export function isPerforming(
  { pid, host }: Pick<Owner, "pid" | "host">,
  claim: Claim | undefined,
  now: number,
): boolean {
  return claim !== undefined && claim.pid === pid && claim.host === host && isAlive(claim, now);
}

/** Deleting a run, or its content, under the process that performs it would bring half of it back with the next event. */
export function runActiveError(id: string): TuttiError {
  return new TuttiError("run-active", `Run ${id} is being performed. Cancel it first, or wait for its end.`);
}
