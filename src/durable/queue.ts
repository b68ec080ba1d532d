// The queue of asks that several machines share, on DBOS Transact: each ask of a worker is a durable item of the queue of its
// provider, and whichever process has a place free takes it. One that benches takes items, too, so a machine alone is enough.
// Who takes part is known by the digest of its workers: a machine that would ask others never gets an item.
//
// DBOS is told the ids of asks and nothing that was said (ask-rows.ts).

import { randomUUID } from "node:crypto";
import { messageOf } from "../base/errors.ts";
import { openConnection } from "../store/postgres/connection.ts";
import { type Listener, listen } from "../store/postgres/listener.ts";
import { isModel } from "../worker/kinds.ts";
import type { Pool } from "../worker/types.ts";
import { createAskRows, prepareAsks, toChannel } from "./ask-rows.ts";
import { type Asker, createAsker } from "./asker.ts";
import { type DeadExecutor, type Executors, joinExecutors } from "./executors.ts";
import {
  type LoadedDbos,
  launchDbos,
  loadDbos,
  RECOVERED,
  toDbosConfig,
  toWarning,
  withIdleLimit,
} from "./load-dbos.ts";
import { findPeers, type Peer } from "./peers.ts";
import type { Spread } from "./queued-worker.ts";
import { createTaker, type Taker } from "./taker.ts";

/** How many asks at the same time. */
interface QueueLimits {
  /** Of one process at one provider. */
  perProcess: number;
  /** At one provider, over all machines. */
  perProvider: Readonly<Record<string, number>>;
  /** Of one bench, recording, training or environment at one provider, over all machines. */
  perOwner?: number;
}

export interface QueueOptions {
  /** The real workers. */
  pool: Pool;
  /** By worker: who it is. */
  digests: Readonly<Record<string, string>>;
  /** Of all of them: processes with the same one work together. */
  digest: string;
  /** The provider of a worker. */
  providerOf(worker: string): string;
  limits: QueueLimits;
  /** Whoever asks. Absent: this process only takes. */
  asking?: Asking;
  onWarning(text: string): void;
  /** How long what is under way here may still take when it is closed. */
  drainMs?: number;
}

interface Asking {
  /** For people: "tutti bench bench/mine". */
  title: string;
  /** The same whenever this work is gone on with. */
  owner: string;
  /** Its pool. */
  spread: Spread;
}

export interface AskQueue {
  readonly running: number;
  readonly taken: number;
  /** Others that live, with these workers or with other ones. */
  peers(): Promise<Peer[]>;
  /** Takes nothing more, waits for what is under way here, and leaves. */
  close(): Promise<void>;
}

/** Not the gateways': what is begun here is gone on with here. */
const NAME = "tutti-asks";
const SCHEMA = "tutti";
/** With the digest of its workers behind it. */
const SCOPES = "asks ";
const POLL_MS = 100;
const OPEN_MS = 5_000;
const SWEEP_MS = 60_000;
const SWEEP_AT_ONCE = 1_000;
const DRAIN_MS = 30_000;

/** DBOS knows functions by name and keeps one of itself in a process. */
let taker: Taker | undefined;
let isRegistered = false;

