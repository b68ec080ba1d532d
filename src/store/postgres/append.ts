// Appends to the journal in Postgres. Whoever appends while a statement is under way waits for the next one, together: one costs
// more than a row. An append has an id, so that it happens once however often it is tried.

import { randomUUID } from "node:crypto";
import { TuttiError } from "../../base/errors.ts";
import { groupByRun } from "../event-rows.ts";
import { type ListedEvents, takeLists, toListedJson } from "../listed-rows.ts";
import { type SummaryChange, toSummaryChange } from "../summary.ts";
import type { Owner, RunEvent } from "../types.ts";
import type { PostgresConnection } from "./connection.ts";
import { keepLists, toListKeys } from "./message-lists.ts";
import { toChangeRecord, toWellFormedJson } from "./runs.ts";

interface Waiting {
  id: string;
  owner: string | null;
  rows: (ListedEvents & { runId: string; change: SummaryChange })[];
  resolve(): void;
  reject(error: unknown): void;
}

interface Reply {
  lost: string | null;
}

export interface Appends {
  append(events: readonly RunEvent[], owner?: Pick<Owner, "id">): Promise<void> | undefined;
  /** What was appended so far is written. */
  written(): Promise<void>;
}

const APPEND =
  "SELECT append_events($1::uuid[], $2, $3::uuid[], $4::text[], $5::text[], $6::text[], $7) AS lost";

export function createAppends(
  { query, transact }: PostgresConnection,
  /** By default the server's clock. */
  now?: () => number,
): Appends {
  let waiting: Waiting[] = [];
  let writing: Promise<void> | undefined;

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await write(batch);
        for (const each of batch) each.resolve();
      } catch (error) {
        if (batch.length === 1) {
          batch[0]!.reject(error);
          continue;
        }
        // One of them may be to blame: each alone.
        for (const each of batch) await write([each]).then(each.resolve, each.reject);
      }
    }
    writing = undefined;
  }

  async function write(batch: readonly Waiting[]): Promise<void> {
    const rows = batch.flatMap(({ id, owner, rows }) => rows.map((row) => ({ ...row, id, owner })));
    const changes = rows.flatMap(({ id, runId, change }) => {
      const record = toChangeRecord(runId, change);
      return record ? [{ append: id, ...record }] : [];
    });
    const values = [
      batch.map(({ id }) => id),
      now?.() ?? null,
      rows.map(({ id }) => id),
      rows.map(({ runId }) => runId),
      rows.map(({ owner }) => owner),
      rows.map((row) => toListedJson(row, toListKeys(row.lists))),
      toWellFormedJson(changes),
    ];
    // One journey to the server, but where long conversations are kept beside it.
    if (rows.every(({ lists }) => lists.length === 0)) return refuseLost(await query<Reply>(APPEND, values));
    await transact(async (client) => {
      await keepLists(client, rows);
      refuseLost((await client.query<Reply>(APPEND, values)).rows);
    });
  }

  return {
    append(events, owner) {
      // Made into text now, so that an event that cannot be text fails alone.
      const rows = groupByRun(events).map(({ runId, events }) => ({
        runId,
        ...takeLists(events),
        change: toSummaryChange(events),
      }));
      if (rows.length === 0) return undefined;
      return new Promise<void>((resolve, reject) => {
        waiting.push({ id: randomUUID(), owner: owner?.id ?? null, rows, resolve, reject });
        // With whatever other runs append in this turn of the event loop.
        writing ??= new Promise((begin) => setImmediate(begin)).then(writeAll);
      });
    },
    async written() {
      while (writing) await writing;
    },
  };
}

/** A process that was stopped for a while may have lost its lease without knowing. */
function refuseLost([reply]: Reply[]): void {
  const { lost } = reply!;
  if (lost !== null) throw new TuttiError("run-busy", `Run ${lost} was taken over by another process.`);
}
