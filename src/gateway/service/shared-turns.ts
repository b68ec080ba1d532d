// Who begins a request with an idempotency key, of all gateways: one at a time. The next one then finds its run in the journal and
// joins it. A turn is over when the run has begun; that of a gateway that died is given back when that is noticed.

import { createHash, randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { TuttiError } from "../../base/errors.ts";
import type { PostgresConnection } from "../../store/postgres/connection.ts";
import { ensure } from "../../store/postgres/ensure.ts";

const AGAIN_MS = 50;
const LONGEST_MS = 30_000;
/** Tried again although it was committed, it finds that the turn is its own. */
const ENTER = `INSERT INTO turns (name, owner, entry) VALUES ($1, $2, $3)
  ON CONFLICT (name) DO UPDATE SET entry = excluded.entry WHERE turns.entry = excluded.entry RETURNING name`;

/** What is returned ends the turn. Nobody has to wait for that: it is tried until it is written. */
export type EnterTurn = (name: string) => Promise<() => Promise<void>>;

/** `name` may hold words of a client: what is written down is its digest. */
export function createSharedTurns({
  connection,
  id: owner,
}: {
  connection: Pick<PostgresConnection, "query">;
  id: string;
}): EnterTurn {
  return async (name) => {
    const digest = createHash("sha256").update(name).digest("hex");
    const entry = randomUUID();
    const leave = () =>
      ensure(connection, "DELETE FROM turns WHERE name = $1 AND entry = $2", [digest, entry]);
    const endsAt = performance.now() + LONGEST_MS;
    for (;;) {
      const taken = await connection.query(ENTER, [digest, owner, entry]).catch((error: unknown) => {
        // It may be ours all the same, and then nobody else could ever begin.
        void leave();
        throw error;
      });
      if (taken.length > 0) return leave;
      if (performance.now() > endsAt)
        throw new TuttiError("overloaded", "Another gateway is about to begin this very request. Try again.");
      await delay(AGAIN_MS);
    }
  };
}
