import { describe, expect, it } from "vitest";
import { toRun } from "../../perform/run.ts";
import { fold } from "../../perform/state.ts";
import type { StopReason } from "../../store/types.ts";
import { event, spending, toWorkflow } from "../../testing/run-events.ts";
import { exitCodeOf, stopReasonInWords, toFooter } from "./outcome.ts";

const WORKFLOW = toWorkflow([0, "Solve it", []]);
const ended = (answer: string, stopReason: StopReason, limits = {}) =>
  toRun(fold([event.start(["a/b"], { limits }), event.end(answer, { stopReason })])!);

describe("exitCodeOf", () => {
  it.each<[StopReason, string, number]>([
    ["done", "391", 0],
    ["budget-usd", "391", 0],
    ["deadline", "391", 0],
    ["worker-failed", "391", 0],
    ["budget-calls", "", 1],
    ["refused", "", 1],
    ["failed", "", 1],
    ["answer-cut", "39", 1],
    ["journal-failed", "391", 1],
    ["cancelled", "391", 130],
  ])("%s with the answer %j is %i", (stopReason, answer, code) =>
    expect(exitCodeOf({ stopReason, answer })).toBe(code),
  );
});

describe("stopReasonInWords", () => {
  it("says nothing when a run is simply done", () =>
    expect(stopReasonInWords(ended("391", "done"))).toBe(""));
  it("names the limit", () => {
    expect(stopReasonInWords(ended("391", "budget-calls", { calls: 3 }))).toBe(
      "Stopped at the limit of 3 calls. This is the best answer so far.",
    );
    expect(stopReasonInWords(ended("", "budget-usd", { usd: 0.05 }))).toContain(
      "the budget of $0.05. There is no answer",
    );
  });
  it("names the error", () => {
    const error = { code: "auth", message: "its key was refused", retryable: false };
    const run = toRun(fold([event.start(["a/b"]), event.end("", { stopReason: "failed", error })])!);
    expect(stopReasonInWords(run)).toBe("Nobody replied, so there is no answer. its key was refused");
  });
});

describe("toFooter", () => {
  const run = (cost: number | null, ids = ["a/b"]) =>
    toRun(
      fold([
        event.start(ids),
        event.planStart(),
        event.planEnd(WORKFLOW),
        event.stepStart(0, 0),
        event.stepEnd(0, 0, "391", { spending: spending(cost) }),
        event.end("391"),
      ])!,
    );
  it("has steps, calls, time, money and the id", () => {
    expect(toFooter(run(0.0004))).toBe("1 step · 1 call · 1.2 s · $0.0004 · run r_test");
  });
  it("calls simulated money simulated, and an unknown price unknown", () => {
    expect(toFooter(run(0.0004, ["rehearsal/ada"]))).toContain("$0.0004 simulated");
    expect(toFooter(run(null))).toContain("price unknown");
  });
});