export async function openQueue(address: string, options: QueueOptions): Promise<AskQueue> {
  if (taker) throw new TypeError("This process takes asks from a queue already");
  const { digest, digests, asking, limits, providerOf, drainMs = DRAIN_MS } = options;
  const loaded = loadDbos();
  const { DBOS, DBOSClient } = loaded;
  const warn = createWarning(options.onWarning);
  await reach(address);
  // Once it was there it is waited for as long as it takes: replies that were paid for must be kept.
  const connection = await openConnection(address, {
    ...{ schema: SCHEMA, maxConnections: 6, patienceMs: Number.POSITIVE_INFINITY },
  });
  const executor = randomUUID();
  const scope = SCOPES + digest;
  const client = await DBOSClient.create({
    ...{ systemDatabaseUrl: withIdleLimit(address), systemDatabaseIdleTransactionTimeoutMs: 0 },
    ...{ systemDatabaseSchemaName: "dbos", applicationName: NAME },
  });
  const rows = createAskRows({
    connection,
    executor,
    queueIn: (transaction, { id, owner, queue }) =>
      client.enqueueInTransaction(
        transaction,
        { queueName: queue, workflowName: "ask", appVersion: digest, queuePartitionKey: owner },
        id,
      ),
  });
  const members = options.pool.members.filter(({ worker }) => isModel(worker));
  const taking = createTaker(rows, { members });
  taker = taking;
  const asker = asking && createAsker(rows, { owner: asking.owner, onError: warn });
  let listener: Listener | undefined;
  let executors: Executors | undefined;
  let hasLaunched = false;

  async function leave(): Promise<void> {
    clearInterval(sweeping);
    await listener?.close();
    if (hasLaunched) await shutDown(loaded, taking, drainMs);
    taker = undefined;
    await executors?.leave();
    await client.destroy();
    await connection.close();
  }
  const sweeping = setInterval(() => void sweep().catch(warn), SWEEP_MS);
  sweeping.unref();
  async function sweep(): Promise<void> {
    await rows.sweep();
    await sweepTurns(loaded);
  }

  try {
    await prepareAsks(connection, SCHEMA);
    listener = await listen(address, {
      channel: toChannel(executor),
      onMessage: (text) => hear(text, asker, taking),
      onOpen: () => void asker?.check().catch(warn),
    });
    if (!isRegistered) DBOS.registerWorkflow(performTurn, { name: "ask" });
    isRegistered = true;
    DBOS.setConfig({
      ...toDbosConfig({ address, name: NAME, version: digest, executorId: executor, onWarning: warn }),
      listenQueues: [...new Set(members.map(({ worker }) => toQueue(providerOf(worker.id))))],
    });
    await launchDbos(loaded, address);
    hasLaunched = true;
    for (const provider of new Set(members.map(({ worker }) => providerOf(worker.id))))
      await DBOS.registerQueue(toQueue(provider), {
        ...toLimits(limits, provider),
        minPollingIntervalMs: POLL_MS,
        onConflict: "always_update",
      });
    const about = JSON.stringify({ title: asking?.title, digests });
    executors = await joinExecutors({
      connection,
      id: executor,
      ...{ scope, about, watched: SCOPES },
      async recover(dead) {
        await rows.lose(dead.map(({ id }) => id));
        await giveBack(loaded, dead);
      },
      onError: (error) => warn(`what other machines have left could not be found: ${messageOf(error)}`),
    });
  } catch (error) {
    await leave();
    throw error;
  }
  if (asker) asking?.spread.connect(asker);
  return {
    get running() {
      return taking.running;
    },
    get taken() {
      return taking.taken;
    },
    peers: () => findPeers(connection, { executor, scope }),
    async close() {
      await asker?.close();
      await leave();
    },
  };
}

/** All that DBOS runs and knows: the id of an ask. */
async function performTurn(id: string): Promise<object> {
  await taker?.take(id);
  return {};
}

/**
 * The turns of dead processes, of whatever workers: they hold places of their providers until then. Each is taken again only by
 * a process with the same workers.
 */
async function giveBack({ executor }: LoadedDbos, dead: readonly DeadExecutor[]): Promise<void> {
  for (const { id, scope } of dead)
    await executor()?.systemDatabase.reenqueueWorkflowsForRecovery(id, scope.slice(SCOPES.length), RECOVERED);
}

function hear(text: string, asker: Asker | undefined, taking: Taker): void {
  const [what, id = ""] = text.split(" ");
  if (what === "ended") asker?.ended([id]);
  if (what === "stop") taking.stop(id);
}

/** A server that is away from the beginning is told at once. */
async function reach(address: string): Promise<void> {
  const connection = await openConnection(address, {
    ...{ schema: SCHEMA, maxConnections: 1, patienceMs: OPEN_MS },
  });
  try {
    await connection.query("SELECT 1");
  } finally {
    await connection.close();
  }
}

async function shutDown({ DBOS }: LoadedDbos, taking: Taker, drainMs: number): Promise<void> {
  const late = setTimeout(() => taking.stopAll(), drainMs);
  await DBOS.shutdown({ workflowCompletionTimeoutMS: drainMs + OPEN_MS });
  clearTimeout(late);
}

export function toQueue(provider: string): string {
  return `asks-${provider}`;
}

function toLimits({ perProcess, perProvider, perOwner }: QueueLimits, provider: string) {
  const globalConcurrency = Object.hasOwn(perProvider, provider) ? perProvider[provider] : undefined;
  const most = globalConcurrency ?? Number.POSITIVE_INFINITY;
  return {
    globalConcurrency,
    workerConcurrency: Math.min(perProcess, most),
    partitionConcurrency: perOwner === undefined ? undefined : Math.min(perOwner, most),
  };
}

/** Turns that are over are of no more use. */
async function sweepTurns({ DBOS }: LoadedDbos): Promise<void> {
  for (;;) {
    const ended = await DBOS.listWorkflows({
      status: ["SUCCESS", "ERROR", "CANCELLED"],
      endTime: new Date(Date.now() - SWEEP_MS).toISOString(),
      limit: SWEEP_AT_ONCE,
      loadInput: false,
      loadOutput: false,
    });
    if (ended.length > 0) await DBOS.deleteWorkflows(ended.map(({ workflowID }) => workflowID));
    if (ended.length < SWEEP_AT_ONCE) return;
  }
}

/** Each is told once; that two machines took from a queue at the same moment is no news. */
function createWarning(tell: (text: string) => void): (error: unknown) => void {
  const told = new Set<string>();
  return (error) => {
    const text = toWarning(error);
    if (/contention|exceeds the .* limit/i.test(text) || told.has(text)) return;
    told.add(text);
    tell(text);
  };
}
