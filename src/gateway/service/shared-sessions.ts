// The caps of conversations over several gateways: what was spent is what the journal says, at whichever gateway, and what
// requests that run may still spend is held in a table. Two requests of one conversation wait for each other here, so they
// cannot both get its last dollar. Holds of a gateway that died are given back when that is noticed: what it had
// spent by then is in the journal.

import { randomUUID } from "node:crypto";
import { isTuttiError } from "../../base/errors.ts";
import type { Client, PostgresConnection } from "../../store/postgres/connection.ts";
import { ensure } from "../../store/postgres/ensure.ts";
import {
  type SessionAccount,
  type SessionCaps,
  type SessionLedger,
  type SessionLeft,
  toLeft,
} from "../access/sessions.ts";

// A run that holds money has spent some of it: that is not counted twice.
const ACCOUNT = `SELECT
  (SELECT coalesce(sum(cost_usd), 0) FROM runs WHERE session = $1 AND parent IS NULL) AS usd,
  (SELECT coalesce(sum(calls), 0) FROM runs WHERE session = $1 AND parent IS NULL) AS calls,
  (SELECT coalesce(greatest(0, (extract(epoch FROM clock_timestamp()) * 1000)::bigint - min(started)), 0)
     FROM runs WHERE session = $1 AND parent IS NULL) AS "passedMs",
  (SELECT coalesce(sum(greatest(0, held.usd - greatest(0, coalesce(runs.cost_usd, 0) - before_usd))), 0)
     FROM session_holds held LEFT JOIN runs ON runs.id = held.run WHERE held.session = $1) AS "reservedUsd"`;

export class SharedSessions implements SessionLedger {
  readonly #connection: Pick<PostgresConnection, "query" | "transact">;
  readonly #owner: string;

  constructor({
    connection,
    id,
  }: { connection: Pick<PostgresConnection, "query" | "transact">; id: string }) {
    this.#connection = connection;
    this.#owner = id;
  }

  async check(id: string, caps: SessionCaps): Promise<SessionLeft> {
    const [account] = await this.#connection.query<SessionAccount>(ACCOUNT, [id]);
    return toLeft(account!, caps);
  }

  async take(
    id: string,
    caps: SessionCaps,
    { runId, usd: wantedUsd }: { runId: string; usd?: number },
  ): Promise<{ usd?: number; release(written?: Promise<void>): void }> {
    if (caps.usd === undefined) {
      await this.check(id, caps);
      return { usd: wantedUsd, release: () => {} };
    }
    const hold = randomUUID();
    const holding = this.#connection.transact(async (client) => {
      await client.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 3))", [id]);
      // Tried again although it was committed: nobody had heard of it.
      await client.query("DELETE FROM session_holds WHERE id = $1", [hold]);
      return this.#hold(client, hold, { id, caps, runId, wantedUsd });
    });
    const usd = await holding.catch((error: unknown) => {
      // The same where it is not tried again.
      if (isTuttiError(error) && error.code === "journal-failed") this.#giveBack(hold);
      throw error;
    });
    return {
      usd,
      release: (written) => {
        if (written) void written.then(() => this.#giveBack(hold));
        else this.#giveBack(hold);
      },
    };
  }

  async #hold(
    client: Client,
    hold: string,
    asked: { id: string; caps: SessionCaps; runId: string; wantedUsd?: number },
  ): Promise<number> {
    const { id, caps, runId, wantedUsd } = asked;
    const { rows } = await client.query<SessionAccount>(ACCOUNT, [id]);
    const leftUsd = toLeft(rows[0]!, caps).usd!;
    const usd = Math.min(leftUsd, wantedUsd ?? leftUsd);
    await client.query(
      `INSERT INTO session_holds
       VALUES ($1, $2, $3, $4, coalesce((SELECT cost_usd FROM runs WHERE id = $3), 0), $5)`,
      [hold, id, runId, usd, this.#owner],
    );
    return usd;
  }

  /** The journal has it. */
  async add(): Promise<void> {}

  #giveBack(hold: string): void {
    void ensure(this.#connection, "DELETE FROM session_holds WHERE id = $1", [hold]);
  }
}
