// The gateway as a process has it: what it is made of, listening, and an end that loses nothing.

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { messageOf, usageError } from "../base/errors.ts";
import { type Environment, isPostgresAddress, toStoreFile, toStorePath } from "../config/home.ts";
import { limitConnections, toConnectionLimit } from "../http/connection-limit.ts";
import { createLog, type Log } from "../http/log.ts";
import { isLoopback } from "../http/same-site.ts";
import { CountedInputs } from "../perform/counted-inputs.ts";
import { createObserve } from "../tutti/observers.ts";
import { createOwner } from "../tutti/run-setup.ts";
import { createTutti, parseInput, type TuttiInput } from "../tutti/tutti.ts";
import { onRefusedUsage } from "../worker/usage.ts";
import { createAdmissionControl } from "./access/admission.ts";
import { HeldBytes } from "./access/held-bytes.ts";
import { createKeyRing, type KeyRing, openKeyRing } from "./access/keys.ts";
import { settleLost } from "./access/lost-reservations.ts";
import { Places } from "./access/places.ts";
import { ReadLimit } from "./access/read-limit.ts";
import {
  MOST_CONNECTIONS,
  MOST_OPEN_OF_KEY,
  MOST_READERS_OF_KEY,
  MOST_READERS_OF_RUN,
} from "./access/request-limits.ts";
import { LocalSessions } from "./access/sessions.ts";
import { UploadDesk } from "./access/uploads.ts";
import { createApp } from "./app.ts";
import { ResponseCache } from "./cache/response-cache.ts";
import type { GatewayContext } from "./context.ts";
import { createTrainer } from "./dashboard/trainer.ts";
import { DIALECTS } from "./dialect/dialects.ts";
import { createMetrics } from "./http/metrics.ts";
import { readPageFiles } from "./http/page-files.ts";
import { PastReader, type ReaderOptions } from "./reads/reader.ts";
import { ReplyCopies } from "./relay/copies.ts";
import { JournalBatch } from "./relay/journal-batch.ts";
import { createRelayPools } from "./relay/pools.ts";
import { countRun, countSession, deletePrivate, journalInferred, sweepPrivate } from "./runs/after-run.ts";
import { EarlierRuns } from "./runs/earlier-runs.ts";
import { openRunEngine } from "./runs/left-runs.ts";
import { LiveRuns } from "./runs/live-runs.ts";
import { createModelCatalog } from "./runs/models.ts";
import { resumeBackground } from "./runs/resume-background.ts";
import { RunDispatcher } from "./runs/run-dispatcher.ts";
import { RemoteRuns } from "./service/remote-runs.ts";
import { openService, type Service } from "./service/service.ts";
import { createSharedCopies } from "./service/shared-copies.ts";
import { SharedSessions } from "./service/shared-sessions.ts";
import { createSharedSlots } from "./service/shared-slots.ts";
import { createSharedTurns } from "./service/shared-turns.ts";
import { createSharedTurnstile } from "./service/shared-turnstile.ts";
import { takeOverFirst } from "./service/take-over-keys.ts";
import { ShadowDesk, toDestination } from "./shadow/shadow-desk.ts";
import type { Dialect } from "./types.ts";

export interface GatewayOptions {
  /** As for `createTutti`: a store and observers of one's own are taken too. */
  config?: TuttiInput;
  env?: Environment;
  /** 0: any free one. */
  port?: number;
  host?: string;
  log?: Log;
  /** What it speaks; by default all that are registered. */
  dialects?: readonly Dialect[];
  /** Trainings and benches are looked for below; by default where the process was started. */
  cwd?: string;
  /** The file that a person named for `config`: trainings that the dashboard starts read it, too. */
  configFile?: string;
  /** Hears what a person should know: which pool is used and why, who was left out. */
  onNotice?: (text: string) => void;
}

export interface Gateway {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** Nobody needs a key: it listens on this machine only. */
  readonly isOpen: boolean;
  /** Running work is finished within `gateway.shutdownMs`; what is not is journaled and can be resumed. */
  close(): Promise<void>;
}

