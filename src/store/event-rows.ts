// Events as rows of a journal: what one append writes for one run, and back. Shared by the stores that keep text.

import { TuttiError } from "../base/errors.ts";
import { type SummaryChange, toSummaryChange } from "./summary.ts";
import type { RunEvent } from "./types.ts";
import { toKept, upgradeEvent } from "./upgrade.ts";

/** What one append writes for one run. */
export interface AppendedRow {
  runId: string;
  json: string;
  change: SummaryChange;
}

/** One for each run, in the order in which the runs first appear: a nested run's head comes before it. */
export function toRows(events: readonly RunEvent[]): AppendedRow[] {
  const byRun = new Map<string, RunEvent[]>();
  for (const event of events) {
    const kept = toKept(event);
    if (!kept) continue;
    const others = byRun.get(kept.runId);
    if (others) others.push(kept);
    else byRun.set(kept.runId, [kept]);
  }
  return Array.from(byRun, ([runId, kept]) => ({ runId, json: toJson(kept), change: toSummaryChange(kept) }));
}

export function toJson(events: readonly RunEvent[]): string {
  return JSON.stringify(events.length === 1 ? events[0] : events);
}

/** Throws "journal-damaged" for a torn row. `where`: for people. */
export function parseRow(json: string, where: string): RunEvent[] {
  try {
    const value = JSON.parse(json) as RunEvent | RunEvent[];
    return (Array.isArray(value) ? value : [value]).map(upgradeEvent);
  } catch (error) {
    const message = `${where} is damaged and cannot be read. Delete this run; others are not affected.`;
    throw new TuttiError("journal-damaged", message, { cause: error });
  }
}
