// The tables of the journal file, as they came to be: a new file is given all formats one after the other, an
// older one those it lacks. A format that was released is never changed.

import { TuttiError } from "../../base/errors.ts";
import { toCacheSums } from "../sums.ts";
import type { Database } from "./file.ts";

// `top` is the run at the head of a nested one, itself for others. `folded` is for searching: see
// `toFolded`. Claims are apart: a run is claimed before it starts, and a heartbeat need not rewrite its
// row. `seq` orders the events of all runs.
const FORMAT_1 = `
  CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    parent TEXT,
    top TEXT NOT NULL,
    started INTEGER NOT NULL,
    ended INTEGER,
    question TEXT NOT NULL,
    answer TEXT,
    folded TEXT,
    conductor TEXT NOT NULL,
    simulated INTEGER NOT NULL,
    stop_reason TEXT,
    cost_usd REAL NOT NULL DEFAULT 0,
    calls INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX runs_by_start ON runs (started, id);
  CREATE INDEX runs_top_level ON runs (started, id) WHERE parent IS NULL;
  CREATE INDEX runs_open ON runs (started, id) WHERE ended IS NULL;
  CREATE INDEX runs_nested ON runs (parent) WHERE parent IS NOT NULL;
  CREATE TABLE claims (
    run TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    pid INTEGER NOT NULL,
    host TEXT NOT NULL,
    heartbeat INTEGER NOT NULL
  );
  CREATE TABLE events (seq INTEGER PRIMARY KEY, run TEXT NOT NULL, json TEXT NOT NULL);
  CREATE INDEX events_of_run ON events (run);
`;

// Runs of the gateway: where they came from (`model` is null for all others), and tokens. `bill` is what stays
// of such runs when they are deleted: a table of its own, so that no list has to look past them. What a key has
// spent is asked for often: `runs_of_key` has all that takes, so that the rows need not be read.
// An event's `json` may from here on be a list of events, those of one append.
const FORMAT_2 = `
  ALTER TABLE runs ADD COLUMN input_tokens INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE runs ADD COLUMN output_tokens INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE runs ADD COLUMN stripped INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE runs ADD COLUMN model TEXT;
  ALTER TABLE runs ADD COLUMN dialect TEXT;
  ALTER TABLE runs ADD COLUMN key_id TEXT;
  ALTER TABLE runs ADD COLUMN user TEXT;
  ALTER TABLE runs ADD COLUMN metadata TEXT;
  ALTER TABLE runs ADD COLUMN idempotency_key TEXT;
  CREATE INDEX runs_of_key ON runs (
    key_id, started, id, parent, simulated, cost_usd, calls, input_tokens, output_tokens
  ) WHERE key_id IS NOT NULL;
  CREATE INDEX runs_idempotent ON runs (idempotency_key) WHERE idempotency_key IS NOT NULL;
  CREATE TABLE bill (
    started INTEGER NOT NULL,
    simulated INTEGER NOT NULL,
    cost_usd REAL NOT NULL,
    calls INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    model TEXT NOT NULL,
    key_id TEXT,
    user TEXT,
    metadata TEXT
  );
  CREATE INDEX bill_of_key ON bill (key_id, started);
  UPDATE runs SET input_tokens = sums.input, output_tokens = sums.output FROM (
    SELECT run, total(usage ->> '$.inputTokens') AS input, total(usage ->> '$.outputTokens') AS output
    FROM (SELECT run, iif(json_valid(json), json, '{}') -> '$.spending.usage' AS usage FROM events) GROUP BY run
  ) AS sums WHERE sums.run = runs.id;
`;

// Budgets of keys that hold between processes. `key_days` is what each key has spent by the day its runs began, kept by
// triggers: a budget is checked before every request, over any number of runs. A run that is deleted stays in it.
// `reservations` are of requests under way, with the process that holds them.
const FORMAT_3 = `
  ALTER TABLE runs ADD COLUMN estimated_usd REAL NOT NULL DEFAULT 0;
  ALTER TABLE bill ADD COLUMN estimated_usd REAL NOT NULL DEFAULT 0;
  DROP INDEX runs_of_key;
  CREATE INDEX runs_of_key ON runs (
    key_id, started, id, parent, simulated, cost_usd, estimated_usd, calls, input_tokens, output_tokens
  ) WHERE key_id IS NOT NULL;
  CREATE TABLE key_days (
    key_id TEXT NOT NULL,
    day INTEGER NOT NULL,
    cost_usd REAL NOT NULL,
    PRIMARY KEY (key_id, day)
  ) WITHOUT ROWID;
  INSERT INTO key_days SELECT key_id, started / 86400000, sum(cost_usd) FROM (
    SELECT key_id, started, cost_usd FROM runs WHERE key_id IS NOT NULL AND parent IS NULL
    UNION ALL SELECT key_id, started, cost_usd FROM bill WHERE key_id IS NOT NULL
  ) GROUP BY 1, 2;
  CREATE TRIGGER key_days_start AFTER INSERT ON runs WHEN NEW.key_id IS NOT NULL AND NEW.parent IS NULL BEGIN
    INSERT INTO key_days VALUES (NEW.key_id, NEW.started / 86400000, NEW.cost_usd)
      ON CONFLICT (key_id, day) DO UPDATE SET cost_usd = cost_usd + excluded.cost_usd;
  END;
  CREATE TRIGGER key_days_spend AFTER UPDATE OF cost_usd ON runs
    WHEN NEW.key_id IS NOT NULL AND NEW.parent IS NULL AND NEW.cost_usd <> OLD.cost_usd BEGIN
    UPDATE key_days SET cost_usd = cost_usd + NEW.cost_usd - OLD.cost_usd
      WHERE key_id = NEW.key_id AND day = NEW.started / 86400000;
  END;
  CREATE TABLE reservations (
    id TEXT PRIMARY KEY,
    run TEXT NOT NULL,
    key_id TEXT NOT NULL,
    usd REAL NOT NULL,
    owner TEXT NOT NULL,
    pid INTEGER NOT NULL,
    host TEXT NOT NULL,
    heartbeat INTEGER NOT NULL,
    lost TEXT
  );
  CREATE INDEX reservations_of_key ON reservations (key_id);
`;

