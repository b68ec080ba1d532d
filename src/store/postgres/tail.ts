// What was appended to runs since somebody looked last: for gateways whose clients read along while another one performs. The
// rows of a run are written by one process, one after the other, so none appears behind one that was read.

import { TuttiError } from "../../base/errors.ts";
import type { ListedRow } from "../listed-rows.ts";
import type { RunEvent } from "../types.ts";
import { upgradeEvent } from "../upgrade.ts";
import type { PostgresConnection } from "./connection.ts";
import { type AskMessages, loadMessages, toWhole } from "./message-lists.ts";

export interface Tail {
  run: string;
  /** The last row that is known; 0: none. */
  after: number;
}

export interface TailRow {
  run: string;
  seq: number;
  events: RunEvent[];
}

/** In order. All of them in one question. */
export async function readTails(
  { name, query }: Pick<PostgresConnection, "name" | "query">,
  tails: readonly Tail[],
): Promise<TailRow[]> {
  const rows = await query<{ run: string; seq: number; json: string }>(
    `SELECT events.run, seq, json FROM unnest($1::text[], $2::bigint[]) AS tail (run, after)
     JOIN events ON events.run = tail.run AND seq > tail.after ORDER BY seq`,
    [tails.map(({ run }) => run), tails.map(({ after }) => after)],
  );
  const where = ({ run, seq }: { run: string; seq: number }) => `Row ${seq} of run ${run} in ${name}`;
  const events = await readRows(
    query,
    rows.map((row) => ({ json: row.json, where: where(row) })),
  );
  return rows.map(({ run, seq }, i) => ({ run, seq, events: events[i]! }));
}

/** The events of these rows; `where` says to people which row it is. Throws "journal-damaged" for a torn one. */
export async function readRows(
  query: AskMessages,
  rows: readonly { json: string; where: string }[],
): Promise<RunEvent[][]> {
  const parsed = rows.map(({ json, where }) =>
    orDamaged(where, () => JSON.parse(json) as RunEvent | RunEvent[] | ListedRow<string>),
  );
  const messages = await loadMessages(query, parsed);
  return parsed.map((row, i) => orDamaged(rows[i]!.where, () => toWhole(row, messages).map(upgradeEvent)));
}

function orDamaged<T>(where: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const message = `${where} is damaged and cannot be read. Delete this run; others are not affected.`;
    throw new TuttiError("journal-damaged", message, { cause });
  }
}
