// DBOS Transact, an optional package that is loaded here and only for a journal in Postgres. It is told to be silent: no
// telemetry, no connection to anybody but the database, and of its log only what is wrong.

import { createRequire } from "node:module";
import type { DBOS as Dbos } from "@dbos-inc/dbos-sdk";
import { TuttiError } from "../base/errors.ts";

/** As in package.json, where it is an optional peer. */
const PACKAGE = "@dbos-inc/dbos-sdk@5.3.0";

/** What of DBOS is not in its public interface, of the version that is pinned. */
interface Executor {
  /** Puts the workflows of an executor that has died into a queue, in one statement: of two that do so one finds them. */
  recoverPendingWorkflows(executorIds: string[]): Promise<unknown[]>;
}

export interface LoadedDbos {
  DBOS: typeof Dbos;
  executor(): Executor | undefined;
}

export function loadDbos(): LoadedDbos {
  // It is CommonJS, and takes a tenth of a second to load.
  const require = createRequire(import.meta.url);
  try {
    const { DBOS } = require("@dbos-inc/dbos-sdk") as { DBOS: typeof Dbos };
    const inside = require("@dbos-inc/dbos-sdk/internal/dbos-executor") as {
      DBOSExecutor: { globalInstance?: Executor };
    };
    const { dbRetryConfig } = require("@dbos-inc/dbos-sdk/internal/utils") as {
      dbRetryConfig: { initialBackoffSec: number; maxBackoffSec: number };
    };
    // A server that restarts is back within seconds: waits of a minute would hold up what is answered.
    dbRetryConfig.initialBackoffSec = 0.1;
    dbRetryConfig.maxBackoffSec = 2;
    return { DBOS, executor: () => inside.DBOSExecutor.globalInstance };
  } catch (cause) {
    const message = `Several gateways on one Postgres need the package @dbos-inc/dbos-sdk, which is not installed. Install it with: npm install pg ${PACKAGE}`;
    throw new TuttiError("journal-failed", message, { cause });
  }
}
