// What an access list lets a step see. Pure: for the performer, for whoever draws a workflow, for the dashboard.

import type { Access } from "./types.ts";

/** The earlier steps of its own workflow that the step at `position` may see. */
export function toPositions(access: Access, position: number): number[] {
  return typeof access === "string" ? Array.from({ length: position }, (_, i) => i) : access;
}

/** From which round on a step of `round` sees all steps; the round itself where it sees none before it. */
export function firstRoundSeen(access: Access, round: number): number {
  if (access === "all-rounds") return 0;
  return access === "all" ? Math.max(0, round - 1) : round;
}
