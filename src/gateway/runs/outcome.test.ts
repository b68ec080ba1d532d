import { describe, expect, it } from "vitest";
import { type Run, toRun } from "../../perform/run.ts";
import { fold } from "../../perform/state.ts";
import type { RunEvent, Spending, StopReason } from "../../store/types.ts";
import { event, RUN_ID, toWorkflow } from "../../testing/run-events.ts";
import type { ReplyHead } from "../types.ts";
import { failureOf, toOutcome, toOverheadMs, toUsage } from "./outcome.ts";
import { parseToolCallId } from "./turns.ts";

const head: ReplyHead = {
  id: "msg_1",
  runId: RUN_ID,
  createdAt: 0,
  request: { model: "tutti", showsProgress: true, isBackground: false, echo: {} },
};
const TWO = toWorkflow([0, "Solve it.", []], [1, "Check it.", "all"]);

const toTestRun = (...events: RunEvent[]): Run => toRun(fold([event.start(["a", "b"]), ...events])!);

function took(inputTokens: number, outputTokens: number, cached = 0, reasoning = 0): Spending {
  const usage = { inputTokens, outputTokens, cachedInputTokens: cached, reasoningTokens: reasoning };
  return { usage, costUsd: 0.01, calls: 1 };
}

const plan = (spending = took(1_000, 100, 500)): RunEvent =>
  ({ ...event.planEnd(TWO), spending }) as RunEvent;
const first = [event.stepStart(0, 0), event.stepEnd(0, 0, "forty", { spending: took(200, 50, 20) })];
const second = [event.stepStart(1, 1), event.stepEnd(1, 1, "42", { spending: took(300, 60, 30, 10) })];

describe("usage", () => {
  it("is the answering step's own; the rest is orchestration and stands beside", () => {
    const usage = toUsage(toTestRun(plan(), ...first, ...second, event.roundEnd(), event.end("42")));
    expect(usage).toEqual({
      inputTokens: 300,
      cachedInputTokens: 30,
      cacheWriteInputTokens: 0,
      outputTokens: 60,
      reasoningTokens: 10,
      orchestrationInputTokens: 1_200,
      orchestrationCachedInputTokens: 520,
      orchestrationOutputTokens: 150,
      totalTokens: 360,
    });
  });

  it("has no orchestration for one worker without a team", () => {
    const direct = { ...event.planEnd(toWorkflow([0, "", []])), spending: took(0, 0) } as RunEvent;
    const usage = toUsage(toTestRun(direct, ...first, event.roundEnd(), event.end("forty")));
    expect(usage).toMatchObject({ inputTokens: 200, outputTokens: 50, totalTokens: 250 });
    expect(usage).toMatchObject({ orchestrationInputTokens: 0, orchestrationOutputTokens: 0 });
  });

  it("follows an answer that is an earlier reply", () => {
    const fails = [event.stepStart(1, 1), event.stepError(1, 1, "busy")];
    const run = toTestRun(plan(), ...first, ...fails, event.end("forty", { stopReason: "worker-failed" }));
    expect(toUsage(run)).toMatchObject({ inputTokens: 200, outputTokens: 50 });
    const at = { answerStep: { round: 0, step: 0 } };
    const accepted = toTestRun(plan(), ...first, ...second, event.roundEnd(), event.end("forty", at));
    expect(toUsage(accepted)).toMatchObject({ inputTokens: 200, orchestrationInputTokens: 1_300 });
  });

  it("is nothing, and never negative, where nobody was asked", () => {
    const run = toTestRun(event.end("", { stopReason: "cancelled" }));
    expect(Object.values(toUsage(run))).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0]);
    expect(toUsage(toTestRun(plan(), event.end("", { stopReason: "deadline" })))).toMatchObject({
      inputTokens: 0,
      orchestrationInputTokens: 1_000,
      totalTokens: 0,
    });
  });

  it("leaves out what the reply before a tool call has reported", () => {
    const toolCalls = [{ id: "x", name: "weather", input: "{}" }];
    const reply = { toolCalls, finishReason: "tool-calls" as const };
    const asking = [
      ...[plan(), ...first, event.stepStart(1, 1)],
      event.stepEnd(1, 1, "I look.", { spending: took(300, 60, 30, 10), reply }),
      ...[event.roundEnd(), event.end("I look.", { stopReason: "tool-calls" })],
    ];
    const toolResults = [{ toolCallId: "x", content: "rain" }];
    const going: RunEvent[] = [
      { type: "run-resume", runId: RUN_ID, at: 0, toolResults },
      event.stepStart(1, 1, { attempt: 1 }),
      event.stepEnd(1, 1, "It rains.", { attempt: 1, spending: took(400, 70, 40, 5) }),
      ...[event.roundEnd(), event.end("It rains.")],
    ];
    const before = toTestRun(...asking);
    const after = toTestRun(...asking, ...going);
    expect(toUsage(after, before)).toEqual({
      inputTokens: 400,
      cachedInputTokens: 40,
      cacheWriteInputTokens: 0,
      outputTokens: 70,
      reasoningTokens: 5,
      orchestrationInputTokens: 0,
      orchestrationCachedInputTokens: 0,
      orchestrationOutputTokens: 0,
      totalTokens: 470,
    });
    expect(toUsage(before).totalTokens).toBe(360);
    const outcome = toOutcome(after, head, 1, [], before);
    expect([outcome.text, outcome.costUsd, outcome.calls]).toEqual(["It rains.", expect.closeTo(0.01), 1]);
  });
});

