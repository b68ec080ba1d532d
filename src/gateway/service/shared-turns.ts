// Who begins a request with an idempotency key, of all gateways: one at a time. The next one then finds its run in the journal and
// joins it. A turn is over when the run has begun; that of a gateway that died is given back when that is noticed.

import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { TuttiError } from "../../base/errors.ts";
import type { PostgresConnection } from "../../store/postgres/connection.ts";

const AGAIN_MS = 50;
const LONGEST_MS = 30_000;

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
    const endsAt = performance.now() + LONGEST_MS;
    for (;;) {
      const taken = await connection.query(
        "INSERT INTO turns VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING name",
        [digest, owner],
      );
      if (taken.length > 0) break;
      if (performance.now() > endsAt)
        throw new TuttiError("overloaded", "Another gateway is about to begin this very request. Try again.");
      await delay(AGAIN_MS);
    }
    return async () => {
      await connection.query("DELETE FROM turns WHERE name = $1", [digest]);
    };
  };
}
