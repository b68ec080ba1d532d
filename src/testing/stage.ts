// A stage for tests of the performer: workers that say what a function says, a Conductor that plays
// given plans, a store in memory. Only the outside world is replaced; the performer is the real one.

import { hostname } from "node:os";
import type { ComposeRequest, Conductor } from "../conductor/types.ts";
import { CircuitBreaker } from "../perform/retry.ts";
import type { Stage } from "../perform/stage.ts";
import { createMemoryStore } from "../store/memory.ts";
import { toPoolEntry } from "../store/pool-entry.ts";
import type { RunEvent, RunSettings } from "../store/types.ts";
import { NO_USAGE } from "../worker/price.ts";
import type { Pool, PoolMember, Price, Usage, Worker, WorkerEvent, WorkerRequest } from "../worker/types.ts";
import type { Access, Decision, Workflow } from "../workflow/types.ts";

type Reply = string | WorkerEvent[] | Error;
type Script = (request: WorkerRequest, signal: AbortSignal, call: number) => Reply | Promise<Reply>;

export interface ScriptedWorker extends Worker {
  requests: WorkerRequest[];
}

/** A worker that replies what `script` returns; an Error is thrown, a list of events is yielded as it is. */
export function scriptedWorker(
  id: string,
  script: Script | string,
  kind: Worker["kind"] = "model",
): ScriptedWorker {
  const requests: WorkerRequest[] = [];
  return {
    id,
    kind,
    requests,
    async *ask(request, signal) {
      requests.push(request);
      const reply = typeof script === "string" ? script : await script(request, signal, requests.length - 1);
      if (reply instanceof Error) throw reply;
      if (Array.isArray(reply)) return yield* reply;
      yield { type: "text-delta", text: reply };
      yield { type: "finish", usage: usageFor(request, reply), reason: "stop" };
    },
  };
}

/** As a provider would count: a token for four characters, never more output than allowed. */
export function usageFor(request: WorkerRequest, reply: string): Usage {
  const input = request.messages.reduce((sum, message) => sum + JSON.stringify(message.content).length, 0);
  const outputTokens = Math.min(request.maxOutputTokens, Math.ceil(reply.length / 4));
  return { ...NO_USAGE, inputTokens: Math.ceil(input / 4), outputTokens };
}

const PLAYED = { kind: "custom", id: "played" } as const;

/** Plays one decision per call; the last one again and again. */
export function playedConductor(
  ...plays: (Decision | Workflow | Error)[]
): Conductor & { requests: ComposeRequest[] } {
  const requests: ComposeRequest[] = [];
  return {
    identity: PLAYED,
    requests,
    async *compose(request) {
      requests.push(request);
      const play = plays[Math.min(requests.length, plays.length) - 1]!;
      if (play instanceof Error) throw play;
      const decision: Decision = "steps" in play ? { type: "workflow", workflow: play } : play;
      yield { type: "plan-delta", text: "a plan" };
      yield { type: "plan-end", text: "a plan", decision, usage: NO_USAGE };
    },
  };
}

export function toPool(workers: (Worker | PoolMember)[], price?: Price): Pool {
  return {
    members: workers.map((each) => ("worker" in each ? each : { worker: each, ...(price && { price }) })),
  };
}

export const SETTINGS: RunSettings = {
  conductor: PLAYED,
  conductorReason: "a test",
  rounds: 1,
  maxSteps: 5,
  limits: {},
  seed: 7,
  maxOutputTokens: 1000,
  retries: 2,
  timeouts: { stepMs: 60_000, firstTokenMs: 30_000, idleMs: 30_000 },
  maxDepth: 0,
  streaming: false,
  review: false,
  allowUnknownPrice: false,
};

export function toStart(
  pool: Pool,
  settings: Partial<RunSettings> = {},
  question = "What is 6 × 7?",
): Extract<RunEvent, { type: "run-start" }> {
  return {
    type: "run-start",
    runId: "r_test",
    at: Date.now(),
    task: { messages: [{ role: "user", content: question }] },
    pool: pool.members.map(toPoolEntry),
    settings: { ...SETTINGS, ...settings },
  };
}

export function toStage(
  pool: Pool,
  conductor: Conductor,
  parts: Partial<Stage> = {},
): Stage & { events: RunEvent[] } {
  const events: RunEvent[] = [];
  return {
    store: createMemoryStore(),
    pool,
    conductor,
    breaker: new CircuitBreaker(),
    owner: { id: "test", pid: process.pid, host: hostname() },
    now: Date.now,
    signal: new AbortController().signal,
    events,
    onEvent: (event) => events.push(event),
    ...parts,
  };
}

export function step(worker: number, subtask: string, access: Access = []) {
  return { worker, subtask, access };
}
