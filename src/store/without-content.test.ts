import { describe, expect, it } from "vitest";
import { TuttiError } from "../base/errors.ts";
import { performRun } from "../perform/driver.ts";
import { type Run, toRun } from "../perform/run.ts";
import { fold } from "../perform/state.ts";
import { toBelief } from "../testing/belief.ts";
import {
  playedConductor,
  SETTINGS,
  scriptedWorker,
  step,
  toPool,
  toStage,
  toStart,
} from "../testing/stage.ts";
import { createSelfWorker } from "../worker/self.ts";
import type { RunEvent } from "./types.ts";
import { withoutContent } from "./without-content.ts";

const SAID = "what-was-said";
const strip = (events: readonly RunEvent[]) => events.flatMap((event) => withoutContent(event) ?? []);

/** What the bill and the trace show besides texts. */
function toFigures({
  rounds,
  steps,
  usage,
  costUsd,
  calls,
  unpricedCalls,
  stopReason,
  pool,
  durationMs,
}: Run) {
  return {
    rounds: rounds.map(({ workflow, planUsage, planMs, planErrors }) => ({
      workers: workflow.steps.map(({ worker, access }) => [worker, access]),
      errors: planErrors.map(({ code }) => code),
      planUsage,
      planMs,
    })),
    steps: steps.map(
      ({ workerId, insteadOf, state, usage, costUsd, calls, failures, nestedRunId, finishReason }) => ({
        ...{ workerId, insteadOf, state, usage, costUsd, calls, nestedRunId, finishReason },
        failures: failures.map(({ worker, error, costUsd }) => [worker, error.code, costUsd]),
      }),
    ),
    ...{ usage, costUsd, calls, unpricedCalls, stopReason, pool, durationMs },
  };
}

