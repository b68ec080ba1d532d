import { describe, expect, test } from "vitest";
import { TuttiError } from "../../base/errors.ts";
import { toRun } from "../../perform/run.ts";
import { fold } from "../../perform/state.ts";
import { createMemoryStore } from "../../store/memory.ts";
import type { PoolEntry } from "../../store/types.ts";
import { type RelayedRun, toRelayEvents } from "./journal.ts";
import type { RelayResult } from "./types.ts";

const PRICE = { inputUsd: 2, outputUsd: 10, cachedInputUsd: 1 };
const entry: PoolEntry = { id: "openai/gpt-6-sol", kind: "model", price: PRICE };
const usage = { inputTokens: 1000, outputTokens: 100, cachedInputTokens: 500, reasoningTokens: 20 };
const WHOLE: RelayResult = {
  status: 200,
  usage,
  finishReason: "stop",
  bytes: 420,
  firstByteMs: 12.4,
  isSent: true,
  isComplete: true,
  clientLeft: false,
};
const { usage: _, finishReason: __, ...CUT } = { ...WHOLE, isComplete: false };
const bound = { inputTokens: 5000, outputTokens: 200, cachedInputTokens: 0, reasoningTokens: 0 };

const eventsOf = (outcome: RelayResult | TuttiError, more: Partial<RelayedRun> = {}) =>
  toRelayEvents({
    runId: "r_relayed",
    startedAt: 1000,
    endedAt: 1060,
    origin: { model: "openai/gpt-6-sol", dialect: "chat", keyId: "k_1" },
    entry,
    bound: { inputTokens: () => 1000, outputTokens: 300, isStated: true },
    outcome,
    ...more,
  });
const runOf = (outcome: RelayResult | TuttiError, more: Partial<RelayedRun> = {}) =>
  toRun(fold(eventsOf(outcome, more))!);

test("a relayed request is a run of one step, with what it took and without what was said", () => {
  const run = runOf(WHOLE);
  expect(run).toMatchObject({
    id: "r_relayed",
    task: { messages: [] },
    answer: "",
    stopReason: "done",
    usage,
    costUsd: (500 * 2 + 500 * 1 + 100 * 10) / 1e6,
    calls: 1,
    conductorCalls: 0,
    unpricedCalls: 0,
    durationMs: 60,
    settings: { conductor: "relay", conductorReason: "one worker was named" },
  });
  expect(run.rounds).toHaveLength(1);
  expect(run.steps).toMatchObject([
    {
      workerId: "openai/gpt-6-sol",
      subtask: "",
      state: "done",
      usage,
      finishReason: "stop",
      durationMs: 60,
      firstTokenMs: 12,
      failures: [],
    },
  ]);
});

test("where content is kept, question and answer are there", () => {
  const task = { messages: [{ role: "user" as const, content: "2 + 2?" }] };
  const run = runOf({ ...WHOLE, text: "four" }, { task });
  expect(run).toMatchObject({ task, answer: "four", steps: [{ reply: "four" }] });
});

test("every store takes it in one go, and the sum of the run is that of its steps", async () => {
  const store = createMemoryStore();
  await store.append(eventsOf(WHOLE));
  const [listed] = await store.listRuns();
  expect(listed).toMatchObject({
    id: "r_relayed",
    state: "ended",
    stopReason: "done",
    calls: 1,
    costUsd: 0.0025,
  });
  await store.close();
});

test("usage that nobody told is estimated and marked", () => {
  const events = eventsOf({ ...CUT, isComplete: true, bound });
  expect(events.find(({ type }) => type === "step-end")).toMatchObject({
    spending: { usage: bound, costUsd: 0.012, calls: 1, estimated: true },
  });
});

test("an unknown price stays unknown", () => {
  const run = runOf(WHOLE, { entry: { id: "x/y", kind: "model" } });
  expect(run).toMatchObject({ costUsd: 0, unpricedCalls: 1 });
  expect(run.steps[0]?.costUsd).toBeUndefined();
});

describe("what went wrong", () => {
  test("a refusal costs nothing and fails", () => {
    const { usage: _usage, ...refused } = { ...WHOLE, status: 429 };
    const run = runOf(refused);
    expect(run).toMatchObject({
      stopReason: "failed",
      costUsd: 0,
      calls: 1,
      error: { code: "rate-limited", status: 429 },
    });
    expect(run.steps).toMatchObject([{ state: "failed", failures: [{ error: { code: "rate-limited" } }] }]);
  });

  test("a client that left is a cancelled run, at the price of what it may have taken", () => {
    const run = runOf({ ...CUT, clientLeft: true, bound, text: "fo" });
    expect(run).toMatchObject({ stopReason: "cancelled", costUsd: 0.012, error: { code: "aborted" } });
    expect(run.steps[0]).toMatchObject({ state: "failed", partial: "fo" });
  });

  test("a client that left before anything was sent costs nothing", () => {
    const run = runOf({ ...CUT, status: 499, bytes: 0, clientLeft: true, isSent: false });
    expect(run).toMatchObject({ stopReason: "cancelled", costUsd: 0, calls: 0 });
  });

  test("a stream that broke off is a cut answer", () => {
    const error = new TuttiError("stream-cut", "It broke off.", { status: 502, retryable: true });
    expect(runOf({ ...CUT, error, bound })).toMatchObject({ stopReason: "answer-cut", costUsd: 0.012 });
  });

  test("a provider that is not there costs nothing; one that did not answer in time may", () => {
    const gone = new TuttiError("unreachable", "Nobody there.", { status: 503, retryable: true });
    expect(runOf(gone)).toMatchObject({ stopReason: "failed", costUsd: 0, calls: 1 });
    const late = new TuttiError("timeout", "Too late.", { status: 504, retryable: true });
    expect(runOf(late)).toMatchObject({ stopReason: "failed", costUsd: 0.005, calls: 1 });
  });
});