/** For what stopped runs still say to their clients. */
const LAST_BYTES_MS = 500;
/** How often this gateway says that it lives: a reservation without it for three times as long belongs to nobody. */
const SETTLE_MS = 5_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const { env = process.env, port = 0, host = "127.0.0.1", cwd = process.cwd() } = options;
  const { config, store: given, observers } = parseInput(options.config ?? {});
  const log = options.log ?? createLog({ write: () => {}, level: "off" });
  const onNotice = options.onNotice ?? ((text: string) => log.warn(text));
  const path = given ? "memory" : toStorePath(config.store, env);
  const address = isPostgresAddress(path) ? path : undefined;
  const service =
    address === undefined ? undefined : await openService({ address, id: randomUUID(), log, onNotice });
  const keys = await openKeys(service, { env, host, onNotice });
  const tutti = createTutti(
    { ...config, store: given ?? config.store, observers },
    { env: { ...env }, onNotice, engine: () => context.engine, slots: service && createSharedSlots(service) },
  );
  const store = await tutti.store();
  const owner = createOwner();
  const metrics = createMetrics();
  const stopHearing = onRefusedUsage(createUsageWatch(metrics, log));
  const live = new LiveRuns();
  const past: ReaderOptions = {
    openStore: () => tutti.store(),
    storePath: given ? undefined : toStoreFile(config.store, env),
    env,
    cwd,
  };
  const runReader = new PastReader(past);
  const sessions = service ? new SharedSessions(service) : new LocalSessions(() => tutti.store());
  const remote = service && new RemoteRuns(service.connection, () => tutti.store());
  const others = service &&
    remote && { enterTurn: createSharedTurns(service), follow: (runId: string) => remote.follow(runId) };
  service?.onStop((runId) => live.find(runId)?.stop());
  const held = new HeldBytes();
  const context: GatewayContext = {
    tutti,
    config,
    env,
    keys,
    counted: new CountedInputs(),
    admission: createAdmissionControl({
      store,
      owner,
      log,
      now: Date.now,
      settleMs: 150,
      turnstile: service && createSharedTurnstile({ connection: service.connection, owner: service.id }),
    }),
    sessions,
    uploads: new UploadDesk(config.gateway),
    held,
    open: new Places(MOST_OPEN_OF_KEY, "requests of this API key being answered"),
    readLimit: new ReadLimit(),
    readers: {
      ofKey: new Places(MOST_READERS_OF_KEY, "readers of live events with this API key"),
      ofRun: new Places(MOST_READERS_OF_RUN, "readers of the live events of this run"),
    },
    models: createModelCatalog(tutti, config, env),
    live,
    dispatcher: new RunDispatcher(
      tutti,
      live,
      new EarlierRuns(store, runReader, held),
      async (run, before) => {
        countRun(metrics, run, before);
        await countSession(sessions, run, before);
        if (run.stopReason === undefined) return; // another gateway goes on with it
        await journalInferred(store, run, log);
        await deletePrivate(store, run, log);
      },
      others,
    ),
    shadow: new ShadowDesk(),
    pools: createRelayPools(),
    copies: new ReplyCopies(),
    sharedCopies: service && createSharedCopies(service),
    responseCache: config.gateway.responseCache && new ResponseCache(config.gateway.responseCache),
    journalBatch: new JournalBatch(store, createObserve(observers, onNotice)),
    metrics,
    log,
    cwd,
    trainer: createTrainer({ env, cwd, configFile: options.configFile }),
    reader: new PastReader(past),
    runReader,
    dialects: options.dialects ?? DIALECTS,
    page: readPageFiles(),
    service,
    remote,
    engine: undefined,
    isClosing: false,
    relaying: 0,
  };
  await settleLost(store, owner, log);
  if (config.gateway.shadow)
    void toDestination(context, config.gateway.shadow.model, undefined).catch((error: unknown) =>
      onNotice(`gateway.shadow.model cannot be asked: ${messageOf(error)}`),
    );
  if (service && address !== undefined) {
    service.shareCircuits(tutti.circuits);
    await openRunEngine(context, address, service);
    service.startSweep();
  }
  const resuming = context.engine ? undefined : await resumeBackground(context);
  const settling = setInterval(() => void settleLost(store, owner, log), SETTLE_MS);
  settling.unref();
  const sweep = async () => {
    await sweepPrivate(store, log, Date.now());
    if (config.retentionDays !== undefined)
      await store
        .prune(Date.now() - config.retentionDays * DAY_MS)
        .catch((error) => log.error("pruning", { error }));
  };
  void sweep();
  const sweeping = setInterval(() => void sweep(), HOUR_MS);
  sweeping.unref();

  const app = createApp(context);
  const answering = new Set<Promise<unknown>>();
  const server = createServer((request, response) => {
    if (context.isClosing) response.shouldKeepAlive = false;
    const closed = new Promise<void>((resolve) => response.once("close", resolve));
    const answered = Promise.allSettled([app(request, response), closed]);
    answering.add(answered);
    void answered.then(() => answering.delete(answered));
  });
  // A whole team may think for minutes before the first byte; what clients send must come quickly.
  server.requestTimeout = 120_000;
  server.headersTimeout = 20_000;
  server.keepAliveTimeout = 75_000;
  server.on("clientError", (_error, socket) => {
    if (socket.writable)
      socket.end("HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
  });
  const mostConnections = toConnectionLimit(MOST_CONNECTIONS);
  limitConnections(server, mostConnections);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    // A burst of connections must not make the next one wait for a second, which is when TCP asks again.
    server.listen({ port, host, backlog: mostConnections }, resolve);
  });
  const listening = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${listening.port}`,
    host,
    port: listening.port,
    isOpen: keys.isEmpty(),
    async close() {
      if (context.isClosing) return;
      context.isClosing = true;
      clearInterval(sweeping);
      clearInterval(settling);
      resuming?.stop();
      stopHearing();
      // It listens on until then: whoever comes meanwhile hears that it ends, and that it is not ready.
      await Promise.all([finish(context, answering), context.trainer.close(), context.shadow.close()]);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await Promise.all([closed, ...answering]);
      await context.pools.close();
      await context.journalBatch.flush();
      await context.engine?.close();
      remote?.close();
      await service?.close();
      await Promise.all([context.reader.close(), runReader.close()]);
      await tutti.close();
    },
  };
}

/** Whoever listens for other machines needs keys first. */
async function openKeys(
  service: Service | undefined,
  { env, host, onNotice }: { env: Environment; host: string; onNotice(text: string): void },
): Promise<KeyRing> {
  try {
    const keys = service ? createKeyRing(service.keys) : openKeyRing({ env });
    if (service) await takeOverFirst(service.keys, env, onNotice);
    if (keys.isEmpty() && !isLoopback(host))
      throw usageError(
        `Without a key anybody who reaches ${host} could spend your money. Create one first: tutti keys create --name me${service ? " --postgres" : ""}`,
      );
    return keys;
  } catch (error) {
    await service?.close();
    throw error;
  }
}

const MOST_WARNED = 1_000;

/** Counts reports that cannot be true; the log says it once for each worker. */
function createUsageWatch(metrics: GatewayContext["metrics"], log: Log): (workerId: string) => void {
  const warned = new Set<string>();
  return (worker) => {
    metrics.addRefusedUsage(worker);
    if (warned.has(worker) || warned.size >= MOST_WARNED) return;
    warned.add(worker);
    log.warn("a provider's report of usage cannot be true: what was sent and written is counted instead", {
      worker,
    });
  };
}

/**
 * What runs may end by itself for a while, to its last byte; then it is stopped, which journals what there is, or left to
 * another gateway.
 * What is passed through ends with its connection.
 */
async function finish(
  { live, config, engine }: GatewayContext,
  answering: ReadonlySet<Promise<unknown>>,
): Promise<void> {
  const over = async () => {
    while (live.size + answering.size > 0)
      await Promise.allSettled([...live.all().map((run) => run.result), ...answering]);
  };
  await within(config.gateway.shutdownMs, over());
  for (const run of live.all()) {
    if (engine) run.handOver();
    else run.stop();
  }
  await Promise.allSettled(live.all().map((run) => run.result));
  await within(LAST_BYTES_MS, over());
}

async function within(limitMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
