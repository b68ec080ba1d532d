// DBOS Transact, an optional package that is loaded here and only for a journal in Postgres. It is told to be silent: no
// telemetry, no connection to anybody but the database, and of its log only what is wrong.

import { createRequire } from "node:module";
import type { DBOSConfig, DBOS as Dbos, DBOSClient as DbosClient } from "@dbos-inc/dbos-sdk";
import { messageOf, TuttiError } from "../base/errors.ts";
import { redact } from "../base/redact.ts";
import { loadPg } from "../store/postgres/connection.ts";

/** As in package.json, where it is an optional peer. */
const PACKAGE = "@dbos-inc/dbos-sdk@5.3.0";

const LONGEST_POLL_MS = 2_000;

/** What of DBOS is not in its public interface, of the version that is pinned. */
interface Executor {
  /** Puts the workflows of an executor that has died into a queue, in one statement: of two that do so one finds them. */
  recoverPendingWorkflows(executorIds: string[]): Promise<unknown[]>;
  systemDatabase: {
    /** The same for one executor, of another version of the application too. */
    reenqueueWorkflowsForRecovery(executorId: string, version: string, queue: string): Promise<string[]>;
  };
}

/** DBOS's own queue, for what has none and is gone on with. */
export const RECOVERED = "_dbos_internal_queue";

export interface LoadedDbos {
  DBOS: typeof Dbos;
  DBOSClient: typeof DbosClient;
  executor(): Executor | undefined;
}

export interface DbosApp {
  address: string;
  /** What is begun under one name is never gone on with under another. */
  name: string;
  /** Nor under another version. */
  version: string;
  executorId: string;
  /** The schema of DBOS's own tables. */
  schema?: string;
  /**
   * What DBOS writes are notes beside a journal that decides. Whatever is committed to the journal later is on the disk after
   * them, so a server that crashes loses none of a run that is in the journal but those of its last steps.
   */
  areNotes?: boolean;
  onWarning(text: string): void;
}

/** Silent: no telemetry, and of its log only what is wrong. */
export function toDbosConfig(app: DbosApp): DBOSConfig {
  const warn = (text: unknown) => app.onWarning(toWarning(text));
  const silent = () => {};
  return {
    name: app.name,
    systemDatabaseUrl: withIdleLimit(app.address, app),
    systemDatabaseIdleTransactionTimeoutMs: 0,
    systemDatabaseSchemaName: app.schema ?? "dbos",
    applicationVersion: app.version,
    executorID: app.executorId,
    enableOTLP: false,
    tracingEnabled: false,
    logger: { debug: silent, info: silent, warn, error: warn },
  };
}

const LAUNCH_LOCK = 0x7475_7477;
const AGAIN_MS = 100;

/**
 * One process after the other: two that make DBOS's tables at the same moment get in each other's way. Neither holds a
 * transaction open meanwhile, nor waits inside of the database: making an index would wait for both.
 */
export async function launchDbos({ DBOS }: LoadedDbos, address: string): Promise<void> {
  const pg = await loadPg();
  const client = new pg.Client({ connectionString: address, application_name: "tutti" });
  // Whoever launches without the lock is refused by the database at worst, and says so.
  client.on("error", () => {});
  await client.connect();
  try {
    for (;;) {
      const { rows } = await client.query("SELECT pg_try_advisory_lock($1) AS ok", [LAUNCH_LOCK]);
      if (rows[0].ok) break;
      await new Promise((done) => setTimeout(done, AGAIN_MS));
    }
    await DBOS.launch();
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * DBOS would set the limit with a query of its own on each new connection, which pg warns of on standard error. `areNotes`: a
 * commit does not wait for the server's disk.
 */
export function withIdleLimit(address: string, { areNotes = false } = {}): string {
  const url = new URL(address);
  const options = `-c idle_in_transaction_session_timeout=60000${areNotes ? " -c synchronous_commit=off" : ""}`;
  if (!url.searchParams.has("options")) url.searchParams.set("options", options);
  return url.href;
}

export function toWarning(text: unknown): string {
  return redact(messageOf(text)).split("\n")[0]!.slice(0, 500);
}

export function loadDbos(): LoadedDbos {
  // It is CommonJS, and takes a tenth of a second to load.
  const require = createRequire(import.meta.url);
  try {
    const { DBOS, DBOSClient } = require("@dbos-inc/dbos-sdk") as Pick<LoadedDbos, "DBOS" | "DBOSClient">;
    const inside = require("@dbos-inc/dbos-sdk/internal/dbos-executor") as {
      DBOSExecutor: { globalInstance?: Executor };
    };
    const { dbRetryConfig } = require("@dbos-inc/dbos-sdk/internal/utils") as {
      dbRetryConfig: { initialBackoffSec: number; maxBackoffSec: number };
    };
    // A server that restarts is back within seconds: waits of a minute would hold up what is answered.
    dbRetryConfig.initialBackoffSec = 0.1;
    dbRetryConfig.maxBackoffSec = 2;
    const { wfQueueRunner } = require("@dbos-inc/dbos-sdk/internal/wfqueue") as { wfQueueRunner: object };
    // Two that take from one queue at the same moment: one comes back later, and not minutes later.
    const runner = wfQueueRunner.constructor as unknown as { defaultMaxPollingIntervalMs: number };
    runner.defaultMaxPollingIntervalMs = LONGEST_POLL_MS;
    return { DBOS, DBOSClient, executor: () => inside.DBOSExecutor.globalInstance };
  } catch (cause) {
    const message = `Several gateways on one Postgres need the package @dbos-inc/dbos-sdk, which is not installed. Install it with: npm install pg ${PACKAGE}`;
    throw new TuttiError("journal-failed", message, { cause });
  }
}
