// The environment as a process has it: one port for all engines. Bodies may be large and answers may take
// minutes, so nothing here is in a hurry; but every request that holds a completion gets a number in time.

import { isUtf8 } from "node:buffer";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { DEEPEST_LEVEL, isDeep } from "../base/deep.ts";
import { isTuttiError, TuttiError, usageError } from "../base/errors.ts";
import { createGate, type Gate } from "../base/gate.ts";
import { Connection } from "../http/connection.ts";
import { createLog, type Log } from "../http/log.ts";
import { checkSameSite, isLoopback } from "../http/same-site.ts";
import { toTarget } from "../http/target.ts";
import { RolloutDesk } from "./desk.ts";
import type { QuestionFinder } from "./find-question.ts";
import { BodyRoom, DEFAULT_LIMITS, type EnvironmentLimits, noRoom } from "./limits.ts";
import { createRolloutMetrics, type RolloutMetrics } from "./metrics.ts";
import { aggregateMetrics, nemoGym } from "./protocol/nemo-gym.ts";
import { openRlhf } from "./protocol/openrlhf.ts";
import { plain } from "./protocol/plain.ts";
import { badRequest } from "./protocol/read-body.ts";
import { slime } from "./protocol/slime.ts";
import { openRolloutJournal, type RolloutJournal } from "./rollout-journal.ts";
import type { EngineProtocol, FailureRewards, ScoredAnswer, Submission, TrainingEngine } from "./types.ts";

const CLOSING_MS = 30_000;
/** Beyond the longest deadline nobody who is still there is silent. */
const SILENT_MS = 60_000;
/** After so many submissions of a batch others get their turn. */
const AT_A_STRETCH = 64;

const REFUSAL =
  "Rewards are for programs that reach this server by a name it knows, never for pages: tutti rl serve --allow-host NAME adds one";

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

const ROUTES: ReadonlyMap<string, EngineProtocol> = new Map([
  ["/rl/openrlhf", openRlhf],
  ["/rl/slime", slime],
  ["/rl/score", plain],
  // Where NeMo Gym looks for it.
  ["/verify", nemoGym],
]);

export interface EnvironmentOptions {
  finder: QuestionFinder;
  /** The file of what was performed. */
  journal: string;
  /** 0: any free one. */
  port?: number;
  /** Without a key: another than loopback is for whoever says by which names it is reached, with `allowedHosts`. */
  host?: string;
  /** Names and addresses that engines use for this server, besides those of loopback. */
  allowedHosts?: readonly string[];
  limits?: Partial<EnvironmentLimits>;
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
  const { now = Date.now, patienceMs = 90_000, wait = waitFor, allowedHosts = [] } = options;
  if (!isLoopback(host) && allowedHosts.length === 0)
    throw usageError(
      `Engines send no key, so whoever reaches ${host} could have rollouts performed. Say by which name or address the engines reach it: --allow-host 10.0.0.5`,
    );
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const deadlinesMs = { ...DEADLINES_MS, ...options.deadlinesMs };
  const log = options.log ?? createLog({ write: () => {}, level: "off" });
  // An engine sends hundreds of rollouts at once, and providers refuse so many.
  const gate = createGate(concurrency);
  const metrics = createRolloutMetrics({ isSimulated: finder.isSimulated, gate, now });
  const journal = await openRolloutJournal(options.journal, (row) => metrics.addEarlier(row));
  const failureRewards = { budget: 0, other: 0, ...options.failureRewards };
  const shared = { finder, journal, metrics, log };
  const desk = new RolloutDesk({ ...shared, gate, failureRewards, patienceMs, now, wait });
  const room = new BodyRoom(limits);
  const context: Context = { ...shared, desk, deadlinesMs, limits, room, allowedHosts };

  const { headersMs, requestMs } = limits;
  const server = createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: Math.min(headersMs, requestMs),
    },
    (incoming, outgoing) => void serve(context, incoming, outgoing),
  );
  server.maxConnections = limits.connections;
  server.timeout = Math.max(...Object.values(deadlinesMs)) + SILENT_MS;
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
  limits: EnvironmentLimits;
  room: BodyRoom;
  allowedHosts: readonly string[];
}

