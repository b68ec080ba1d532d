// Waves: the steps of a workflow that may run at the same time. A step waits only for the steps it may see,
// and the last step also waits for all others, because its reply is the answer and it must not be given
// before the team has finished. The paper runs all steps in sequence; what each of them sees is the same.

import type { Access, Workflow } from "./types.ts";

/** For each step the positions it waits for, in order. */
export function toDependencies(workflow: Workflow): number[][] {
  const { steps } = workflow;
  return steps.map(({ access }, position) => {
    if (position === steps.length - 1) return toPositions("all", position);
    return [...new Set(toPositions(access, position))].sort((a, b) => a - b);
  });
}

/** The positions that can run at the same time, wave after wave. */
export function toWaves(workflow: Workflow): number[][] {
  const waves: number[][] = [];
  const waveOf: number[] = [];
  for (const [position, dependencies] of toDependencies(workflow).entries()) {
    const wave = dependencies.reduce((latest, seen) => Math.max(latest, waveOf[seen]! + 1), 0);
    waveOf.push(wave);
    waves[wave] ??= [];
    waves[wave].push(position);
  }
  return waves;
}

// ---- Access --------------------------------------------------------------------------------------

// What an access list lets a step see. Pure: for the performer, for whoever draws a workflow, for the dashboard.

/** The earlier steps of its own workflow that the step at `position` may see. */
export function toPositions(access: Access, position: number): number[] {
  return typeof access === "string" ? Array.from({ length: position }, (_, i) => i) : access;
}

/** From which round on a step of `round` sees all steps; the round itself where it sees none before it. */
export function firstRoundSeen(access: Access, round: number): number {
  if (access === "all-rounds") return 0;
  return access === "all" ? Math.max(0, round - 1) : round;
}
