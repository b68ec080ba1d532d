// The table of events in the journal file. All events of a run in one append share a row (a list in JSON when
// there are several), because a row costs more than an event: the gateway's relay appends whole runs. Long conversations
// stand beside it (message-lists.ts); a row with such is `{ lists, events }`. A relayed run is `{ relayed }`, whose events
// are made again when it is read (../relayed-run.ts).

import { TuttiError } from "../../base/errors.ts";
import { FEEDBACK_START, groupByRun, toKeptFeedback, toStrippedRows } from "../event-rows.ts";
import { type ListedEvents, type ListedRow, putListsBack, takeLists, toListedJson } from "../listed-rows.ts";
import {
  findRelayedFacts,
  RELAYED_EVENTS,
  type RelayedFacts,
  toKeptFacts,
  toRelayedEvents,
} from "../relayed-run.ts";
import { type SummaryChange, toSummaryChange } from "../summary.ts";
import type { FeedbackFilter, KeptFeedback, RunEvent } from "../types.ts";
import { upgradeEvent } from "../upgrade.ts";
import { withoutContent } from "../without-content.ts";
import type { Database } from "./file.ts";
import { createKnownEvents, type RunRows } from "./known-events.ts";
import { createMessageLists } from "./message-lists.ts";

export interface EventTable {
  insert(row: AppendedRow): void;
  /** Throws "journal-damaged" for a torn row. */
  load(runId: string): RunEvent[];
  /** It was read lately: `load` reads only what was written since. */
  isAtHand(runId: string): boolean;
  /** Newest first. */
  listFeedback(filter: FeedbackFilter): KeptFeedback[];
  /** False when there was nothing. What was said is overwritten in the file, not only unlinked. */
  strip(runId: string): boolean;
  /** Before these runs are deleted. */
  release(runIds: readonly string[]): void;
}

/** What one append writes for one run. */
interface AppendedRow extends ListedEvents {
  runId: string;
  change: SummaryChange;
}

/** One for each run, in the order in which the runs first appear: a nested run's head comes before it. */
export function toListedRows(events: readonly RunEvent[]): AppendedRow[] {
  const others: RunEvent[] = [];
  const relayed: AppendedRow[] = [];
  for (let at = 0; at < events.length; at++) {
    const event = events[at]!;
    const facts = event.type === "run-start" ? findRelayedFacts(event) : undefined;
    if (facts && !facts.task) {
      relayed.push(toRelayedRow(facts, events, at));
      at += RELAYED_EVENTS - 1;
    } else others.push(event);
  }
  const rows = groupByRun(others).map(({ runId, events: kept }): AppendedRow => {
    const { json, lists } = takeLists(kept);
    return { runId, json, lists, change: toSummaryChange(kept) };
  });
  return [...rows, ...relayed];
}

const NO_LISTS: AppendedRow["lists"] = [];

/** A run that arrives whole and has no nested ones: it stands for itself, wherever it is among the others. */
function toRelayedRow(facts: RelayedFacts, events: readonly RunEvent[], at: number): AppendedRow {
  const kept = toKeptFacts(facts);
  // What the summary is made of: the start, the one step and the end.
  const [start, , , step, , end] =
    kept === facts ? events.slice(at, at + RELAYED_EVENTS) : toRelayedEvents(kept);
  const change = toSummaryChange([start!, step!, end!]);
  return { runId: facts.runId, json: JSON.stringify({ relayed: kept }), lists: NO_LISTS, change };
}

export function createEventTable(database: Database, file: string): EventTable {
  const insertRow = database.prepare("INSERT INTO events (run, json) VALUES (?, ?)");
  const rowsOf = (order: string) => `(SELECT seq FROM events WHERE run = :run ORDER BY seq ${order} LIMIT 1)`;
  const findRows = database.prepare(
    `SELECT ${rowsOf("ASC")} AS first, ${rowsOf("DESC")} AS last,
       (SELECT stripped FROM runs WHERE id = :run) AS stripped`,
  );
  const select = database.prepare("SELECT json FROM events WHERE run = ? AND seq > ? ORDER BY seq");
  const remove = database.prepare("DELETE FROM events WHERE run = ?");
  const lists = createMessageLists(database);
  const known = createKnownEvents();

  function insert(row: AppendedRow): void {
    const kept = row.lists.map(({ items }) => lists.keep(row.runId, items));
    insertRow.run(row.runId, toListedJson(row, kept));
  }

  function load(runId: string): RunEvent[] {
    const rows = findRows.get({ run: runId }) as RunRows | { first: null };
    if (rows.first === null) return [];
    const before = known.find(runId, rows);
    const events = before?.events.slice() ?? [];
    let size = before?.size ?? 0;
    // Rows are numbered from 1.
    for (const { json } of select.all(runId, before?.last ?? 0) as { json: string }[]) {
      const row = parseRow(json, `Event ${events.length} of run ${runId} in ${file}`);
      events.push(...row.events);
      size += row.size;
    }
    known.keep(runId, { ...rows, events, size });
    return events.slice();
  }

  function parseRow(json: string, where: string): { events: RunEvent[]; size: number } {
    try {
      const value = JSON.parse(json) as RunEvent | RunEvent[] | ListedRow<number> | RelayedRow;
      if ("relayed" in value) return { events: toRelayedEvents(value.relayed), size: json.length };
      let size = json.length;
      const events = putListsBack("lists" in value ? value : { lists: [], events: value }, (list) => {
        const messages = lists.load(list);
        for (const message of messages) size += message.length;
        return messages;
      });
      return { events: events.map(upgradeEvent), size };
    } catch (error) {
      const message = `${where} is damaged and cannot be read. Delete this run; others are not affected.`;
      throw new TuttiError("journal-damaged", message, { cause: error });
    }
  }

  function release(runIds: readonly string[]): void {
    for (const runId of runIds) known.forget(runId);
    lists.release(runIds);
  }

  const isFeedback = `substr(json, 1, ${FEEDBACK_START.length}) = '${FEEDBACK_START}'`;

  function listFeedback({ limit, after = 0 }: FeedbackFilter): KeptFeedback[] {
    // Made when it is first wanted: a journal that nobody learns from needs no index of ratings.
    database.exec(`CREATE INDEX IF NOT EXISTS events_feedback ON events (seq) WHERE ${isFeedback}`);
    const rows = database
      .prepare(
        `SELECT seq AS place, json FROM events WHERE ${isFeedback} AND seq > ? ORDER BY seq DESC LIMIT ?`,
      )
      .all(after, limit) as { place: number; json: string }[];
    return toKeptFeedback(rows);
  }

  return {
    insert,
    load,
    isAtHand: known.has,
    listFeedback,
    release,
    strip(runId) {
      const events = load(runId);
      if (events.length === 0) return false;
      remove.run(runId);
      release([runId]);
      const stripped = events.flatMap((event) => withoutContent(event) ?? []);
      for (const row of toStrippedRows(stripped)) insertRow.run(runId, row);
      return true;
    },
  };
}

interface RelayedRow {
  relayed: RelayedFacts;
}

interface RelayedRow {
  relayed: RelayedFacts;
}
