// A statement that gives something back. Whoever waits for it elsewhere must not wait for ever, so it is tried again every second
// until it is written, however long the server is away. Covered: a process that lives. Not covered: one that ends meanwhile; what
// it held is given back when that is noticed.

import type { PostgresConnection } from "./connection.ts";

const AGAIN_MS = 1_000;

/** Resolves when it is written; never rejects. Nobody is held up by it at the end of the process. */
export async function ensure(
  { query }: Pick<PostgresConnection, "query">,
  sql: string,
  values: unknown[],
): Promise<void> {
  for (;;) {
    try {
      return void (await query(sql, values));
    } catch {
      await new Promise((done) => setTimeout(done, AGAIN_MS).unref());
    }
  }
}
