// One ask of one worker: whatever it does, the outcome says what arrived, and nothing is waited for too long.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TuttiError } from "../base/errors.ts";
import { usageFor } from "../testing/stage.ts";
import { NO_USAGE } from "../worker/price.ts";
import type { Worker, WorkerEvent, WorkerRequest } from "../worker/types.ts";
import { startAttempt } from "./step.ts";

const REQUEST: WorkerRequest = {
  messages: [{ role: "user", content: "?" }],
  maxOutputTokens: 50,
  seed: 1,
  tools: [{ name: "weather", inputSchema: {} }],
};
const TIMEOUTS = { stepMs: 60_000, firstTokenMs: 10_000, idleMs: 5_000 };
const FINISH: WorkerEvent = { type: "finish", usage: usageFor(REQUEST, "x"), reason: "stop" };
const text = (piece: string): WorkerEvent => ({ type: "text-delta", text: piece });

/** What it says, with waits between; an error is thrown. */
type Script = (WorkerEvent | number | Error | "for ever")[];

function start(script: Script, more: Partial<Worker> = {}) {
  const signals: AbortSignal[] = [];
  const deltas: string[] = [];
  const worker: Worker = {
    id: "w",
    kind: "model",
    ...more,
    async *ask(_, signal) {
      signals.push(signal);
      for (const part of script) {
        if (part instanceof Error) throw part;
        if (part === "for ever") await new Promise(() => {});
        else if (typeof part === "number") await new Promise((done) => setTimeout(done, part));
        else yield part;
      }
    },
  };
  const onDelta = (channel: string, piece: string) => deltas.push(`${channel}: ${piece}`);
  const attempt = startAttempt(worker, REQUEST, { timeouts: TIMEOUTS, now: Date.now, onDelta });
  return { attempt, deltas, isAborted: () => signals[0]?.aborted };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

async function outcomeOf(script: Script, more?: Partial<Worker>) {
  const { attempt, ...rest } = start(script, more);
  await vi.runAllTimersAsync();
  return { outcome: await attempt.outcome, ...rest };
}

describe("a reply", () => {
  it("is what was written, thought and asked for, with the time of the first token", async () => {
    const call = { type: "tool-call" as const, id: "c", name: "weather", input: "{}" };
    const { outcome, deltas, isAborted } = await outcomeOf([
      ...[200, { type: "reasoning-delta" as const, text: "hm" }, text("It "), 100, text("rains.")],
      ...[call, { ...FINISH, reason: "tool-calls" as const } as WorkerEvent],
    ]);
    expect(outcome).toEqual({
      ok: true,
      reply: {
        text: "It rains.",
        reasoning: "hm",
        toolCalls: [{ id: "c", name: "weather", input: "{}" }],
        finishReason: "tool-calls",
      },
      usage: expect.anything(),
      firstTokenMs: 200,
    });
    expect(deltas).toEqual(["reasoning: hm", "text: It ", "text: rains."]);
    // Nothing is aborted that ended well, and no timer is left behind.
    expect(isAborted()).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("of an instant worker needs no timer and no signal of its own", async () => {
    const { attempt } = start([text("42"), FINISH], { isInstant: true });
    expect(vi.getTimerCount()).toBe(0);
    expect(await attempt.outcome).toMatchObject({ ok: true, reply: { text: "42" } });
  });

  it("may be empty where the model has nothing to say", async () => {
    const { outcome } = await outcomeOf([FINISH]);
    expect(outcome).toMatchObject({ ok: true, reply: { text: "", finishReason: "stop" } });
  });

  it.each([
    ["length", "empty-reply", /all of its 50 tokens/],
    ["content-filter", "content-filter", /filter/],
  ] as const)("that %s has emptied is no reply, and what it cost is kept", async (reason, code, message) => {
    const usage = { ...NO_USAGE, inputTokens: 3, outputTokens: 50 };
    const { outcome } = await outcomeOf([text(" "), { type: "finish", usage, reason }]);
    expect(outcome).toMatchObject({
      ok: false,
      error: { code, message: expect.stringMatching(message) },
      usage,
    });
  });
});

describe("a failure", () => {
  it("keeps what had arrived, and closes the request upstream", async () => {
    const broken = new TuttiError("provider-error", "500");
    const { outcome, isAborted } = await outcomeOf([text("half an "), text("answer"), broken]);
    expect(outcome).toEqual({ ok: false, error: broken, partial: "half an answer", reasoning: "" });
    expect(isAborted()).toBe(true);
  });

  it("of somebody's own code is told with the worker's name", async () => {
    const { outcome } = await outcomeOf([new TypeError("x is not a function")]);
    expect(outcome).toMatchObject({ error: { code: "worker-fault", message: "w: x is not a function" } });
  });

  it("is also a stream that ends without a finish", async () => {
    const { outcome } = await outcomeOf([text("half")]);
    expect(outcome).toMatchObject({
      ok: false,
      partial: "half",
      error: { code: "stream-cut", retryable: true },
    });
  });
});

describe("a worker that takes too long", () => {
  it.each<[string, Script, number, RegExp]>([
    ["to begin", ["for ever"], TIMEOUTS.firstTokenMs, /did not begin within 10 s/],
    ["between two pieces", [text("half"), "for ever"], TIMEOUTS.idleMs, /fell silent within 5 s/],
    [
      "in all, though it never falls silent",
      Array.from({ length: 40 }, () => [text("."), 4_000]).flat(),
      TIMEOUTS.stepMs,
      /did not finish within 60 s/,
    ],
  ])("%s is left behind", async (_, script, afterMs, message) => {
    const { attempt, isAborted } = start(script);
    let isOver = false;
    const outcome = attempt.outcome.finally(() => {
      isOver = true;
    });
    await vi.advanceTimersByTimeAsync(afterMs - 1);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await outcome).toMatchObject({
      ok: false,
      error: { code: "timeout", message: expect.stringMatching(message) },
    });
    expect(isAborted()).toBe(true);
  });

  it("is not heard any more: what it says later changes nothing", async () => {
    const { attempt, deltas } = start([text("early"), TIMEOUTS.idleMs + 10, text("late"), FINISH]);
    await vi.advanceTimersByTimeAsync(TIMEOUTS.idleMs);
    expect(await attempt.outcome).toMatchObject({ ok: false, partial: "early" });
    await vi.runAllTimersAsync();
    expect(deltas).toEqual(["text: early"]);
  });
});

it("an attempt that is stopped ends at once, with what had arrived", async () => {
  const { attempt, isAborted } = start([text("half"), "for ever"]);
  await vi.advanceTimersByTimeAsync(10);
  attempt.stop();
  expect(await attempt.outcome).toMatchObject({ ok: false, partial: "half", error: { code: "aborted" } });
  expect(isAborted()).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});
