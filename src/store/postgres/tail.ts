// What was appended to runs since somebody looked last: for gateways whose clients read along while another one performs. The
// rows of a run are written by one process, one after the other, so none appears behind one that was read.

import { TuttiError } from "../../base/errors.ts";
import type { RunEvent } from "../types.ts";
import { upgradeEvent } from "../upgrade.ts";
import type { PostgresConnection } from "./connection.ts";

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
  return rows.map(({ run, seq, json }) => ({
    run,
    seq,
    events: parseRow(json, `Row ${seq} of run ${run} in ${name}`),
  }));
}

export function parseRow(json: string, where: string): RunEvent[] {
  try {
    const value = JSON.parse(json) as RunEvent | RunEvent[];
    return (Array.isArray(value) ? value : [value]).map(upgradeEvent);
  } catch (cause) {
    const message = `${where} is damaged and cannot be read. Delete this run; others are not affected.`;
    throw new TuttiError("journal-damaged", message, { cause });
  }
}
