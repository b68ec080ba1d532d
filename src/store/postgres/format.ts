// The tables of the journal in Postgres, as they came to be: a new schema is given all formats one after the other, an older
// one those it lacks. A format that was released is never changed. The same facts as in the journal file (../sqlite/format.ts).

import { TuttiError } from "../../base/errors.ts";
import { toCacheSums } from "../sums.ts";
import { APPEND_FORMAT } from "./append-format.ts";
import type { Client, PostgresConnection } from "./connection.ts";
import { ENTRY_FORMAT, SERVICE_FORMAT, SHARED_FORMAT } from "./service-format.ts";

// `top` is the run at the head of a nested one, itself for others. `folded` is for searching: question and answer in small
// letters. Events are text and not jsonb, which knows no zero character. `appends` makes an append that is tried again, because
// nobody knows whether it was committed, happen once. `key_days` is what each key has spent by the day its runs began.
const FORMAT_1 = `
  CREATE TABLE runs (
    id text COLLATE "C" PRIMARY KEY,
    parent text,
    top text NOT NULL,
    started bigint NOT NULL,
    ended bigint,
    question text NOT NULL,
    answer text,
    folded text NOT NULL,
    conductor text NOT NULL,
    simulated boolean NOT NULL,
    stop_reason text,
    cost_usd double precision NOT NULL,
    estimated_usd double precision NOT NULL,
    calls bigint NOT NULL,
    input_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    stripped boolean NOT NULL,
    model text,
    dialect text,
    key_id text,
    user_name text,
    metadata jsonb,
    idempotency_key text,
    session text
  );
  CREATE INDEX runs_by_start ON runs (started, id);
  CREATE INDEX runs_top_level ON runs (started, id) WHERE parent IS NULL;
  CREATE INDEX runs_open ON runs (started, id) WHERE ended IS NULL;
  CREATE INDEX runs_nested ON runs (parent) WHERE parent IS NOT NULL;
  CREATE INDEX runs_of_key ON runs (key_id, started, id) WHERE key_id IS NOT NULL;
  CREATE INDEX runs_of_session ON runs (session, started) WHERE session IS NOT NULL;
  CREATE INDEX runs_idempotent ON runs (idempotency_key) WHERE idempotency_key IS NOT NULL;

  CREATE TABLE events (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run text NOT NULL,
    json text NOT NULL
  );
  CREATE INDEX events_of_run ON events (run, seq);
  CREATE TABLE appends (id uuid PRIMARY KEY, at bigint NOT NULL);
  CREATE INDEX appends_by_time ON appends (at);

  CREATE TABLE claims (
    run text PRIMARY KEY,
    owner text NOT NULL,
    pid integer NOT NULL,
    host text NOT NULL,
    heartbeat bigint NOT NULL
  );

  CREATE TABLE bill (
    started bigint NOT NULL,
    simulated boolean NOT NULL,
    cost_usd double precision NOT NULL,
    estimated_usd double precision NOT NULL,
    calls bigint NOT NULL,
    input_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    model text NOT NULL,
    key_id text,
    user_name text,
    metadata jsonb
  );
  CREATE INDEX bill_of_key ON bill (key_id, started);

  CREATE TABLE key_days (
    key_id text NOT NULL,
    day bigint NOT NULL,
    cost_usd double precision NOT NULL,
    PRIMARY KEY (key_id, day)
  );
  CREATE FUNCTION add_to_key_day() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO key_days VALUES (
      NEW.key_id, NEW.started / 86400000, NEW.cost_usd - CASE TG_OP WHEN 'UPDATE' THEN OLD.cost_usd ELSE 0 END
    ) ON CONFLICT (key_id, day) DO UPDATE SET cost_usd = key_days.cost_usd + excluded.cost_usd;
    RETURN NULL;
  END $$;
  CREATE TRIGGER key_days_start AFTER INSERT ON runs FOR EACH ROW
    WHEN (NEW.key_id IS NOT NULL AND NEW.parent IS NULL) EXECUTE FUNCTION add_to_key_day();
  CREATE TRIGGER key_days_spend AFTER UPDATE OF cost_usd ON runs FOR EACH ROW
    WHEN (NEW.key_id IS NOT NULL AND NEW.parent IS NULL AND NEW.cost_usd <> OLD.cost_usd)
    EXECUTE FUNCTION add_to_key_day();

  CREATE TABLE reservations (
    id uuid PRIMARY KEY,
    run text NOT NULL,
    key_id text NOT NULL,
    usd double precision NOT NULL,
    owner text NOT NULL,
    pid integer NOT NULL,
    host text NOT NULL,
    heartbeat bigint NOT NULL,
    lost text
  );
  CREATE INDEX reservations_of_key ON reservations (key_id);
`;