describe("an outcome", () => {
  it("is the answer with what it took", () => {
    const ended = event.end("42", { at: 1_200 });
    const run = toTestRun(plan(), ...first, ...second, event.roundEnd(), ended);
    expect(toOutcome(run, head, 0, ["Planning"])).toEqual({
      head,
      text: "42",
      toolCalls: [],
      finishReason: "stop",
      stopReason: "done",
      usage: toUsage(run),
      costUsd: run.costUsd,
      cacheSavedUsd: 0,
      isSimulated: false,
      calls: 2,
      completedAt: ended.at,
      progress: ["Planning"],
    });
  });

  it("holds the calls of the client's tools with ids that find the run again", () => {
    const toolCalls = [
      { id: "x", name: "weather", input: "{}" },
      { id: "y", name: "time", input: "{}" },
    ];
    const reply = { text: "", toolCalls, finishReason: "stop" as const };
    const calling = [event.stepStart(1, 1), event.stepEnd(1, 1, "", { reply })];
    const ended = event.end("forty", { stopReason: "tool-calls" });
    const outcome = toOutcome(toTestRun(plan(), ...first, ...calling, ended), head, 2, []);
    expect(outcome).toMatchObject({ text: "", finishReason: "tool-calls" });
    expect(outcome.toolCalls.map(({ name }) => name)).toEqual(["weather", "time"]);
    expect(parseToolCallId(outcome.toolCalls[1]!.id)).toEqual({ runId: RUN_ID, turn: 2, index: 1 });
  });

  it("ends as the answering step did", () => {
    const reply = { finishReason: "length" as const };
    const cut = [event.stepStart(1, 1), event.stepEnd(1, 1, "42 is", { reply })];
    const outcome = toOutcome(toTestRun(plan(), ...first, ...cut, event.end("42 is")), head, 0, []);
    expect(outcome.finishReason).toBe("length");
  });
});

describe("overhead", () => {
  const at = (each: RunEvent, ms: number): RunEvent => ({ ...each, at: each.at + ms });
  it("is the time in which neither plan nor step was running, with parallel steps counted once", () => {
    const run = toTestRun(
      at({ ...event.planEnd(TWO), durationMs: 100 } as RunEvent, 100),
      event.stepStart(0, 0, { at: 150 }),
      event.stepStart(1, 1, { at: 200 }),
      event.stepEnd(0, 0, "forty", { at: 500 }),
      event.stepEnd(1, 1, "42", { at: 600 }),
      event.end("42", { at: 620 }),
    );
    expect(toOverheadMs(run)).toBe(620 - 100 - 450);
  });

  it("is never negative", () => {
    const slow = { ...event.planEnd(TWO), durationMs: 5_000 } as RunEvent;
    expect(toOverheadMs(toTestRun(slow, event.end("", { at: 10 })))).toBe(0);
  });
});

