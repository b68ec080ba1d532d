// An append as one statement: a transaction of several would hold a connection, and its locks, for as many journeys to the server.
// Statements of one format of ./format.ts.

// `append_ids` are the appends of one batch; `ids`, `runs`, `owners` and `rows` are the rows of the journal that they write: of
// which append, of which run, for which owner of its claim (null: nobody's), and the text. `changes` are those of the table of
// runs. Gives the run whose claim is another one's by now, and then has done nothing. Several functions lock claims: all of them
// in the order of their runs.
export const APPEND_FORMAT = `
  CREATE FUNCTION append_events(
    append_ids uuid[], at bigint, ids uuid[], runs text[], owners text[], rows text[], changes json
  ) RETURNS text LANGUAGE plpgsql AS $$
  DECLARE
    fresh uuid[];
    lost text;
    c record;
  BEGIN
    -- Those that are there were committed, and the answer was lost.
    WITH added AS (
      INSERT INTO appends
        SELECT a, coalesce(at, (extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM unnest(append_ids) AS a
        ON CONFLICT DO NOTHING RETURNING id
    ) SELECT array_agg(id) INTO fresh FROM added;
    IF fresh IS NULL THEN
      RETURN NULL;
    END IF;
    PERFORM 1 FROM claims WHERE run = ANY (
        SELECT w.run FROM unnest(ids, runs, owners) AS w (id, run, owner) WHERE w.owner IS NOT NULL AND w.id = ANY (fresh)
      ) ORDER BY run FOR SHARE;
    SELECT w.run INTO lost FROM unnest(ids, runs, owners) AS w (id, run, owner) LEFT JOIN claims ON claims.run = w.run
      WHERE w.owner IS NOT NULL AND w.id = ANY (fresh) AND claims.owner IS DISTINCT FROM w.owner LIMIT 1;
    IF lost IS NOT NULL THEN
      DELETE FROM appends WHERE id = ANY (fresh);
      RETURN lost;
    END IF;
    INSERT INTO events (run, json)
      SELECT w.run, w.json FROM unnest(ids, runs, rows) WITH ORDINALITY AS w (id, run, json, place)
      WHERE w.id = ANY (fresh) ORDER BY w.place;
    -- What a key has spent on a day is one row, which gateways lock in the order of the keys: else they wait in a circle.
    FOR c IN SELECT r.* FROM ROWS FROM (json_to_recordset(changes) AS (
      append uuid, id text, starts boolean, parent text, started bigint, question text, folded text, conductor text,
      simulated boolean, stripped boolean, model text, dialect text, key_id text, user_name text, metadata jsonb,
      idempotency_key text, session text, ends boolean, ended bigint, answer text, stop_reason text, end_folded text,
      total boolean,
      cost_usd double precision, estimated_usd double precision, calls bigint, input_tokens bigint, output_tokens bigint,
      cached_input_tokens bigint, cache_write_tokens bigint, cache_saved_usd double precision
    )) WITH ORDINALITY AS r LEFT JOIN runs known ON known.id = r.id WHERE r.append = ANY (fresh)
      ORDER BY coalesce(known.key_id, r.key_id), r.ordinality LOOP
      IF c.starts THEN
        INSERT INTO runs AS r (
          id, parent, top, started, ended, question, answer, folded, conductor, simulated, stop_reason,
          cost_usd, estimated_usd, calls, input_tokens, output_tokens, stripped, model, dialect, key_id, user_name,
          metadata, idempotency_key, session, cached_input_tokens, cache_write_tokens, cache_saved_usd
        ) VALUES (
          c.id, c.parent, coalesce((SELECT p.top FROM runs p WHERE p.id = c.parent), c.parent, c.id), c.started, c.ended,
          c.question, c.answer, c.folded, c.conductor, c.simulated, c.stop_reason,
          c.cost_usd, c.estimated_usd, c.calls, c.input_tokens, c.output_tokens, c.stripped, c.model, c.dialect, c.key_id,
          c.user_name, c.metadata, c.idempotency_key, c.session, c.cached_input_tokens, c.cache_write_tokens,
          c.cache_saved_usd
        ) ON CONFLICT (id) DO NOTHING;
        CONTINUE WHEN FOUND;
      END IF;
      UPDATE runs r SET
        ended = CASE WHEN c.ends THEN c.ended ELSE r.ended END,
        answer = CASE WHEN c.ends THEN c.answer ELSE r.answer END,
        stop_reason = CASE WHEN c.ends THEN c.stop_reason ELSE r.stop_reason END,
        folded = CASE WHEN c.ends AND c.answer IS NOT NULL THEN r.folded || E'\\n' || c.end_folded ELSE r.folded END,
        cost_usd = CASE WHEN c.total THEN 0 ELSE r.cost_usd END + c.cost_usd,
        estimated_usd = r.estimated_usd + c.estimated_usd,
        calls = CASE WHEN c.total THEN 0 ELSE r.calls END + c.calls,
        input_tokens = r.input_tokens + c.input_tokens,
        output_tokens = r.output_tokens + c.output_tokens,
        cached_input_tokens = r.cached_input_tokens + c.cached_input_tokens,
        cache_write_tokens = r.cache_write_tokens + c.cache_write_tokens,
        cache_saved_usd = r.cache_saved_usd + c.cache_saved_usd
        WHERE r.id = c.id;
    END LOOP;
    RETURN NULL;
  END $$;
`;
