// Plays a task through the real machine: the same driver, journal, budget and decisions that serve people. Only workers, the
// tools of the client and the clock are simulated. A policy is a Conductor for the first turn and settings for the others.

import { roleOf } from "../../dist/conductor/trinity/roles.js";
import { performRun, resumeRun } from "../../dist/perform/driver.js";
import { CircuitBreaker } from "../../dist/perform/retry.js";
import { toRun } from "../../dist/perform/run.js";
import { createMemoryStore } from "../../dist/store/memory.js";
import { toPoolEntry } from "../../dist/store/pool-entry.js";
import { NO_USAGE } from "../../dist/worker/price.js";
import { TASK, WORKERS } from "./rules.mjs";

const OUTPUT = { tools: [{ name: "work", inputSchema: { type: "object" } }] };

/**
 * `first(profiles)`: number of the worker that begins. `trajectory`: settings of the run, or none. `escalate`: a fixed rule
 * in the place of them: after so many failures in a row this other worker takes over for good.
 */
export async function play(episode, profiles, { first, trajectory, escalate, helper }) {
  const { task, state } = episode;
  const begins = first(profiles);
  const policy = { current: begins };
  let isMending = false;
  const workers = WORKERS.map(({ id }, number) => ({
    id,
    kind: "model",
    isSimulated: true,
    isInstant: true,
    async *ask({ brief }) {
      if (!brief.isLast) {
        const isVerifier = roleOf(brief.subtask) === "verifier";
        if (!isVerifier) {
          const usage = episode.advise(number, policy.current);
          yield { type: "text-delta", text: "Try it this way." };
          return yield { type: "finish", usage, reason: "stop" };
        }
        const { usage, refuses } = episode.verify(number);
        isMending ||= refuses;
        yield {
          type: "text-delta",
          text: refuses ? "VERDICT: REVISE\nDIAGNOSIS: a flaw" : "VERDICT: ACCEPT",
        };
        return yield { type: "finish", usage, reason: "stop" };
      }
      if (isMending) {
        isMending = false;
        episode.mend(number);
      }
      policy.current = number;
      const { usage, calls } = episode.turn(number);
      yield { type: "text-delta", text: calls ? "I work on it." : "It is done." };
      if (calls)
        yield { type: "tool-call", id: `c${state.turns}`, name: "work", input: `{"turn":${state.turns}}` };
      yield { type: "finish", usage, reason: calls ? "tool-calls" : "stop" };
    },
  }));
  // A fixed rule is no policy of the machine: one worker stands for whoever has the turn, and says itself what it cost.
  const members = escalate
    ? [toEscalating(workers, episode, { begins, ...escalate })]
    : toMembers(workers, profiles);
  const number = escalate ? 0 : begins;
  const conductor = {
    identity: { kind: "custom", id: "simulated" },
    async *compose({ rounds }) {
      const subtask = "find another way";
      const sticky = policy.current;
      const steps =
        rounds.length === 0 || helper === undefined
          ? [{ worker: number, subtask: "", access: [] }]
          : [
              { worker: helper === sticky ? begins : helper, subtask, access: [] },
              { worker: sticky, subtask: "go on", access: "all" },
            ];
      yield {
        type: "plan-end",
        text: "",
        decision: { type: "workflow", workflow: { steps } },
        usage: NO_USAGE,
      };
    },
  };
  const store = createMemoryStore();
  const stage = {
    store,
    pool: { members },
    conductor,
    breaker: new CircuitBreaker(),
    owner: { id: "simulated", pid: process.pid, host: "simulated" },
    now: () => state.now,
    signal: new AbortController().signal,
  };
  const start = {
    type: "run-start",
    runId: "r_simulated",
    at: 0,
    task: { messages: [{ role: "user", content: "Do it." }], output: OUTPUT },
    pool: members.map(toPoolEntry),
    settings: {
      conductor: conductor.identity,
      conductorReason: "simulated",
      rounds: 1,
      maxSteps: 5,
      limits: {},
      seed: 1,
      maxOutputTokens: 4_000,
      retries: 0,
      timeouts: { stepMs: 1e12, firstTokenMs: 1e12, idleMs: 1e12 },
      maxDepth: 0,
      streaming: false,
      review: false,
      allowUnknownPrice: true,
      trajectory,
    },
  };
  let run = toRun(await performRun(start, stage));
  for (let turn = 0; run.stopReason === "tool-calls" && turn < 2 * TASK.mostTurns; turn++) {
    const toolResults = run.steps
      .at(-1)
      .toolCalls.map(({ id }) => ({ toolCallId: id, content: state.pending }));
    run = toRun(await resumeRun(await store.loadRun("r_simulated"), stage, { toolResults }));
  }
  const decisions = run.steps.flatMap(({ decisions: each = [] }) => each);
  return {
    task: task.id,
    right: run.hasAnswer && episode.isRight() ? 1 : 0,
    usd: run.costUsd,
    turns: state.turns,
    switches: decisions.filter(({ kind }) => kind === "switch").length,
    asked: run.rounds.filter(({ turn }) => turn?.kind === "ask-conductor").length,
    verified: run.rounds.filter(({ turn }) => turn?.kind === "verify").length,
  };
}

function toMembers(workers, profiles) {
  return workers.map((worker, number) => ({
    worker,
    price: WORKERS[number].price,
    profile: profiles?.[number],
  }));
}

function toEscalating(workers, { state }, { begins, after, to }) {
  let current = begins;
  return {
    price: { inputUsd: 0, outputUsd: 0 },
    worker: {
      ...workers[0],
      id: "simulated/escalating",
      async *ask(request) {
        if (state.failures >= after) current = to;
        for await (const event of workers[current].ask(request)) {
          if (event.type !== "finish") yield event;
          else yield { ...event, billed: { costUsd: costOf(event.usage, WORKERS[current].price), calls: 1 } };
        }
      },
    },
  };
}

function costOf({ inputTokens, cachedInputTokens, cacheWriteTokens = 0, outputTokens }, price) {
  const { inputUsd, cachedInputUsd = inputUsd, cacheWriteUsd = inputUsd, outputUsd } = price;
  const fresh = inputTokens - cachedInputTokens - cacheWriteTokens;
  return (
    (fresh * inputUsd +
      cachedInputTokens * cachedInputUsd +
      cacheWriteTokens * cacheWriteUsd +
      outputTokens * outputUsd) /
    1e6
  );
}
