// Conversations in Postgres (../listed-rows.ts says why): each message is one row under the hash of it and of all before it, and
// names the message before it. A list is the hash of its last message.
// Guarantee: a row is there as long as a list of some run needs it, and is deleted with the last of them, also where several
// gateways write and delete at once. A message that many lists begin with (a system prompt) is locked by none of them for itself.

import { type ListedRow, putListsBack, type TakenList } from "../listed-rows.ts";
import type { RunEvent } from "../types.ts";
import type { Client } from "./connection.ts";

type Query = Pick<Client, "query">;
/** Of whoever releases, until the end of its transaction. */
const RELEASE_LOCK = 0x7475_7478;

/** Keeps these lists for their runs. Nothing is asked where there are none. */
export async function keepLists(
  client: Query,
  rows: readonly { runId: string; lists: readonly TakenList[] }[],
): Promise<void> {
  const kept = rows.flatMap(({ runId, lists }) => lists.map(({ items }) => ({ runId, items })));
  if (kept.length === 0) return;
  // A message is there only with all before it, so of each list the new part is sent alone.
  const hashes = new Set(kept.flatMap(({ items }) => items.map(({ hash }) => hash)));
  const found = await client.query<{ hash: string }>(
    "SELECT hash FROM messages WHERE hash = ANY ($1::text[])",
    [[...hashes]],
  );
  const known = new Set(found.rows.map(({ hash }) => hash));
  const fresh = new Map<string, { parent: string | null; json: string }>();
  for (const { items } of kept)
    for (const [at, { hash, json }] of items.entries())
      if (!known.has(hash)) fresh.set(hash, { parent: items[at - 1]?.hash ?? null, json });
  if (fresh.size > 0) {
    // In one order for everybody: two that add the same messages wait for each other, and not in a circle.
    const added = [...fresh].sort(([a], [b]) => (a < b ? -1 : 1));
    await client.query(
      "INSERT INTO messages SELECT * FROM unnest($1::text[], $2::text[], $3::text[]) ON CONFLICT DO NOTHING",
      [added.map(([hash]) => hash), added.map(([, { parent }]) => parent), added.map(([, { json }]) => json)],
    );
  }
  await client.query("INSERT INTO message_lists SELECT * FROM unnest($1::text[], $2::text[])", [
    kept.map(({ runId }) => runId),
    kept.map(({ items }) => items.at(-1)!.hash),
  ]);
}

/** How `keepLists` finds them again. */
export const toListKeys = (lists: readonly TakenList[]): string[] =>
  lists.map(({ items }) => items.at(-1)!.hash);

/** Before these runs are deleted or stripped. */
export async function releaseLists(client: Query, runs: readonly string[]): Promise<void> {
  const { rows } = await client.query("SELECT 1 FROM message_lists WHERE run = ANY ($1::text[]) LIMIT 1", [
    runs,
  ]);
  if (rows.length === 0) return;
  await client.query("SELECT pg_advisory_xact_lock($1)", [RELEASE_LOCK]);
  await client.query("SELECT release_messages($1)", [runs]);
}

export interface KeptMessage {
  hash: string;
  parent: string | null;
  json: string;
}

export type AskMessages = (sql: string, values: unknown[]) => Promise<KeptMessage[]>;
type ParsedRow = RunEvent | RunEvent[] | ListedRow<string>;

/** The messages of all lists of these rows, by their hashes, in one question. */
export async function loadMessages(
  query: AskMessages,
  rows: readonly ParsedRow[],
): Promise<ReadonlyMap<string, KeptMessage>> {
  const lists = new Set(rows.flatMap((row) => ("lists" in row ? row.lists.map(([, , list]) => list) : [])));
  if (lists.size === 0) return new Map();
  const found = await query(
    `WITH RECURSIVE list (hash, parent, json) AS (
       SELECT hash, parent, json FROM messages WHERE hash = ANY ($1::text[])
       UNION SELECT messages.hash, messages.parent, messages.json FROM messages JOIN list ON messages.hash = list.parent
     ) SELECT hash, parent, json FROM list`,
    [[...lists]],
  );
  return new Map(found.map((message) => [message.hash, message]));
}

/** A row with its lists as they were. */
export function toWhole(row: ParsedRow, messages: ReadonlyMap<string, KeptMessage>): RunEvent[] {
  return putListsBack("lists" in row ? row : { lists: [], events: row }, (last) => {
    const list: string[] = [];
    for (let hash: string | null = last; hash !== null; ) {
      const message = messages.get(hash);
      if (!message) throw new Error(`The message ${hash} is not there`);
      list.push(message.json);
      hash = message.parent;
    }
    return list.reverse();
  });
}
