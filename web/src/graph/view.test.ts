import { describe, expect, it } from "vitest";
import { toRun } from "../../../src/perform/run.ts";
import { fold } from "../../../src/perform/state.ts";
import type { RunEvent } from "../../../src/store/types.ts";
import { event, RUN_ID, toWorkflow } from "../../../src/testing/run-events.ts";
import { applyEvent, NO_VIEW, type RunView } from "./view.ts";

const watch = (events: RunEvent[]): RunView => events.reduce(applyEvent, NO_VIEW);
const workflow = toWorkflow([0, "Compute it", []], [1, "Check it", "all"]);
const begin = [event.start(["a/x", "b/y"]), event.planStart(), event.planEnd(workflow, "plan")];
const whole = [
  ...begin,
  event.stepStart(0, 0, { at: 20 }),
  event.delta(0, "39"),
  event.delta(0, "1"),
  event.stepEnd(0, 0, "391", { at: 120 }),
  event.stepStart(1, 1, { at: 130 }),
  event.stepEnd(1, 1, "It is 391", { at: 300 }),
  event.roundEnd(),
  event.end("It is 391"),
];

describe("applyEvent", () => {
  it("gives the state that the performer itself would have", () => {
    expect(watch(whole).state).toEqual(fold(whole));
  });

  it("shows text as it arrives, before the step has ended", () => {
    const view = watch(whole.slice(0, 6));
    expect(toRun(view.state!).steps[0]).toMatchObject({ state: "running", partial: "391" });
  });

  it("shows what the Conductor writes until the plan is there", () => {
    const writing: RunEvent = {
      type: "plan-delta",
      runId: RUN_ID,
      at: 1,
      round: 0,
      attempt: 0,
      text: "model_id",
    };
    const view = watch([begin[0]!, begin[1]!, writing, { ...writing, text: " = [0" }]);
    expect(view.planText).toBe("model_id = [0");
    expect(applyEvent(view, begin[2]!).planText).toBe("");
  });

  it("keeps when each ask began and ended, those that failed too", () => {
    const view = watch([
      ...begin,
      event.stepStart(0, 0, { at: 20 }),
      event.stepError(0, 0, "too many requests", { at: 50, retryAt: 90 }),
      event.stepStart(0, 1, { at: 90, attempt: 1, instead: { worker: 0, reason: "rate-limited" } }),
    ]);
    const from = view.state!.startedAt;
    expect(view.attempts).toMatchObject([
      { worker: 0, startedAt: from + 20, endedAt: from + 50, error: { code: "rate-limited" } },
      { worker: 1, startedAt: from + 90, instead: "rate-limited" },
    ]);
    expect(view.attempts[1]!.endedAt).toBeUndefined();
  });

  it("ends what was under way when the run is stopped", () => {
    const view = watch([
      ...begin,
      event.stepStart(0, 0, { at: 20 }),
      event.end("", { stopReason: "cancelled", at: 70 }),
    ]);
    expect(view.attempts[0]!.endedAt).toBe(view.state!.startedAt + 70);
  });

  it("does not mix the events of a nested run into the run", () => {
    const nested = whole.map((each) => ({ ...each, runId: `${RUN_ID}.0.0` }));
    const view = watch([...whole.slice(0, 4), ...nested]);
    expect(view.state).toEqual(fold(whole.slice(0, 4)));
    expect(view.nested[`${RUN_ID}.0.0`]).toEqual(fold(nested));
  });

  it("waits for the beginning, and hears it once", () => {
    expect(watch(whole.slice(1))).toEqual(NO_VIEW);
    expect(watch([...whole, whole[0]!])).toEqual(watch(whole));
  });
});
