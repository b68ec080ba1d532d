import { expect, test } from "vitest";
import type { Workflow, WorkflowErrorCode } from "./types.ts";
import { validateWorkflow } from "./validate.ts";

const step = { worker: 0, subtask: "Solve it", access: [] };

test("a workflow by hand is valid, in any number of steps that the caller allows", () => {
  const steps = Array.from({ length: 200 }, (_, i) => ({
    worker: i % 3,
    subtask: `${i}`,
    access: "all" as const,
  }));
  expect(validateWorkflow({ steps }, { workers: 3, maxSteps: Number.POSITIVE_INFINITY })).toBeUndefined();
  expect(validateWorkflow({ steps }, { workers: 3 })?.code).toBe("too-many-steps");
});

test("no steps are valid only where accepting is allowed", () => {
  expect(validateWorkflow({ steps: [] }, { workers: 1, allowEmpty: true })).toBeUndefined();
  expect(validateWorkflow({ steps: [] }, { workers: 1 })?.code).toBe("no-steps");
});

test.each<[string, unknown, WorkflowErrorCode, string]>([
  ["nothing", undefined, "bad-list", "steps is undefined"],
  ["a text", "steps", "bad-list", "A workflow is { steps:"],
  ["steps that are no list", { steps: {} }, "bad-list", "steps is an object"],
  ["a step that is no object", { steps: [null] }, "bad-list", "position 0 is null"],
  ["a hole", { steps: new Array(1) }, "bad-list", "position 0 is undefined"],
  ["a name for a worker", { steps: [{ ...step, worker: "gpt-5" }] }, "bad-list", '"gpt-5": write its number'],
  ["a symbol for a worker", { steps: [{ ...step, worker: Symbol("x") }] }, "bad-list", "is a symbol"],
  ["no worker", { steps: [{ ...step, worker: Number.NaN }] }, "bad-list", "is NaN"],
  [
    "an unknown worker",
    { steps: [step, { ...step, worker: 2 }] },
    "unknown-worker",
    "worker 2 (position 1): use 0 to 1",
  ],
  ["no subtask", { steps: [{ worker: 0, access: [] }] }, "bad-list", "subtask at position 0 is undefined"],
  ["a blank subtask", { steps: [{ ...step, subtask: "\n\t " }] }, "blank-subtask", "position 0"],
  ["no access", { steps: [{ worker: 0, subtask: "x" }] }, "bad-access", "is undefined"],
  ["a word for access", { steps: [step, { ...step, access: "none" }] }, "bad-access", 'is "none"'],
  ["a position as text", { steps: [step, { ...step, access: ["0"] }] }, "bad-access", 'is ["0"], and "0"'],
  [
    "a later position",
    { steps: [step, { ...step, access: [0, 1] }] },
    "bad-access",
    "and 1 is not an earlier",
  ],
])("says what is wrong with %s", (_, workflow, code, fragment) => {
  const error = validateWorkflow(workflow as Workflow, { workers: 2 });
  expect(error?.code).toBe(code);
  expect(error?.message).toContain(fragment);
});