// Long conversations, each message once (message-lists.ts). An event's `json` may from here on also be
// `{ lists, events }`, or `{ relayed }`.
const FORMAT_4 = `
  CREATE TABLE messages (
    id INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    parent INTEGER,
    refs INTEGER NOT NULL,
    json TEXT NOT NULL
  );
  CREATE TABLE message_lists (run TEXT NOT NULL, message INTEGER NOT NULL);
  CREATE INDEX lists_of_run ON message_lists (run);
`;

// Conversations: what all runs of one have taken is added up when a process hears of it for the first time.
const FORMAT_5 = `
  ALTER TABLE runs ADD COLUMN session TEXT;
  CREATE INDEX runs_of_session ON runs (session, started) WHERE session IS NOT NULL;
`;

// What was read from caches of providers and written into them, and what that saved. `runs_of_key` still has all that a bill
// takes. What stands in the events of runs is added up once; of runs that were deleted before nobody knows it any more.
const FORMAT_6 = `
  ALTER TABLE runs ADD COLUMN cached_input_tokens INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE runs ADD COLUMN cache_write_tokens INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE runs ADD COLUMN cache_saved_usd REAL NOT NULL DEFAULT 0;
  ALTER TABLE bill ADD COLUMN cached_input_tokens INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE bill ADD COLUMN cache_write_tokens INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE bill ADD COLUMN cache_saved_usd REAL NOT NULL DEFAULT 0;
  DROP INDEX runs_of_key;
  CREATE INDEX runs_of_key ON runs (
    key_id, started, id, parent, simulated, cost_usd, estimated_usd, calls, input_tokens, output_tokens,
    cached_input_tokens, cache_write_tokens, cache_saved_usd
  ) WHERE key_id IS NOT NULL;
`;

function fillCacheSums(database: Database): void {
  const found = database
    .prepare(
      `SELECT DISTINCT run FROM events
       WHERE json GLOB '*"cachedInputTokens":[1-9]*' OR json GLOB '*"cacheWriteTokens":[1-9]*'`,
    )
    .all() as { run: string }[];
  const select = database.prepare("SELECT json FROM events WHERE run = ? ORDER BY seq");
  const update = database.prepare(
    `UPDATE runs SET cached_input_tokens = :cachedInputTokens, cache_write_tokens = :cacheWriteTokens,
       cache_saved_usd = :cacheSavedUsd WHERE id = :run`,
  );
  for (const { run } of found) {
    const rows = select.all(run) as { json: string }[];
    update.run({ run, ...toCacheSums(rows.map(({ json }) => json)) });
  }
}

/** Statements, and what only our own code can do with what is there. */
const FORMATS: readonly { sql: string; fill?: (database: Database) => void }[] = [
  ...[FORMAT_1, FORMAT_2, FORMAT_3, FORMAT_4, FORMAT_5].map((sql) => ({ sql })),
  { sql: FORMAT_6, fill: fillCacheSums },
];
/** What this version writes; older ones are upgraded when they are opened. */
export const JOURNAL_FORMAT = FORMATS.length;

export function prepareTables(database: Database, path: string): void {
  const { user_version: version } = database.prepare("PRAGMA user_version").get() as { user_version: number };
  const newest = FORMATS.length;
  if (version === newest) return;
  if (version > newest) {
    throw new TuttiError(
      "journal-version",
      `The journal ${path} was written by a newer Tutti (format ${version}, this one knows ${newest}). ` +
        "Update Tutti, or set TUTTI_HOME to another folder.",
    );
  }
  const { tables } = database.prepare("SELECT count(*) AS tables FROM sqlite_schema").get() as {
    tables: number;
  };
  if (version === 0 && tables > 0) {
    throw new TuttiError("journal-version", `${path} is a database of another program. Name another file.`);
  }
  for (const { sql, fill } of FORMATS.slice(version)) {
    database.exec(sql);
    fill?.(database);
  }
  database.exec(`PRAGMA user_version = ${newest}`);
}