describe("a run without an answer", () => {
  const error = (code: string, status?: number) => ({
    code,
    message: "it broke",
    retryable: false,
    ...(status !== undefined && { status }),
  });
  it.each<[stopReason: StopReason, end: object, code: string, status: number, words: RegExp]>([
    ["failed", { error: error("provider-error", 503) }, "provider-error", 503, /^it broke$/],
    ["failed", { error: error("rate-limited", 429) }, "rate-limited", 429, /it broke/],
    ["failed", { error: error("auth", 401) }, "worker-auth", 502, /it broke/],
    ["failed", { error: error("bad-request", 400) }, "bad-request", 502, /it broke/],
    ["failed", { error: error("stream-cut") }, "stream-cut", 502, /it broke/],
    ["failed", {}, "worker-fault", 502, /Nobody replied/],
    ["worker-failed", { error: error("timeout", 504) }, "timeout", 504, /it broke/],
    ["answer-cut", { error: error("timeout", 504) }, "stream-cut", 502, /broke off.*it broke/],
    ["budget-usd", {}, "limit", 422, /limit \(\$1\.00\).*raise it/],
    ["budget-calls", {}, "limit", 422, /limit \(3 calls\)/],
    ["budget-tokens", {}, "limit", 422, /limit \(500 tokens\)/],
    ["deadline", {}, "timeout", 504, /limit \(1 min\)/],
    ["cancelled", {}, "cancelled", 499, /cancelled/],
    ["refused", {}, "conflict", 409, /refused/],
    ["journal-failed", {}, "overloaded", 503, /journal/],
  ])("that ended with %s %j is the error %s %i", async (stopReason, end, code, status, words) => {
    const limits = { usd: 1, calls: 3, tokens: 500, deadlineMs: 60_000 };
    const run = toRun(fold([event.start(["a"], { limits }), event.end("", { stopReason, ...end })])!);
    expect(await failureOf(run)).toMatchObject({ code, status, message: expect.stringMatching(words) });
  });

  it("that had only what is left of a key's budget is told so", async () => {
    const limits = { usd: 0.001, calls: 3 };
    const runAfter = (stopReason: StopReason) =>
      toRun(fold([event.start(["a"], { limits }), event.end("", { stopReason })])!);
    expect(await failureOf(runAfter("budget-usd"), true)).toMatchObject({
      code: "budget-spent",
      status: 429,
    });
    expect(await failureOf(runAfter("budget-calls"), true)).toMatchObject({ code: "limit" });
  });

  it("that nobody performs any more may be tried again", async () => {
    expect(await failureOf(toTestRun(plan()))).toMatchObject({
      code: "overloaded",
      status: 503,
      retryable: true,
    });
  });

  it.each<StopReason>(["done", "budget-usd", "deadline", "worker-failed", "cancelled", "journal-failed"])(
    "is no failure after %s when there is one after all",
    async (stopReason) => {
      expect(
        await failureOf(toTestRun(plan(), ...first, event.end("forty", { stopReason }))),
      ).toBeUndefined();
    },
  );

  it.each<StopReason>(["done", "tool-calls"])("is no failure after %s", async (stopReason) => {
    expect(await failureOf(toTestRun(plan(), event.end("", { stopReason })))).toBeUndefined();
  });

  it.each<[stopReason: StopReason, code: string]>([
    ["done", "invalid-output"],
    ["invalid-output", "invalid-output"],
    ["worker-failed", "worker-fault"],
    ["budget-usd", "limit"],
  ])(
    "is a failure after %s where JSON was asked for and the best reply is none",
    async (stopReason, code) => {
      const output = { responseFormat: { type: "json" as const, schema: { type: "number" } } };
      const task = { messages: [{ role: "user" as const, content: "6 × 7?" }], output };
      const runWith = (answer: string) =>
        toRun(fold([{ ...event.start(["a"]), task } as RunEvent, event.end(answer, { stopReason })])!);
      expect(await failureOf(runWith("forty"))).toMatchObject({ code });
      if (stopReason !== "invalid-output") expect(await failureOf(runWith("42"))).toBeUndefined();
    },
  );

  it.each<StopReason>(["failed", "answer-cut", "invalid-output"])(
    "is a failure after %s whatever text there is",
    async (stopReason) => {
      expect(await failureOf(toTestRun(plan(), event.end("For", { stopReason })))).toBeDefined();
    },
  );
});
