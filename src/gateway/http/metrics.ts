// Metrics for Prometheus, in a registry of our own: two gateways in one process do not mix. Labels take their
// values from bounded sets, for each value is a series that is kept for ever; and no metric can fail a request.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** Where a request went. `none`: it was refused before that was known, or asked for no model. */
export type ModelKind = "team" | "worker" | "relay" | "none";

/** What became of a request that was drawn to be asked again, unseen: not at all for want of room or money, or asked. */
export type ShadowOutcome = "answered" | "failed" | "busy" | "budget" | "closing";

interface EndedRequest {
  /** As it is declared ("/v1/runs/:id"), never the path that was asked for. */
  route: string;
  status: number;
  modelKind: ModelKind;
  durationMs: number;
  firstTokenMs?: number;
  /** What the gateway itself took of it. */
  overheadMs?: number;
}

export type Metrics = ReturnType<typeof createMetrics>;

const OTHER = "other";
const MOST_ROUTES = 64;
const MOST_WORKERS = 500;
const REQUEST_SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900];
const OVERHEAD_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];

export function createMetrics({ workers = [] }: { workers?: Iterable<string> } = {}) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const counter = <T extends string>(name: string, help: string, labelNames: T[] = []) =>
    new Counter({ name: `tutti_${name}_total`, help, labelNames, registers });
  const histogram = <T extends string>(name: string, help: string, labelNames: T[], buckets: number[]) =>
    new Histogram({ name: `tutti_${name}_seconds`, help, labelNames, buckets, registers });
  const answered = "Requests that were answered, by route, status and where they went.";
  const requests = counter("requests", answered, ["route", "status", "model_kind"]);
  const toEnd = "From the request's arrival to the end of its reply.";
  const requestSeconds = histogram("request", toEnd, ["route"], REQUEST_SECONDS);
  const toToken = "From the request's arrival to the first piece of the answer.";
  const firstTokenSeconds = histogram("first_token", toToken, ["route"], REQUEST_SECONDS);
  const own = "What the gateway itself took of a request.";
  const overheadSeconds = histogram("overhead", own, [], OVERHEAD_SECONDS);
  const help = "Requests that are being answered.";
  const running = new Gauge({ name: "tutti_running_requests", help, registers });
  const gauge = (name: string, text: string) => new Gauge({ name: `tutti_${name}`, help: text, registers });
  const runningRuns = gauge("running_runs", "Runs that this gateway performs.");
  const waitingRuns = gauge("waiting_runs", "Runs of others that this gateway will go on with.");
  const cost = counter("cost_usd", "Dollars that runs took.", ["simulated"]);
  const tokens = counter("tokens", "Tokens of all calls, orchestration included.", ["direction"]);
  const calls = counter("worker_calls", "Calls of workers of the pool.", ["worker", "outcome"]);
  const refused = counter("usage_refused", "Reports of usage that cannot be true.", ["worker"]);
  const joined = counter("joined_requests", "Repeats that joined the run of the first.");
  const shadow = counter("shadow_runs", "Requests drawn to be asked again, unseen.", ["outcome"]);
  const shadowCost = counter("shadow_cost_usd", "Dollars that shadow runs took.", ["simulated"]);
  const cached = counter("cached_responses", "Requests that were answered from the response cache.");
  const saved = counter("cached_saved_usd", "Dollars that those answers took when they were made.", [
    "simulated",
  ]);

  const toRoute = createBounded(MOST_ROUTES);
  const toWorker = createBounded(MOST_WORKERS);
  let known = new Set(workers);
  /** Workers that are not of the pool count as "other". */
  const toKnown = (worker: string) => (known.has(worker) ? toWorker(worker) : OTHER);

  return {
    requestStart: () => running.inc(),
    requestEnd(request: EndedRequest) {
      const { status, modelKind, durationMs, firstTokenMs, overheadMs } = request;
      const route = toRoute(request.route);
      running.dec();
      requests.inc({ route, status: toStatus(status), model_kind: modelKind });
      observe(requestSeconds.labels(route), durationMs);
      observe(firstTokenSeconds.labels(route), firstTokenMs);
      observe(overheadSeconds, overheadMs);
    },
    addCost: (usd: number, isSimulated: boolean) => add(cost.labels(String(isSimulated)), usd),
    addTokens({ inputTokens, outputTokens }: { inputTokens: number; outputTokens: number }) {
      add(tokens.labels("input"), inputTokens);
      add(tokens.labels("output"), outputTokens);
    },
    addWorkerCall: (worker: string, outcome: "ok" | "error") =>
      calls.inc({ worker: toKnown(worker), outcome }),
    /** A report of usage that was not believed. */
    addRefusedUsage: (worker: string) => refused.inc({ worker: toKnown(worker) }),
    addShadow: (outcome: ShadowOutcome) => shadow.inc({ outcome }),
    addShadowCost: (usd: number, isSimulated: boolean) => add(shadowCost.labels(String(isSimulated)), usd),
    /** A repeat that got the run of the first. */
    addJoined: () => joined.inc(),
    addCached(savedUsd: number, isSimulated: boolean) {
      cached.inc();
      add(saved.labels(String(isSimulated)), savedUsd);
    },
    /** The pool may change while the gateway runs. */
    setWorkers(ids: Iterable<string>) {
      known = new Set(ids);
    },
    /** What an autoscaler goes by. */
    setRuns(counts: { running: number; waiting: number }) {
      runningRuns.set(counts.running);
      waitingRuns.set(counts.waiting);
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

/** The first so many values as they are, all later ones as "other". */
function createBounded(most: number): (value: string) => string {
  const seen = new Set<string>();
  return (value) => {
    if (seen.has(value)) return value;
    if (seen.size >= most) return OTHER;
    seen.add(value);
    return value;
  };
}

function toStatus(status: number): string {
  return Number.isInteger(status) && status >= 100 && status <= 599 ? String(status) : OTHER;
}

/** prom-client throws for what is no number or negative; an odd value is left out instead. */
function add(counter: { inc(by: number): void }, amount: number): void {
  if (Number.isFinite(amount) && amount > 0) counter.inc(amount);
}

function observe(histogram: { observe(seconds: number): void }, ms: number | undefined): void {
  if (ms !== undefined && Number.isFinite(ms) && ms >= 0) histogram.observe(ms / 1000);
}
