// What a run takes of Postgres besides time: what is written, flushed and kept, how many connections a gateway has, what it asks
// while nobody asks it, and how long the row of one key is locked by a commit.
import { createRequire } from "node:module";
import { readTreeCpuMs } from "../gateway/process-figures.mjs";
import { createDatabase, query, startGateways } from "./contenders.mjs";
import { AT_ONCE, load, STEPS } from "./throughput.mjs";

const pg = createRequire(import.meta.url)("pg");
const IDLE_MS = 6_000;
const HOT_CLIENTS = 8;
const HOT_MS = 2_000;

const SIZES = `
  SELECT coalesce(sum(pg_total_relation_size(c.oid)) FILTER (WHERE n.nspname = 'tutti' AND c.relname NOT IN ('appends', 'claims')), 0)::float8
           AS journal,
         coalesce(sum(pg_total_relation_size(c.oid)) FILTER (WHERE n.nspname = 'dbos' OR c.relname = 'appends'), 0)::float8 AS notes
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r'`;

async function readBooks(address) {
  await query(address, "SELECT pg_stat_force_next_flush()").catch(() => {});
  const [{ bytes, flushes }] = await query(
    address,
    "SELECT wal_bytes::float8 AS bytes, wal_sync::float8 AS flushes FROM pg_stat_wal",
  );
  const [{ commits }] = await query(
    address,
    "SELECT xact_commit::float8 AS commits FROM pg_stat_database WHERE datname = current_database()",
  );
  const [{ connections }] = await query(
    address,
    "SELECT count(*)::int - 1 AS connections FROM pg_stat_activity WHERE datname = current_database()",
  );
  const [{ journal, notes }] = await query(address, SIZES);
  return { bytes, flushes, commits, connections, journal, notes };
}

export async function measureBooks({ postgres, runs }) {
  const address = await createDatabase(postgres.address, "books");
  const [gateway] = await startGateways({ address });
  try {
    const orders = { steps: STEPS, connections: AT_ONCE, seconds: 60 };
    await load(gateway.url, { ...orders, requests: 200 });
    const before = await readBooks(address);
    const { requests } = await load(gateway.url, { ...orders, requests: runs });
    const after = await readBooks(address);
    const cpuMs = readTreeCpuMs(postgres.pid());
    await new Promise((done) => setTimeout(done, IDLE_MS));
    const idleMs = readTreeCpuMs(postgres.pid()) - cpuMs;
    const perRun = (field) => (after[field] - before[field]) / requests;
    return {
      runs: requests,
      walBytesPerRun: perRun("bytes"),
      flushesPerRun: perRun("flushes"),
      transactionsPerRun: perRun("commits"),
      journalBytesPerRun: perRun("journal"),
      noteBytesPerRun: perRun("notes"),
      connectionsPerGateway: after.connections,
      idlePostgresCpuMsPerSecond: idleMs / (IDLE_MS / 1000),
      hotRowCommitMs: await measureHotRow(address),
    };
  } finally {
    await gateway.end();
  }
}

/** Of one row that many want to change at once: the mean time from one commit to the next. */
async function measureHotRow(address) {
  await query(address, "CREATE TABLE public.hot (n bigint)");
  await query(address, "INSERT INTO public.hot VALUES (0)");
  const clients = Array.from({ length: HOT_CLIENTS }, () => new pg.Client({ connectionString: address }));
  await Promise.all(clients.map((client) => client.connect()));
  const from = performance.now();
  let count = 0;
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < from + HOT_MS) {
        await client.query("UPDATE public.hot SET n = n + 1");
        count++;
      }
      await client.end();
    }),
  );
  return (performance.now() - from) / count;
}
