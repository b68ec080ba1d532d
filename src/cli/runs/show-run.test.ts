import { describe, expect, it } from "vitest";
import { fold, type RunState } from "../../perform/state.ts";
import { event, toWorkflow } from "../../testing/run-events.ts";
import { PLAIN } from "../terminal/style.ts";
import { widthOf } from "../terminal/text-width.ts";
import { toTrace } from "./show-run.ts";

const POOL = ["openai/alpha", "openai/beta"];
const WORKFLOW = toWorkflow([0, "Solve it", []], [1, "Check it", [0]]);
const finished = fold([
  event.start(POOL),
  event.planStart(),
  event.planEnd(WORKFLOW, "First solve, then check.\nmodel_id = [0, 1]"),
  event.stepStart(0, 0),
  event.stepError(0, 0, 'Worker "openai/alpha": its provider failed (500)', { retryAt: 10 }),
  event.stepStart(0, 0, { attempt: 1 }),
  event.stepEnd(0, 0, "391\nbecause\u001b[31m I say so", { attempt: 1, at: 400 }),
  event.stepStart(1, 1, { at: 400 }),
  event.stepEnd(1, 1, "It is 391.", { at: 1200 }),
  event.roundEnd(),
  event.end("It is 391."),
])!;

const show = (
  state: RunState,
  extra: {
    withMessages?: boolean;
    isVerbose?: boolean;
    nested?: Map<string, RunState>;
    columns?: number;
  } = {},
) =>
  toTrace(state, {
    style: PLAIN,
    columns: 80,
    now: state.startedAt + 5000,
    withMessages: false,
    nested: new Map(),
    ...extra,
  });
const words = (lines: string[]) => lines.map((line) => line.replaceAll(/\s+/g, " ").trim());

describe("toTrace", () => {
  it("tells a run from the question to the answer", () => {
    const lines = show(finished);
    expect(lines[0]).toBe("Run r_test  done");
    expect(words(lines)).toContain("used 2 steps · 3 calls · 1.2 s · $0.0002");
    expect(lines).toContain("  First solve, then check.");
    expect(lines).toContain("  │ 1 openai/alpha ├─╮");
    expect(lines).toContain("                     ╰─▶│ 2 openai/beta │ ▶ answer");
    expect(lines.slice(-2)).toEqual(["Answer", "  It is 391."]);
  });

  it("says what caches saved, from the price of whoever was asked", () => {
    const start = event.start(POOL);
    const end = event.stepEnd(0, 0, "391");
    if (start.type !== "run-start" || end.type !== "step-end") throw new Error("no such events");
    const price = { inputUsd: 10, outputUsd: 50, cachedInputUsd: 1 };
    const usage = { inputTokens: 1_000, outputTokens: 10, cachedInputTokens: 800, reasoningTokens: 0 };
    const lines = show(
      fold([
        { ...start, pool: start.pool.map((entry) => ({ ...entry, price })) },
        event.planStart(),
        event.planEnd(toWorkflow([0, "Solve it", []])),
        event.stepStart(0, 0),
        { ...end, spending: { usage, costUsd: 0.0033, calls: 1 } },
      ])!,
    );
    expect(words(lines).find((line) => line.startsWith("tokens"))).toContain("caches saved $0.0072");
  });

  it("keeps what the trained Conductor weighed for --verbose", () => {
    const start = event.start(POOL);
    if (start.type !== "run-start") throw new Error("no start");
    const conductor = { kind: "native", checkpoint: "rehearsal" } as const;
    const weighed = "Worth here, with 0.022 off for every call: 1 step −0.080, 3 steps −0.051.";
    const state = fold([
      { ...start, settings: { ...start.settings, conductor } },
      event.planStart(),
      event.planEnd(WORKFLOW, `${weighed}\nmodel_id = [0, 1]`),
    ])!;
    expect(show(state).join("\n")).not.toContain("Worth here");
    expect(words(show(state, { isVerbose: true })).join(" ")).toContain(weighed);
  });

  it("tells each step: who, how long, tokens, cost, subtask, what it saw, trouble and reply", () => {
    const lines = words(show(finished));
    const from = lines.indexOf("✓ 1 openai/alpha");
    expect(lines.slice(from, from + 7)).toEqual([
      "✓ 1 openai/alpha",
      "0.4 s · first token 0.1 s · 240 → 88 tokens · $0.0001",
      "subtask Solve it",
      "saw the question only",
      "trouble ↻ openai/alpha was asked again: its provider failed (500)",
      "reply 391",
      "because I say so",
    ]);
    expect(lines).toContain("saw the question, step 1");
  });

  it("shows the exact messages on request", () => {
    expect(show(finished).join("\n")).not.toContain("<<< overall task");
    const text = show(finished, { withMessages: true }).join("\n");
    expect(text).toContain("<<< overall task");
    expect(text).toMatch(/<<< reply of step 1 by model 0 · \w+\n\s+391/);
  });

  it("tells the run inside a step, indented", () => {
    const parent: RunState = structuredClone(finished);
    parent.rounds[0]!.steps[1]!.nestedRunId = "r_test.1.2";
    const inner = { ...structuredClone(finished), runId: "r_test.1.2" };
    const lines = show(parent, { nested: new Map([["r_test.1.2", inner]]) });
    expect(lines).toContain("     Plan by scripted-planner · 10 ms");
    expect(lines).toContain("     ✓ 2  openai/beta");
  });

  it("says what a run that is not over is waiting for, and a limit that ended one", () => {
    const running = fold([
      event.start(POOL),
      event.planStart(),
      event.planEnd(WORKFLOW),
      event.stepStart(0, 0),
    ])!;
    expect(show(running)[0]).toBe("Run r_test  not over");
    expect(show(running)).toContain("▸ 1  openai/alpha");
    expect(show(running)).toContain("○ 2  openai/beta");
    const stopped = fold([event.start(POOL), event.end("", { stopReason: "deadline" })])!;
    expect(show(stopped).at(-1)).toBe("  Stopped at the deadline. There is no answer yet.");
  });

  it.each([40, 80, 120])("keeps to %i columns", (columns) => {
    for (const line of show(finished, { columns, withMessages: true })) {
      expect(widthOf(line.trimEnd())).toBeLessThanOrEqual(columns);
    }
  });
});
