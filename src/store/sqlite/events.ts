// The table of events in the journal file. All events of a run in one append share a row (a list in JSON when
// there are several), because a row costs more than an event: the gateway's relay appends whole runs.

import { parseRow, toJson } from "../event-rows.ts";
import type { RunEvent } from "../types.ts";
import { withoutContent } from "../without-content.ts";
import type { Database } from "./file.ts";

export interface EventTable {
  insert(runId: string, json: string): void;
  /** Throws "journal-damaged" for a torn row. */
  load(runId: string): RunEvent[];
  /** False when there was nothing. What was said is overwritten in the file, not only unlinked. */
  strip(runId: string): boolean;
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