async function serve(context: Context, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const connection = new Connection(incoming, outgoing);
  try {
    await answer(context, connection);
  } catch (error) {
    const isOurs = !isTuttiError(error);
    if (isOurs) context.log.error("a request broke", { error });
    const shown = isOurs ? new TuttiError("internal", "Something broke here; the log says what") : error;
    const { code, message, status, retryAfterMs } = shown as TuttiError;
    connection.json(
      status,
      { error: { code, message } },
      {
        ...(status === 503 && { connection: "close" }),
        ...(retryAfterMs !== undefined && { "retry-after": String(Math.ceil(retryAfterMs / 1000)) }),
      },
    );
  }
}

async function answer(context: Context, connection: Connection): Promise<void> {
  const { allowedHosts } = context;
  checkSameSite(connection, { allowedHosts, refusal: REFUSAL });
  const { method = "GET", url = "/" } = connection.incoming;
  const { path: asked, query } = toTarget(url);
  const path = asked.length > 1 && asked.endsWith("/") ? asked.slice(0, -1) : asked;
  if (method === "GET" || method === "HEAD") return tell(context, connection, path);
  if (method !== "POST") throw new TuttiError("bad-method", `${method} is not served here`);
  const protocol = ROUTES.get(path);
  if (protocol)
    return withBody(context, connection, async (body, raw) => {
      const submissions = protocol.read(body);
      const answers = await scoreAll(context, protocol.engine, submissions);
      send(connection, protocol.write(answers, new URLSearchParams(query as Record<string, string>), raw));
    });
  if (path === "/seed_session") {
    await withBody(context, connection, async () => {});
    connection.set({ "set-cookie": `session=${connection.requestId}; Path=/; HttpOnly` });
    return send(connection, "{}");
  }
  if (path === "/aggregate_metrics")
    return withBody(context, connection, async (body) => send(connection, aggregateMetrics(body)));
  const shown = path.slice(0, 100);
  throw new TuttiError("no-route", `There is no ${shown} here (there are: ${[...ROUTES.keys()].join(", ")})`);
}

async function scoreAll(
  { desk, limits, deadlinesMs }: Context,
  engine: TrainingEngine,
  submissions: readonly Submission[],
): Promise<ScoredAnswer[]> {
  if (desk.isClosing) throw stopping();
  if (submissions.length > limits.submissions) {
    const most = `at most ${limits.submissions} are taken in one request`;
    throw new TuttiError("too-large", `There are ${submissions.length} submissions; ${most}`);
  }
  if (desk.underWay >= limits.waiting) throw noRoom(`${desk.underWay} rollouts are waiting already`);
  const scored: Promise<ScoredAnswer>[] = [];
  for (const [i, submission] of submissions.entries()) {
    if (i > 0 && i % AT_A_STRETCH === 0) await new Promise((resolve) => setImmediate(resolve));
    scored.push(desk.score(engine, submission, deadlinesMs[engine]));
  }
  const answers = await Promise.all(scored);
  // Engines ask again after an error; a number they would learn from.
  if (desk.isStopped && answers.some(({ verdict }) => verdict.type === "failure")) throw stopping();
  return answers;
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

/** The body counts as held until `use` is done with it. */
function withBody(
  { limits, room }: Context,
  connection: Connection,
  use: (body: unknown, raw: string) => Promise<void>,
): Promise<void> {
  const length = connection.header("content-length");
  // Before anything is held: a length that lies above the limit is refused by it.
  if (Number(length ?? 0) > limits.bodyBytes) return connection.readBody(limits.bodyBytes).then(() => {});
  return room.hold(length, async (mostBytes) => {
    const bytes = await connection.readBody(mostBytes);
    // Read all the same, every bad byte would become another character, and with it another completion.
    if (!isUtf8(bytes)) throw badRequest("The body is not UTF-8");
    const raw = bytes.toString("utf8");
    await use(parseJson(raw), raw);
  });
}

function parseJson(raw: string): unknown {
  let body: unknown;
  try {
    body = JSON.parse(raw);
  } catch {
    throw badRequest("The body is not JSON");
  }
  if (isDeep(body)) throw badRequest(`The body is nested more than ${DEEPEST_LEVEL} levels deep`);
  return body;
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