// What was read from caches of providers and written into them, and what that saved. What stands in the events of runs is
// added up once; of runs that were deleted before nobody knows it any more.
const FORMAT_2 = `
  ALTER TABLE runs
    ADD COLUMN cached_input_tokens bigint NOT NULL DEFAULT 0,
    ADD COLUMN cache_write_tokens bigint NOT NULL DEFAULT 0,
    ADD COLUMN cache_saved_usd double precision NOT NULL DEFAULT 0;
  ALTER TABLE bill
    ADD COLUMN cached_input_tokens bigint NOT NULL DEFAULT 0,
    ADD COLUMN cache_write_tokens bigint NOT NULL DEFAULT 0,
    ADD COLUMN cache_saved_usd double precision NOT NULL DEFAULT 0;
`;

async function fillCacheSums(client: Client): Promise<void> {
  const found = await client.query<{ run: string }>(
    `SELECT DISTINCT run FROM events WHERE json ~ '"(cachedInputTokens|cacheWriteTokens)":[1-9]'`,
  );
  for (const { run } of found.rows) {
    const { rows } = await client.query<{ json: string }>(
      "SELECT json FROM events WHERE run = $1 ORDER BY seq",
      [run],
    );
    const { cachedInputTokens, cacheWriteTokens, cacheSavedUsd } = toCacheSums(rows.map(({ json }) => json));
    await client.query(
      "UPDATE runs SET cached_input_tokens = $2, cache_write_tokens = $3, cache_saved_usd = $4 WHERE id = $1",
      [run, cachedInputTokens, cacheWriteTokens, cacheSavedUsd],
    );
  }
}

// Long conversations, each message once (message-lists.ts). An event's `json` may from here on also be `{ lists, events }`.
// The keys between the rows keep what a list needs while somebody else deletes. `release_messages` is called under a lock: of two
// that delete the last two lists of a message one must see that the other has. It goes up from the ends of the lists as long as
// nobody else needs what is there.
const FORMAT_4 = `
  CREATE TABLE messages (
    hash text COLLATE "C" PRIMARY KEY,
    parent text COLLATE "C" REFERENCES messages (hash),
    json text NOT NULL
  );
  CREATE INDEX messages_of_parent ON messages (parent) WHERE parent IS NOT NULL;
  CREATE TABLE message_lists (
    run text COLLATE "C" NOT NULL,
    message text COLLATE "C" NOT NULL REFERENCES messages (hash)
  );
  CREATE INDEX message_lists_of_run ON message_lists (run);
  CREATE INDEX message_lists_of_message ON message_lists (message);

  CREATE FUNCTION release_messages(runs text[]) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    ends text[];
  BEGIN
    WITH released AS (DELETE FROM message_lists WHERE run = ANY (runs) RETURNING message)
      SELECT array_agg(DISTINCT message) INTO ends FROM released;
    WHILE cardinality(ends) > 0 LOOP
      WITH removed AS (
        DELETE FROM messages m WHERE m.hash = ANY (ends)
          AND NOT EXISTS (SELECT 1 FROM messages c WHERE c.parent = m.hash)
          AND NOT EXISTS (SELECT 1 FROM message_lists l WHERE l.message = m.hash)
        RETURNING m.parent
      ) SELECT array_agg(DISTINCT parent) INTO ends FROM removed WHERE parent IS NOT NULL;
    END LOOP;
  END $$;
`;

/** Statements, and what only our own code can do with what is there. */
const FORMATS: readonly { sql: string; fill?: (client: Client) => Promise<void> }[] = [
  { sql: FORMAT_1 },
  { sql: FORMAT_2, fill: fillCacheSums },
  { sql: SERVICE_FORMAT },
  { sql: FORMAT_4 },
  { sql: APPEND_FORMAT },
  { sql: SHARED_FORMAT },
  { sql: ENTRY_FORMAT },
];

/** Two processes that start at once do not both make the tables: the second waits for the first. */
const LOCK = 0x7475_7474; // "tutt"

/** How many formats there have been. */
export const NEWEST_FORMAT = FORMATS.length;

/** `wanted`: an older format, as an older Tutti leaves its tables. */
export async function prepareTables(
  connection: PostgresConnection,
  schema: string,
  wanted = NEWEST_FORMAT,
): Promise<void> {
  await connection.transact(async (client) => {
    await client.query("SELECT pg_advisory_xact_lock($1)", [LOCK]);
    const known = await client.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema]);
    if (known.rowCount === 0) await client.query(`CREATE SCHEMA ${schema}`);
    await client.query("CREATE TABLE IF NOT EXISTS format (version integer NOT NULL)");
    const { rows } = await client.query<{ version: number }>("SELECT version FROM format");
    const version = rows[0]?.version ?? 0;
    if (version > NEWEST_FORMAT) {
      const newer = `The journal in ${connection.name} was written by a newer Tutti (format ${version}, this one knows ${NEWEST_FORMAT}).`;
      throw new TuttiError("journal-version", `${newer} Update Tutti, or name another database.`);
    }
    if (version >= wanted) return;
    for (const { sql, fill } of FORMATS.slice(version, wanted)) {
      await client.query(sql);
      await fill?.(client);
    }
    await client.query("DELETE FROM format");
    await client.query("INSERT INTO format VALUES ($1)", [wanted]);
  });
}
