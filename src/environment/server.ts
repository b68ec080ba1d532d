// The environment as a process has it: one port for all engines. Bodies may be large and answers may take
// minutes, so nothing here is in a hurry; but every request that holds a completion gets a number in time.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { isTuttiError, TuttiError } from "../base/errors.ts";
import { createGate, type Gate } from "../base/gate.ts";
import { Connection } from "../http/connection.ts";
import { createLog, type Log } from "../http/log.ts";
import { RolloutDesk } from "./desk.ts";
import type { QuestionFinder } from "./find-question.ts";
import { createRolloutMetrics, type RolloutMetrics } from "./metrics.ts";
import { aggregateMetrics, nemoGym } from "./protocol/nemo-gym.ts";
import { openRlhf } from "./protocol/openrlhf.ts";
import { plain } from "./protocol/plain.ts";
import { badRequest } from "./protocol/read-body.ts";
import { slime } from "./protocol/slime.ts";
import { openRolloutJournal, type RolloutJournal } from "./rollout-journal.ts";
import type { EngineProtocol, FailureRewards, TrainingEngine } from "./types.ts";

/** A batch of 4,096 long rollouts fits. */
const MOST_BYTES = 512_000_000;
const CLOSING_MS = 30_000;

/**
 * Before the engine's own time-out: OpenRLHF 180 s a try, slime 120 s with its wait for a socket. slime asks
 * again after a time-out, and then joins what runs; a number given too early would be a false reward.
 */
const DEADLINES_MS: Readonly<Record<TrainingEngine, number>> = {
  openrlhf: 170_000,
  slime: 110_000,
  "nemo-gym": 600_000,
  plain: 280_000,
};

const ROUTES: Readonly<Record<string, EngineProtocol>> = {
  "/rl/openrlhf": openRlhf,
  "/rl/slime": slime,
  "/rl/score": plain,
  // Where NeMo Gym looks for it.
  "/verify": nemoGym,
};

