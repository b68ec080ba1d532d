// The connections to Postgres: opened, kept, and asked again where one breaks. `pg` is an optional package, loaded here
// and only when a journal in Postgres is opened. An address may hold a password, so errors name host and database alone.

import type Pg from "pg";
import { isTuttiError, messageOf, TuttiError } from "../../base/errors.ts";
import { registerSecret } from "../../base/redact.ts";

export type Client = Pg.PoolClient;

export interface ConnectionOptions {
  /** The schema that holds our tables. */
  schema: string;
  /** Connections of this process at the most. */
  maxConnections: number;
  /** How long a server that is away is waited for. */
  patienceMs: number;
  /** Hears once, in words, that a server that has never answered is waited for. */
  onWaiting?: (text: string) => void;
}

export interface PostgresConnection {
  /** Host and database, for people. */
  name: string;
  /** One transaction; it may be performed again after a failure, so it must do nothing but read and write rows. */
  transact<T>(work: (client: Client) => Promise<T>): Promise<T>;
  query<Row extends object>(sql: string, values?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

/** As in package.json, where it is an optional peer. */
const PACKAGE = "pg@8.23.1";
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1_000;
const CONNECT_MS = 5_000;
/** A person at a terminal should know by then. */
const TELL_MS = 2_000;
/** Of a connection that does not answer any more, as behind a network that was cut. */
const ANSWER_MS = 30_000;

/** "host/database", without who asks and how. */
export function toPublicName(address: string): string {
  try {
    const { host, pathname } = new URL(address);
    return `${host}${pathname}`;
  } catch {
    throw new TuttiError(
      "journal-failed",
      "The address of the Postgres journal is not a URL. It looks like postgres://user:password@host:5432/database.",
    );
  }
}

export async function openConnection(
  address: string,
  { schema, maxConnections, patienceMs, onWaiting }: ConnectionOptions,
): Promise<PostgresConnection> {
  const name = toPublicName(address);
  const { password } = new URL(address);
  if (password) registerSecret(decodeURIComponent(password));
  const pg = await loadPg();
  const pool = new pg.Pool({
    connectionString: address,
    max: maxConnections,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
    application_name: "tutti",
    options: `-c search_path=${schema} -c idle_in_transaction_session_timeout=${ANSWER_MS}`,
    types: { getTypeParser: (oid, format) => (isNumber(oid) ? Number : pg.types.getTypeParser(oid, format)) },
  });
  // A connection that breaks while it waits, or between two queries: whoever uses it next hears of it.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  let closed = false;
  /** Nothing was heard of it yet, and nobody was told. */
  let isSilent = true;

  async function persist<T>(work: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2)) {
      if (closed) throw new TuttiError("journal-failed", `The journal in ${name} is closed. Open it again.`);
      try {
        const result = await work();
        isSilent = false;
        return result;
      } catch (error) {
        const waitedMs = performance.now() - startedAt;
        if (!isPassing(error) || waitedMs + waitMs > patienceMs) throw toJournalError(name, error);
        if (isSilent && waitedMs >= TELL_MS) {
          isSilent = false;
          const most = Math.round(patienceMs / 1_000);
          onWaiting?.(
            `${name} does not answer yet (${messageOf(error)}). It is waited for, ${most} s at the most.`,
          );
        }
        await new Promise((done) => setTimeout(done, waitMs * (0.5 + Math.random() / 2)));
      }
    }
  }

  return {
    name,
    transact: (work) =>
      persist(async () => {
        const client = await pool.connect();
        let broken: unknown;
        try {
          await client.query("BEGIN");
          const result = await work(client);
          await client.query("COMMIT");
          return result;
        } catch (error) {
          await client.query("ROLLBACK").catch(() => {
            broken = error;
          });
          throw error;
        } finally {
          client.release(broken !== undefined);
        }
      }),
    query: <Row extends object>(sql: string, values?: unknown[]) =>
      persist(async () => (await pool.query<Row>(sql, values)).rows),
    async close() {
      if (closed) return;
      closed = true;
      await pool.end();
    },
  };
}

/** int8 and numeric, which would be texts: our sums are far below 2 ** 53. */
function isNumber(oid: number): boolean {
  return oid === 20 || oid === 1700;
}

/**
 * What goes away by itself: a server that restarts, a connection that broke, two transactions in each other's way (23503: a
 * message was deleted while another list began to need it, message-lists.ts). Codes are those of Postgres (classes 08, 23, 40,
 * 53 and 57) and of Node.
 */
function isPassing(error: unknown): boolean {
  if (isTuttiError(error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === "string")
    return /^(08...|23503|40001|40P01|53300|57P0[123]|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/.test(
      code,
    );
  return /terminated|timeout|closed|ended/i.test(messageOf(error));
}

/** A failure of the journal in words: which server, what happened, what to do. */
function toJournalError(name: string, error: unknown): TuttiError {
  if (isTuttiError(error)) return error;
  const { code } = error as { code?: unknown };
  return new TuttiError(
    "journal-failed",
    `The journal in ${name} failed: ${messageOf(error)}. ${toAdvice(code)}`,
    {
      cause: error,
    },
  );
}

function toAdvice(code: unknown): string {
  switch (code) {
    case "28P01":
    case "28000":
      return "Check user and password in the address.";
    case "3D000":
      return "Create this database first (createdb), or name another one in the address.";
    case "42501":
      return "The user must be allowed to create a schema in this database.";
    case "3F000":
      return "The schema belongs to another user: let this one use it (GRANT USAGE, CREATE ON SCHEMA …), or name its owner in the address.";
    case "53300":
      return "Raise max_connections of the server: a gateway takes up to 40.";
    case "53100":
      return "Free space on the server's disk.";
    default:
      return "Check that the server runs and can be reached from here.";
  }
}

export async function loadPg(): Promise<typeof Pg> {
  try {
    return (await import("pg")).default;
  } catch (cause) {
    const message = `A journal in Postgres needs the package pg, which is not installed. Install it with: npm install ${PACKAGE} (tutti serve also needs @dbos-inc/dbos-sdk: docs/postgres.md)`;
    throw new TuttiError("journal-failed", message, { cause });
  }
}
