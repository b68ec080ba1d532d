// A journal with very many runs of one key, written by SQL in a second or two: through the gateway it would take an hour.
import { createRequire } from "node:module";
import { join } from "node:path";

const libsql = createRequire(import.meta.url)("libsql");

export async function seedRuns(home, { openStore }, { keyId, count }) {
  const path = join(home, "journal.db");
  await (await openStore(path)).close(); // makes the tables
  const database = new libsql(path);
  const now = Date.now();
  database.exec("BEGIN");
  database
    .prepare(
      `INSERT INTO runs (id, top, started, ended, question, answer, conductor, simulated, stop_reason, cost_usd, calls,
         input_tokens, output_tokens, model, dialect, key_id, user, metadata)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :count)
       SELECT 'r_s' || i, 'r_s' || i, :now - i * 10000, :now - i * 10000 + 900,
         'Question ' || i || ' ' || hex(randomblob(60)), 'Answer ' || i || ' ' || hex(randomblob(60)), 'fixed', 0, 'done',
         0.001, 3, 900, 300, 'tutti', 'chat', :keyId, 'user-' || (i % 1000), '{"team":"t' || (i % 500) || '","job":"j' || i || '"}'
       FROM n`,
    )
    .run({ count, now, keyId });
  const step = (worker) =>
    JSON.stringify({
      type: "step-end",
      runId: "",
      at: now,
      round: 0,
      step: 0,
      worker,
      text: "x".repeat(500),
      durationMs: 5,
      spending: { calls: 1, costUsd: 0.001, usage: { inputTokens: 9, outputTokens: 9 } },
    });
  database
    .prepare("INSERT INTO events (run, json) SELECT id, :json FROM runs WHERE started > :from")
    .run({ json: `[${[0, 1, 2].map(step)}]`, from: now - 2_000 * 10_000 });
  database.exec("COMMIT");
  database.close();
}