export interface EnvironmentOptions {
  finder: QuestionFinder;
  /** The file of what was performed. */
  journal: string;
  /** 0: any free one. */
  port?: number;
  host?: string;
  concurrency?: number;
  deadlinesMs?: Partial<Record<TrainingEngine, number>>;
  failureRewards?: Partial<FailureRewards>;
  patienceMs?: number;
  log?: Log;
  now?: () => number;
  wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface EnvironmentServer {
  readonly url: string;
  readonly metrics: RolloutMetrics;
  readonly gate: Gate;
  /** What runs is finished, or stopped after half a minute. */
  close(): Promise<void>;
}

export async function startEnvironment(options: EnvironmentOptions): Promise<EnvironmentServer> {
  const { finder, port = 0, host = "127.0.0.1", concurrency = 64 } = options;
  const { now = Date.now, patienceMs = 90_000, wait = waitFor } = options;
  const log = options.log ?? createLog({ write: () => {}, level: "off" });
  // An engine sends hundreds of rollouts at once, and providers refuse so many.
  const gate = createGate(concurrency);
  const metrics = createRolloutMetrics({ isSimulated: finder.isSimulated, gate, now });
  const journal = await openRolloutJournal(options.journal, (row) => metrics.addEarlier(row));
  const failureRewards = { budget: 0, other: 0, ...options.failureRewards };
  const shared = { finder, journal, metrics, log };
  const desk = new RolloutDesk({ ...shared, gate, failureRewards, patienceMs, now, wait });
  const context: Context = { ...shared, desk, deadlinesMs: { ...DEADLINES_MS, ...options.deadlinesMs } };

  const server = createServer((incoming, outgoing) => void serve(context, incoming, outgoing));
  server.requestTimeout = 0;
  server.timeout = 0;
  // Engines keep hundreds of sockets; one that is closed while a request is on its way is a failed reward.
  server.keepAliveTimeout = 600_000;
  try {
    await listen(server, port, host);
  } catch (error) {
    journal.close();
    throw error;
  }
  const address = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`,
    metrics,
    gate,
    close() {
      closing ??= close(server, desk, journal);
      return closing;
    },
  };
}

interface Context {
  finder: QuestionFinder;
  desk: RolloutDesk;
  metrics: RolloutMetrics;
  log: Log;
  deadlinesMs: Record<TrainingEngine, number>;
  journal: RolloutJournal;
}

async function serve(context: Context, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const connection = new Connection(incoming, outgoing);
  try {
    await answer(context, connection);
  } catch (error) {
    const isOurs = !isTuttiError(error);
    if (isOurs) context.log.error("a request broke", { error });
    const shown = isOurs ? new TuttiError("internal", "Something broke here; the log says what") : error;
    const { code, message, status } = shown as TuttiError;
    connection.json(status, { error: { code, message } }, status === 503 ? { connection: "close" } : {});
  }
}

async function answer(context: Context, connection: Connection): Promise<void> {
  const { method = "GET", url = "/" } = connection.incoming;
  const { pathname, searchParams } = new URL(url, "http://environment");
  const path = pathname.length > 1 ? pathname.replace(/\/+$/, "") : pathname;
  if (method === "GET" || method === "HEAD") return tell(context, connection, path);
  if (method !== "POST") throw new TuttiError("bad-method", `${method} is not served here`);
  const protocol = ROUTES[path];
  if (protocol) {
    const { desk } = context;
    const { raw, body } = await readJson(connection);
    const submissions = protocol.read(body);
    if (desk.isClosing) throw stopping();
    const deadlineMs = context.deadlinesMs[protocol.engine];
    const answers = await Promise.all(
      submissions.map((submission) => desk.score(protocol.engine, submission, deadlineMs)),
    );
    // Engines ask again after an error; a number they would learn from.
    if (desk.isStopped && answers.some(({ verdict }) => verdict.type === "failure")) throw stopping();
    return send(connection, protocol.write(answers, searchParams, raw));
  }
  if (path === "/seed_session") {
    await readJson(connection);
    connection.set({ "set-cookie": `session=${connection.requestId}; Path=/; HttpOnly` });
    return send(connection, "{}");
  }
  if (path === "/aggregate_metrics")
    return send(connection, aggregateMetrics((await readJson(connection)).body));
  throw new TuttiError("no-route", `There is no ${path} here (there are: ${Object.keys(ROUTES).join(", ")})`);
}

function stopping(): TuttiError {
  return new TuttiError("stopping", "The server is being stopped: ask again when it is back");
}

async function tell(
  { finder, metrics, journal, desk }: Context,
  connection: Connection,
  path: string,
): Promise<void> {
  if (path === "/metrics") return send(connection, await metrics.text(), metrics.contentType);
  if (path !== "/" && path !== "/health")
    throw new TuttiError("no-route", `There is no page ${path} here (there are: /health, /metrics)`);
  const { performed, kept, joined, failures, costUsd } = metrics.snapshot();
  connection.json(200, {
    status: "ok",
    world: finder.name,
    simulated: finder.isSimulated,
    rollouts: journal.size,
    under_way: desk.underWay,
    performed,
    kept,
    joined,
    failures,
    cost_usd: costUsd,
  });
}

async function readJson(connection: Connection): Promise<{ raw: string; body: unknown }> {
  const raw = (await connection.readBody(MOST_BYTES)).toString("utf8");
  try {
    return { raw, body: JSON.parse(raw) };
  } catch {
    throw badRequest("The body is not JSON");
  }
}

function send(connection: Connection, text: string, type = "application/json"): void {
  // Whoever hung up finds the reward in the journal when it asks again.
  if (connection.outgoing.destroyed || connection.outgoing.writableEnded) return;
  connection.begin(200, { "content-type": type, "content-length": String(Buffer.byteLength(text)) });
  connection.end(text);
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host, backlog: 4_096 }, resolve);
  });
}

async function close(server: Server, desk: RolloutDesk, journal: RolloutJournal): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  await desk.close(CLOSING_MS);
  // The last bytes of the last answers.
  await delay(50);
  server.closeAllConnections();
  await closed;
  journal.close();
}

/** With plain timers: an aborted promise makes an error with a stack, for every answer. */
function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) end();
  });
}
