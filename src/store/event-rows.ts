// Events as rows of a journal that keeps text: what one append writes for one run is one row.

import type { RunEvent } from "./types.ts";
import { toKept } from "./upgrade.ts";

/** By run, in the order in which the runs first appear: a nested run's head comes before it. What is kept nowhere is left out. */
export function groupByRun(events: readonly RunEvent[]): { runId: string; events: RunEvent[] }[] {
  const byRun = new Map<string, RunEvent[]>();
  for (const event of events) {
    const kept = toKept(event);
    if (!kept) continue;
    const others = byRun.get(kept.runId);
    if (others) others.push(kept);
    else byRun.set(kept.runId, [kept]);
  }
  return Array.from(byRun, ([runId, events]) => ({ runId, events }));
}

export function toJson(events: readonly RunEvent[]): string {
  return JSON.stringify(events.length === 1 ? events[0] : events);
}
