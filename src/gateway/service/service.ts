// What this gateway shares with the others on its Postgres besides the journal. What all of them must know at once is told with
// NOTIFY, and looked at every second anyway: one question a second, however many requests there are.

import { messageOf } from "../../base/errors.ts";
import type { Log } from "../../http/log.ts";
import type { CircuitBreaker } from "../../perform/retry.ts";
import { openConnection, type PostgresConnection } from "../../store/postgres/connection.ts";
import { prepareTables } from "../../store/postgres/format.ts";
import { CHANNEL, listen } from "../../store/postgres/listener.ts";
import { type KeyTable, openKeyTable } from "./key-table.ts";
import { CIRCUITS, type CircuitRow, shareCircuits } from "./shared-circuits.ts";
import { toCopySweep } from "./shared-copies.ts";

const SCHEMA = "tutti";
const CONNECTIONS = 4;
const PATIENCE_MS = 30_000;
const LOOK_MS = 1_000;
/** Rows of dead gateways are looked for this often. */
const SWEEP_MS = 2_000;

/** What is told to all gateways. */
type Notice = { about: "keys" } | { about: "circuits" } | { about: "stop"; run: string };

export interface Service {
  /** Of this gateway, by which its rows are known while it lives. */
  readonly id: string;
  readonly connection: PostgresConnection;
  readonly keys: KeyTable;
  shareCircuits(breaker: CircuitBreaker): void;
  /** From now on what dead gateways held is given back: this one is known to live. */
  startSweep(): void;
  /** Tells every gateway, this one included. */
  tell(notice: Notice): Promise<void>;
  /** Hears that a run is to be stopped. */
  onStop(heard: (runId: string) => void): void;
  close(): Promise<void>;
}

export interface ServiceOptions {
  address: string;
  id: string;
  log: Pick<Log, "warn">;
  onNotice?: (text: string) => void;
}

/** The keys alone, for a command. */
export async function openServiceKeys(
  address: string,
  onWaiting?: (text: string) => void,
): Promise<{ keys: KeyTable; connection: PostgresConnection }> {
  const connection = await openConnection(address, {
    schema: SCHEMA,
    maxConnections: CONNECTIONS,
    patienceMs: PATIENCE_MS,
    onWaiting,
  });
  try {
    await prepareTables(connection, SCHEMA);
    return { keys: await openKeyTable(connection), connection };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

export async function openService({ address, id, log, onNotice }: ServiceOptions): Promise<Service> {
  const { keys, connection } = await openServiceKeys(address, onNotice);
  const warn = (error: unknown) =>
    log.warn("what gateways share could not be read or told", { text: messageOf(error) });
  let circuits: ReturnType<typeof shareCircuits> | undefined;
  const onStop: ((runId: string) => void)[] = [];
  let looking: Promise<void> | undefined;
  let isStale = false;
  let sweptAt = Number.POSITIVE_INFINITY;

  /** One at a time; who asks meanwhile has it done once more. */
  function look(): Promise<void> {
    isStale = true;
    looking ??= lookAll().finally(() => {
      looking = undefined;
    });
    return looking;
  }

  async function lookAll(): Promise<void> {
    while (isStale) {
      isStale = false;
      try {
        const [row] = await connection.query<{ keys: number | null; circuits: CircuitRow[] }>(
          `SELECT (SELECT version FROM marks WHERE name = 'keys') AS keys, ${CIRCUITS} AS circuits`,
        );
        circuits?.look(row!.circuits);
        await keys.look(row!.keys ?? 0);
      } catch (error) {
        warn(error);
      }
    }
  }

  /** What gateways held that are not among the living any more. */
  async function sweep(): Promise<void> {
    if (performance.now() - sweptAt < SWEEP_MS) return;
    sweptAt = performance.now();
    const isDead = "owner <> $1 AND owner NOT IN (SELECT id FROM executors WHERE heartbeat > 0)";
    await connection.query(
      `WITH a AS (DELETE FROM places WHERE ${isDead}), b AS (DELETE FROM session_holds WHERE ${isDead}),
         c AS (${toCopySweep(isDead)})
       DELETE FROM turns WHERE ${isDead}`,
      [id],
    );
  }

  function hear(text: string): void {
    const notice = parseNotice(text);
    if (notice?.about === "stop") for (const heard of onStop) heard(notice.run);
    else void look();
  }

  const listener = await listen(address, { onMessage: hear, onOpen: () => void look() });
  const timer = setInterval(() => void look().then(sweep).catch(warn), LOOK_MS);
  timer.unref();

  return {
    id,
    connection,
    keys,
    shareCircuits(breaker) {
      circuits = shareCircuits(breaker, { connection, owner: id, onError: warn });
      void look();
    },
    startSweep() {
      sweptAt = 0;
    },
    async tell(notice) {
      await connection.query("SELECT pg_notify($1, $2)", [CHANNEL, JSON.stringify(notice)]);
    },
    onStop: (heard) => void onStop.push(heard),
    async close() {
      clearInterval(timer);
      await listener.close();
      await looking;
      await connection.close();
    },
  };
}

/** Others on this database may use the channel too. */
function parseNotice(text: string): Notice | undefined {
  try {
    return JSON.parse(text) as Notice;
  } catch {
    return undefined;
  }
}
