// The keys of several gateways, in a table of their Postgres: their hashes and what they may do, never a secret. Each gateway
// has them in memory and reads them again when it is told that they have changed, and looks every second whether they have.
// Covered: a gateway that cannot look for half a minute lets nobody in. Not covered: a key that is revoked within that time, by
// a gateway that still reaches the database.

import { TuttiError } from "../../base/errors.ts";
import type { Client, PostgresConnection } from "../../store/postgres/connection.ts";
import { CHANNEL } from "../../store/postgres/listener.ts";
import { type GatewayKey, parseKey } from "../access/key-file.ts";
import type { KeyChange, KeyShelf } from "../access/key-shelf.ts";

/** Nobody is let in by keys that are older than this. */
const LONGEST_BLIND_MS = 30_000;
const MARK = "keys";
/** Two that change them wait for each other. */
const LOCK = 0x7475_7476;

export interface KeyTable extends KeyShelf {
  /** Reads them where they are not of this version. To be called with what stands in `marks`, about once a second. */
  look(version: number): Promise<void>;
  /** Keys of a file, with their ids: those that are there already are left as they are. Returns the ones that are new. */
  takeOver(keys: readonly GatewayKey[], options?: { onlyFirst?: boolean }): Promise<GatewayKey[]>;
}

export async function openKeyTable(
  connection: Pick<PostgresConnection, "name" | "transact">,
  now: () => number = () => performance.now(),
): Promise<KeyTable> {
  let keys: readonly GatewayKey[] = [];
  let problem: TuttiError | undefined;
  let version = -1;
  let lookedAt = now();

  async function load(client: Client): Promise<{ found: GatewayKey[]; at: number }> {
    const marks = await client.query<{ version: number }>("SELECT version FROM marks WHERE name = $1", [
      MARK,
    ]);
    const { rows } = await client.query<{ id: string; json: string }>(
      "SELECT id, json FROM keys ORDER BY place",
    );
    const found = rows.map(({ id, json }) => {
      const key = parseKey(JSON.parse(json));
      if (key) return key;
      const remedy = "Update Tutti, or revoke it with the version that made it";
      throw new TuttiError(
        "keys-damaged",
        `The key ${id} in ${connection.name} cannot be read, so nobody is let in. ${remedy}.`,
      );
    });
    return { found, at: marks.rows[0]?.version ?? 0 };
  }

  async function read(): Promise<void> {
    const startedAt = now();
    try {
      const loaded = await connection.transact(load);
      keys = loaded.found;
      version = loaded.at;
      problem = undefined;
    } catch (error) {
      problem = error as TuttiError;
    }
    lookedAt = startedAt;
  }

  async function change<T>(change: KeyChange<T>): Promise<T> {
    const result = await connection.transact(async (client) => {
      await client.query("SELECT pg_advisory_xact_lock($1)", [LOCK]);
      const { found } = await load(client);
      const { keys: after, result } = change(found);
      const changed = after.filter((key) => !found.includes(key));
      for (const key of changed)
        await client.query(
          `INSERT INTO keys (id, hash, json) VALUES ($1, $2, $3)
           ON CONFLICT (id) DO UPDATE SET hash = excluded.hash, json = excluded.json`,
          [key.id, key.hash, JSON.stringify(key)],
        );
      if (changed.length > 0) {
        await client.query(
          "INSERT INTO marks VALUES ($1, 1) ON CONFLICT (name) DO UPDATE SET version = marks.version + 1",
          [MARK],
        );
        await client.query("SELECT pg_notify($1, $2)", [CHANNEL, JSON.stringify({ about: "keys" })]);
      }
      return result;
    });
    await read();
    return result;
  }

  await read();
  return {
    current() {
      if (problem) throw problem;
      if (now() - lookedAt <= LONGEST_BLIND_MS) return keys;
      throw new TuttiError(
        "overloaded",
        `The keys in ${connection.name} could not be read for ${LONGEST_BLIND_MS / 1000} s.`,
      );
    },
    change,
    async look(current) {
      if (current !== version || problem) return read();
      lookedAt = now();
    },
    takeOver: (taken, { onlyFirst = false } = {}) =>
      change((before) => {
        const isThere = ({ id, hash }: GatewayKey) =>
          before.some((key) => key.id === id || key.hash === hash);
        const fresh = onlyFirst && before.length > 0 ? [] : taken.filter((key) => !isThere(key));
        return { keys: [...before, ...fresh], result: fresh };
      }),
  };
}
