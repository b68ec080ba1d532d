// Conversations in the journal file (../listed-rows.ts says why). Each message is one row that names the row before it: a
// list is its last row, a longer list shares all rows of the shorter one, and two runs share what they have in common.
// Guarantee: a row is there as long as a list of some run needs it, and is deleted (and overwritten, as all that is
// deleted here) with the last of them.

import type { ListItem } from "../listed-rows.ts";
import type { Database } from "./file.ts";
import { listed } from "./runs.ts";

export interface MessageLists {
  /** Kept for this run until `release`. Gives back what finds the list again. */
  keep(runId: string, items: readonly ListItem[]): number;
  load(list: number): string[];
  release(runIds: readonly string[]): void;
}

export function createMessageLists(database: Database): MessageLists {
  const find = database.prepare("SELECT id FROM messages WHERE hash = ?");
  // `refs`: the rows behind this one and the runs whose list ends here.
  const insert = database.prepare("INSERT INTO messages (hash, parent, refs, json) VALUES (?, ?, 1, ?)");
  const hold = database.prepare("UPDATE messages SET refs = refs + 1 WHERE id = ?");
  const drop = database.prepare("UPDATE messages SET refs = refs - 1 WHERE id = ? RETURNING refs, parent");
  const remove = database.prepare("DELETE FROM messages WHERE id = ?");
  const insertHolder = database.prepare("INSERT INTO message_lists (run, message) VALUES (?, ?)");
  const holders = database.prepare(`SELECT message FROM message_lists WHERE run IN ${listed("runs")}`);
  const removeHolders = database.prepare(`DELETE FROM message_lists WHERE run IN ${listed("runs")}`);
  const select = database.prepare(
    `WITH RECURSIVE list (id, parent, json) AS (
       SELECT id, parent, json FROM messages WHERE id = ?
       UNION ALL SELECT messages.id, messages.parent, messages.json FROM messages JOIN list ON messages.id = list.parent
     ) SELECT json FROM list`,
  );

  return {
    keep(runId, items) {
      let at = items.length;
      let last: number | null = null;
      for (; at > 0 && last === null; at--)
        last = (find.get(items[at - 1]!.hash) as { id: number } | undefined)?.id ?? null;
      if (last !== null) {
        at++;
        hold.run(last);
      }
      for (const { hash, json } of items.slice(at))
        last = Number(insert.run(hash, last, json).lastInsertRowid);
      insertHolder.run(runId, last);
      return last!;
    },
    load(list) {
      return (select.all(list) as { json: string }[]).map(({ json }) => json).reverse();
    },
    release(runIds) {
      const runs = JSON.stringify(runIds);
      const held = holders.all({ runs }) as { message: number }[];
      if (held.length === 0) return;
      removeHolders.run({ runs });
      for (const { message } of held) {
        let next: number | null = message;
        while (next !== null) {
          const row = drop.get(next) as { refs: number; parent: number | null } | undefined;
          if (!row || row.refs > 0) break;
          remove.run(next);
          next = row.parent;
        }
      }
    },
  };
}
