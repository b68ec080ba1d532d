import { describe, expect, it } from "vitest";
import { failureOf } from "../../gateway/runs/outcome.ts";
import { ENDINGS, endingOf } from "../../perform/endings.ts";
import { toRun } from "../../perform/run.ts";
import { fold } from "../../perform/state.ts";
import type { StopReason } from "../../store/types.ts";
import { event, spending, toWorkflow } from "../../testing/run-events.ts";
import { stopReasonInWords, toFooter } from "./outcome.ts";

const WORKFLOW = toWorkflow([0, "Solve it", []]);
const ended = (answer: string, stopReason: StopReason, limits = {}) =>
  toRun(fold([event.start(["a/b"], { limits }), event.end(answer, { stopReason })])!);

describe("how a run ends", () => {
  const REASONS = Object.keys(ENDINGS) as (keyof typeof ENDINGS)[];

  it.each(REASONS.flatMap((reason) => [true, false].map((hasAnswer) => ({ reason, hasAnswer }))))(
    "is the same for the command and the gateway: $reason, with an answer: $hasAnswer",
    async ({ reason, hasAnswer }) => {
      const said = [event.planStart(), event.planEnd(WORKFLOW), event.stepStart(0, 0)];
      const events = [
        ...[event.start(["a/b"]), ...said, ...(hasAnswer ? [event.stepEnd(0, 0, "391")] : [])],
        ...(reason === "interrupted" ? [] : [event.end(hasAnswer ? "391" : "", { stopReason: reason })]),
      ];
      const run = toRun(fold(events)!);
      const { exitCode, status, code } = endingOf(run);
      const failure = await failureOf(run);
      expect({ status: failure?.status ?? 200, code: failure?.code }).toEqual({ status, code });
      // Ctrl-C has an exit code of its own, and may leave an answer all the same.
      if (reason === "cancelled") expect(exitCode).toBe(130);
      else expect(exitCode).toBe(failure ? 1 : 0);
    },
  );

  it.each<[StopReason, string, number]>([
    ["done", "391", 0],
    ["done", "", 0],
    ["budget-usd", "391", 0],
    ["deadline", "391", 0],
    ["worker-failed", "391", 0],
    ["budget-calls", "", 1],
    ["refused", "", 1],
    ["failed", "", 1],
    ["answer-cut", "39", 1],
    ["invalid-output", "391", 1],
    ["journal-failed", "391", 0],
    ["journal-failed", "", 1],
    ["cancelled", "391", 130],
  ])("%s with the answer %j exits with %i", (stopReason, answer, exitCode) =>
    expect(endingOf(ended(answer, stopReason)).exitCode).toBe(exitCode),
  );
});

describe("stopReasonInWords", () => {
  it("says nothing when a run is simply done", () =>
    expect(stopReasonInWords(ended("391", "done"))).toBe(""));
  it("says so where nobody would see it", () =>
    expect(stopReasonInWords(ended("", "done"))).toBe("The answer is empty."));
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
