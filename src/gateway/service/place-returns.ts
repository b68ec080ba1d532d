// Places that are given back: those of one turn of the event loop together, and again until it is written down.

import type { PostgresConnection } from "../../store/postgres/connection.ts";
import { ensure } from "../../store/postgres/ensure.ts";

export function createPlaceReturns(
  connection: Pick<PostgresConnection, "query">,
): (...ids: string[]) => Promise<void> {
  let leaving: string[] = [];
  let giving: Promise<void> | undefined;

  async function giveAll(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    while (leaving.length > 0) {
      const ids = leaving;
      leaving = [];
      await ensure(connection, "DELETE FROM places WHERE id = ANY ($1::uuid[])", [ids]);
    }
    giving = undefined;
  }

  function giveBack(...ids: string[]): Promise<void> {
    leaving.push(...ids);
    giving ??= giveAll();
    return giving;
  }
  return giveBack;
}
