import { expect, it } from "vitest";
import { event, toWorkflow } from "../../../src/testing/run-events.ts";
import { applyEvent, NO_VIEW } from "../graph/view.ts";
import { toCriticalPath } from "./critical-path.ts";

const workflow = toWorkflow([0, "quick", []], [1, "slow", []], [0, "join", "all"]);
const events = [
  event.start(["a/x", "b/y"]),
  event.planStart(),
  event.planEnd(workflow),
  event.stepStart(0, 0, { at: 10 }),
  event.stepStart(1, 1, { at: 10 }),
  event.stepEnd(0, 0, "1", { at: 50 }),
  event.stepEnd(1, 1, "2", { at: 400 }),
  event.stepStart(2, 0, { at: 410 }),
  event.stepEnd(2, 0, "3", { at: 500 }),
];

it("goes over what was waited for longest, back to the plan", () => {
  const path = toCriticalPath(events.reduce(applyEvent, NO_VIEW));
  expect([...path].sort()).toEqual(["0.1", "0.2", "plan-0"]);
});

it("counts what is still running as the longest", () => {
  const path = toCriticalPath(events.slice(0, 6).reduce(applyEvent, NO_VIEW));
  expect(path.has("0.1")).toBe(true);
  expect(path.has("0.0")).toBe(false);
});

it("goes through every round", () => {
  const later = [
    event.roundEnd(0),
    event.planStart(1, 0, 510),
    event.planEnd(toWorkflow([1, "again", "all"]), "", 1, 520),
    event.stepStart(0, 1, { round: 1, at: 530 }),
    event.stepEnd(0, 1, "4", { round: 1, at: 600 }),
  ];
  const path = toCriticalPath([...events, ...later].reduce(applyEvent, NO_VIEW));
  expect([...path].sort()).toEqual(["0.1", "0.2", "1.0", "plan-0", "plan-1"]);
});

it("is empty before there is anything", () => {
  expect(toCriticalPath(NO_VIEW).size).toBe(0);
});
