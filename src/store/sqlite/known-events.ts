// Events of runs that were read lately, so that a run that goes on is not read anew from its beginning: agents come back
// with every result of a tool. Which rows a run has is asked each time, so what another process wrote, stripped or
// deleted is seen. Bounded; the oldest are forgotten.

import type { RunEvent } from "../types.ts";

/** By what it is seen that the rows of a run are still those that were read, and perhaps more behind them. */
export interface RunRows {
  /** Numbers of the first and the last row. */
  first: number;
  last: number;
  /** What was said was taken out: the rows are others then, though their numbers may be the same. */
  stripped: number | null;
}

export interface KnownEvents extends RunRows {
  events: RunEvent[];
  /** Characters of their JSON. */
  size: number;
}

const MOST_RUNS = 64;
const MOST_CHARACTERS = 16_000_000;

export function createKnownEvents() {
  const known = new Map<string, KnownEvents>();
  let size = 0;

  function forget(runId: string): void {
    size -= known.get(runId)?.size ?? 0;
    known.delete(runId);
  }

  return {
    forget,
    has: (runId: string): boolean => known.has(runId),
    /** Undefined where the run's rows are not those that were read, and more behind them. */
    find(runId: string, { first, last, stripped }: RunRows): KnownEvents | undefined {
      const found = known.get(runId);
      const isSame = found?.first === first && found.stripped === stripped;
      return isSame && found.last <= last ? found : undefined;
    },
    keep(runId: string, read: KnownEvents): void {
      forget(runId);
      if (read.size > MOST_CHARACTERS) return;
      known.set(runId, read);
      size += read.size;
      while (known.size > MOST_RUNS || size > MOST_CHARACTERS) forget(known.keys().next().value!);
    },
  };
}
