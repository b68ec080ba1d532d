// The table of events in the journal file. All events of a run in one append share a row (a list in JSON when
// there are several), because a row costs more than an event: the gateway's relay appends whole runs.

import { TuttiError } from "../../base/errors.ts";
import { type SummaryChange, toSummaryChange } from "../summary.ts";
import type { RunEvent } from "../types.ts";
import { toKept, upgradeEvent } from "../upgrade.ts";
import { withoutContent } from "../without-content.ts";
import type { Database } from "./file.ts";

export interface EventTable {
  insert(runId: string, json: string): void;
  /** Throws "journal-damaged" for a torn row. */
  load(runId: string): RunEvent[];
  /** False when there was nothing. What was said is overwritten in the file, not only unlinked. */
  strip(runId: string): boolean;
}

/** What one append writes for one run. */
interface AppendedRow {
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

export function createEventTable(database: Database, file: string): EventTable {
  const insert = database.prepare("INSERT INTO events (run, json) VALUES (?, ?)");
  const select = database.prepare("SELECT json FROM events WHERE run = ? ORDER BY seq");
  const remove = database.prepare("DELETE FROM events WHERE run = ?");

  function load(runId: string): RunEvent[] {
    const events: RunEvent[] = [];
    for (const { json } of select.all(runId) as { json: string }[])
      events.push(...parseRow(json, `Event ${events.length} of run ${runId} in ${file}`));
    return events;
  }

  return {
    insert: (runId, json) => insert.run(runId, json),
    load,
    strip(runId) {
      const events = load(runId);
      if (events.length === 0) return false;
      remove.run(runId);
      const stripped = events.flatMap((event) => withoutContent(event) ?? []);
      if (stripped.length > 0) insert.run(runId, toJson(stripped));
      return true;
    },
  };
}

function toJson(events: readonly RunEvent[]): string {
  return JSON.stringify(events.length === 1 ? events[0] : events);
}

function parseRow(json: string, where: string): RunEvent[] {
  try {
    const value = JSON.parse(json) as RunEvent | RunEvent[];
    return (Array.isArray(value) ? value : [value]).map(upgradeEvent);
  } catch (error) {
    const message = `${where} is damaged and cannot be read. Delete this run; others are not affected.`;
    throw new TuttiError("journal-damaged", message, { cause: error });
  }
}