describe("a run without its content", () => {
  it("still folds to the same metrics: retries, a replacement, two rounds, a nested run", async () => {
    const down = new TuttiError("provider-error", SAID, { retryable: true, retryAfterMs: 0 });
    const refused = new TuttiError("auth", SAID);
    const pool = toPool(
      [
        scriptedWorker("flaky", (_, __, call) => (call === 0 ? down : `${SAID} by flaky`)),
        scriptedWorker("refused", () => refused),
        createSelfWorker(),
      ],
      { inputUsd: 1, outputUsd: 4 },
    );
    const conductor = playedConductor(
      { type: "format-error", error: { code: "bad-list", message: SAID } },
      { steps: [step(0, SAID), step(1, SAID, [0])] },
      { steps: [step(2, SAID, "all")] },
      { steps: [step(0, `${SAID} within`)] },
    );
    const stage = toStage(pool, conductor);
    const start = toStart(pool, { rounds: 2, maxDepth: 1 }, SAID);
    const run = toRun(await performRun(start, stage));
    expect(run).toMatchObject({ stopReason: "done", answer: `${SAID} by flaky` });
    expect(run.rounds).toHaveLength(2);
    expect(run.steps.flatMap(({ failures }) => failures)).not.toHaveLength(0);
    const { nestedRunId } = run.steps.at(-1)!;

    for (const id of [run.id, nestedRunId!]) {
      const events = await stage.store.loadRun(id);
      const stripped = strip(events);
      expect(JSON.stringify(events)).toContain(SAID);
      expect(JSON.stringify(stripped)).not.toContain(SAID);
      const [before, after] = [events, stripped].map((each) => toRun(fold(each)!));
      expect(toFigures(after!)).toEqual(toFigures(before!));
      expect(after!.answer).toBe("");
      expect(strip(stripped)).toEqual(stripped);
    }
  });

  it("has nothing left of any text, and all of its roles, codes and tags", () => {
    const spending = {
      usage: { inputTokens: 3, outputTokens: 2, cachedInputTokens: 0, reasoningTokens: 0 },
      calls: 1,
    };
    const amount = { usd: 0, calls: 0, tokens: 0 };
    const error = { code: "rate-limited", message: SAID, status: 429, retryable: true };
    const toolCalls = [{ id: "call_1", name: SAID, input: SAID }];
    const workflow = { steps: [step(0, SAID)] };
    const base = { runId: "a", at: 1, round: 0 };
    const stepBase = { ...base, step: 0, attempt: 0, worker: 0, durationMs: 1, spending };
    const planBase = { ...base, attempt: 0, durationMs: 1, spending };
    const events: RunEvent[] = [
      {
        type: "run-start",
        runId: "a",
        at: 0,
        task: {
          id: "task-1",
          messages: [
            { role: "system", content: SAID },
            { role: "user", content: [{ type: "text", text: SAID }] },
            { role: "assistant", content: SAID, toolCalls },
            { role: "tool", toolCallId: SAID, toolName: SAID, content: SAID },
          ],
          output: { stop: [SAID], tools: [{ name: SAID, inputSchema: { [SAID]: SAID } }] },
        },
        pool: [],
        settings: SETTINGS,
        origin: {
          ...{ model: "tutti", dialect: "chat", keyId: "k1", user: "ann", metadata: { team: "red" } },
          ...{ idempotencyKey: "once", requestHash: SAID, isPrivate: true, echo: { [SAID]: SAID } },
        },
      },
      { type: "plan-start", ...base, attempt: 0, reserved: amount },
      { type: "plan-delta", ...base, attempt: 0, text: SAID },
      { type: "plan-error", ...planBase, error },
      {
        type: "plan-end",
        ...planBase,
        text: SAID,
        decision: { type: "format-error", error: { code: "bad-list", message: SAID } },
      },
      {
        type: "plan-end",
        ...planBase,
        text: SAID,
        decision: { type: "workflow", workflow },
        fallback: SAID,
      },
      {
        type: "plan-end",
        ...planBase,
        text: "",
        decision: { type: "workflow", workflow },
        belief: toBelief([[SAID, 0.6]], [[0, 0.1, 0.02, "worker"]]),
      },
      { type: "plan-review", ...base, verdict: "edited", workflow, waitedMs: 5 },
      {
        type: "step-start",
        ...{ ...base, step: 0, attempt: 0, worker: 0, reserved: amount, maxOutputTokens: 9 },
        instead: { worker: 1, reason: SAID },
      },
      {
        type: "step-delta",
        ...{ ...base, step: 0, attempt: 0, channel: "text", text: SAID, answer: true },
      },
      { type: "step-error", ...stepBase, error, partial: SAID, delivered: false, retryAt: 2 },
      { type: "step-wait", ...base, step: 0, attempt: 0, reason: "retry", until: 2 },
      {
        type: "step-end",
        ...stepBase,
        reply: { text: SAID, reasoning: SAID, toolCalls, finishReason: "tool-calls" },
        problem: SAID,
      },
      { type: "round-end", ...base },
      {
        type: "run-resume",
        ...{ runId: "a", at: 3, said: SAID, output: { stop: [SAID] } },
        toolResults: [{ toolCallId: "call_1", content: SAID }],
      },
      {
        type: "run-end",
        ...{ runId: "a", at: 4, answer: SAID, hasAnswer: true, stopReason: "worker-failed", error },
        ...{ spent: amount, unpricedCalls: 0 },
      },
    ];
    const stripped = strip(events);
    expect(JSON.stringify(stripped)).not.toContain(SAID);
    expect(stripped).toHaveLength(events.length - 2);
    expect(stripped[0]).toMatchObject({
      isStripped: true,
      task: { id: "task-1", messages: ["system", "user", "assistant", "tool"].map((role) => ({ role })) },
    });
    expect(stripped[0]).toHaveProperty("origin", {
      ...{ model: "tutti", dialect: "chat", keyId: "k1", user: "ann", metadata: { team: "red" } },
      ...{ idempotencyKey: "once", isPrivate: true },
    });
    expect(stripped.some((event) => "belief" in event)).toBe(false);
    expect(stripped.at(-1)).toMatchObject({ type: "run-end", answer: "", hasAnswer: true });
    const errors = stripped.flatMap((event) => ("error" in event && event.error) || []);
    expect(errors).toEqual(Array(3).fill({ ...error, message: "" }));
    expect(stripped.find((event) => event.type === "step-end")).toMatchObject({
      reply: { text: "", finishReason: "tool-calls" },
      spending,
    });
  });
});
