// Workflows of one's own: every form, and what is said of a wrong one.

import { describe, expect, it } from "vitest";
import { startCpuClock } from "../testing/cpu-clock.ts";
import { parseWrittenWorkflow } from "./workflow-text.ts";

const YAML = `
description: Two drafts, then a choice.
steps:
  - name: first
    worker: openai/gpt-5
    subtask: Answer the question.
  - worker: 1
    subtask: Answer the question in another way.
    sees: none
  - worker: gpt-5-mini
    subtask: Find the mistakes in the first answer.
    sees: [first]
  - worker: openai/gpt-5
    subtask: Write the best answer.
`;

describe("a workflow that a person writes", () => {
  it("in YAML names workers and what they see; the last step sees all by itself", () => {
    expect(parseWrittenWorkflow(YAML, "plan.yaml").steps).toEqual([
      { worker: "openai/gpt-5", subtask: "Answer the question.", access: [] },
      { worker: 1, subtask: "Answer the question in another way.", access: [] },
      { worker: "gpt-5-mini", subtask: "Find the mistakes in the first answer.", access: [0] },
      { worker: "openai/gpt-5", subtask: "Write the best answer.", access: "all" },
    ]);
  });

  it.each([
    'model_id = ["openai/gpt-5", 1]\nsubtasks = ["A", "B"]\naccess_list = [[], ["all"]]',
    '{ "steps": [{ "worker": "openai/gpt-5", "subtask": "A", "access": [] }, { "worker": 1, "subtask": "B", "access": "all" }] }',
  ])("in the Conductor's language takes ids as well as numbers: %s", (text) => {
    expect(parseWrittenWorkflow(text, "plan.txt").steps).toEqual([
      { worker: "openai/gpt-5", subtask: "A", access: [] },
      { worker: 1, subtask: "B", access: "all" },
    ]);
  });

  it.each([
    ["steps: []", /plan is not a workflow: steps/],
    ["steps:\n  - worker: a", /step 1, subtask/],
    ["steps:\n  - worker: a\n    subtask: x\n    see: all", /step 1: Unrecognized key: "see"/],
    ["steps:\n  - worker: a\n    subtask: x\n    sees: [2]", /step 1 sees 2, which is no earlier step/],
    [
      "steps:\n  - name: draft\n    worker: a\n    subtask: x\n  - worker: a\n    subtask: y\n    sees: [draff]",
      /step 2 sees "draff".*from 1 to 1, or draft\. Did you mean "draft"/,
    ],
    ["hello", /There is no workflow in the text/],
    ["steps: &a [*a]", /is not a workflow/],
  ])("is refused with the place and what is right: %j", (text, message) =>
    expect(() => parseWrittenWorkflow(text, "plan")).toThrow(message),
  );
});

it("a file of a hundred thousand names is refused in a moment", () => {
  const cpuMs = startCpuClock();
  const text = Array.from({ length: 100_000 }, (_, i) => `n${i}: 1`).join("\n");
  expect(() => parseWrittenWorkflow(`${text}\nsteps: []`, "it")).toThrow("it is not a workflow");
  expect(cpuMs()).toBeLessThan(15_000);
});
