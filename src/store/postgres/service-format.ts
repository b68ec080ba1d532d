// What several gateways share besides the journal: keys, how often and how many at once they ask, circuits, what conversations
// have on hold, and who is about to begin a request with an idempotency key. Statements of one format of ./format.ts.

// `marks` tells what has changed since it was read. `admissions` counts requests in quarters of a second, `places` has one row
// for each that runs. Rows with an owner are those of a living process (../../durable/executors.ts); of a dead one they are deleted.
export const SERVICE_FORMAT = `
  CREATE TABLE marks (name text PRIMARY KEY, version bigint NOT NULL);
  CREATE TABLE keys (
    id text PRIMARY KEY,
    place bigint GENERATED ALWAYS AS IDENTITY,
    hash text NOT NULL UNIQUE,
    json text NOT NULL
  );

  CREATE TABLE admissions (
    name text NOT NULL,
    slot bigint NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (name, slot)
  );
  CREATE TABLE places (id uuid PRIMARY KEY, name text NOT NULL, owner text NOT NULL);
  CREATE INDEX places_of_name ON places (name);

  CREATE FUNCTION enter_gate(gate text, per_minute bigint, most bigint, ids uuid[], who text)
    RETURNS TABLE (granted integer, slot bigint, used bigint, running bigint, "waitMs" bigint, "resetMs" bigint)
    LANGUAGE plpgsql AS $$
  DECLARE
    at bigint;
  BEGIN
    -- Whom a server that crashes forgets was asked for in its last half second.
    PERFORM set_config('synchronous_commit', 'off', true);
    PERFORM pg_advisory_xact_lock(hashtextextended(gate, 2));
    at := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
    slot := at / 250;
    granted := cardinality(ids);
    running := 0;
    used := 0;
    "waitMs" := 0;
    IF most IS NOT NULL THEN
      SELECT count(*) INTO running FROM places p WHERE p.name = gate AND p.id <> ALL (ids);
      granted := greatest(0, least(granted, most - running));
    END IF;
    IF per_minute IS NOT NULL THEN
      DELETE FROM admissions a WHERE a.name = gate AND (a.slot + 1) * 250 <= at - 60000;
      SELECT coalesce(sum(a.count), 0) INTO used FROM admissions a WHERE a.name = gate;
      granted := greatest(0, least(granted, per_minute - used));
    END IF;
    IF granted > 0 AND per_minute IS NOT NULL THEN
      INSERT INTO admissions AS a VALUES (gate, slot, granted)
        ON CONFLICT ON CONSTRAINT admissions_pkey DO UPDATE SET count = a.count + excluded.count;
      used := used + granted;
    END IF;
    -- How long until one more may come, where the minute is spent.
    IF used >= per_minute THEN
      SELECT (o.slot + 1) * 250 + 60000 - at INTO "waitMs"
        FROM (SELECT a.slot, sum(a.count) OVER (ORDER BY a.slot) AS gone FROM admissions a WHERE a.name = gate) o
        WHERE o.gone > used - per_minute ORDER BY o.slot LIMIT 1;
    END IF;
    IF granted > 0 AND most IS NOT NULL THEN
      INSERT INTO places SELECT unnest(ids[1:granted]), gate, who ON CONFLICT DO NOTHING;
      running := running + granted;
    END IF;
    SELECT coalesce(max((a.slot + 1) * 250 + 60000 - at), 0) INTO "resetMs" FROM admissions a WHERE a.name = gate;
    RETURN NEXT;
  END $$;

  CREATE TABLE circuits (
    worker text PRIMARY KEY,
    open_until bigint NOT NULL,
    version bigint NOT NULL,
    owner text NOT NULL
  );
  CREATE SEQUENCE circuit_versions;

  CREATE TABLE session_holds (
    id uuid PRIMARY KEY,
    session text NOT NULL,
    run text NOT NULL,
    usd double precision NOT NULL,
    before_usd double precision NOT NULL,
    owner text NOT NULL
  );
  CREATE INDEX session_holds_of_session ON session_holds (session);

  CREATE TABLE turns (name text PRIMARY KEY, owner text NOT NULL);
`;

// Replies to relayed requests with an idempotency key, sealed (../../gateway/service/shared-copies.ts), and what `tutti pool
// calibrate` has measured, by the folder of replies that it was made of (../../calibration/table.ts).
export const SHARED_FORMAT = `
  CREATE TABLE relayed_replies (
    name text PRIMARY KEY,
    key_id text NOT NULL,
    request text NOT NULL,
    owner text NOT NULL,
    at bigint NOT NULL,
    status integer,
    bytes bigint NOT NULL DEFAULT 0,
    reply bytea
  );
  CREATE INDEX relayed_replies_of_key ON relayed_replies (key_id, at);
  CREATE INDEX relayed_replies_by_time ON relayed_replies (at);

  CREATE TABLE calibrations (
    name text NOT NULL,
    folder text NOT NULL,
    version bigint NOT NULL,
    json text NOT NULL,
    PRIMARY KEY (name, folder)
  );
  CREATE SEQUENCE calibration_versions;
`;

// `entry`: of whoever has the turn, or asks for the reply. One that is tried again, because nobody knows whether it was committed,
// finds its own row and not somebody else's.
export const ENTRY_FORMAT = `
  ALTER TABLE turns ADD COLUMN entry uuid;
  ALTER TABLE relayed_replies ADD COLUMN entry uuid;
`;
