import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Access, Workflow } from "../../../src/workflow/types.ts";
import { validateWorkflow } from "../../../src/workflow/validate.ts";
import { addStep, moveStep, removeStep, toggleAccess } from "./edit-workflow.ts";

const workflow = (...accesses: Access[]): Workflow => ({
  steps: accesses.map((access, i) => ({ worker: i, subtask: `task ${i}`, access })),
});

describe("removeStep", () => {
  it("takes the step out of what others see, and renumbers the rest", () => {
    expect(removeStep(workflow([], [], [0, 1]), 0).steps.map(({ access }) => access)).toEqual([[], [0]]);
  });
});

describe("moveStep", () => {
  it("keeps who sees whom", () => {
    const moved = moveStep(workflow([], [], [1]), 0, 1);
    expect(moved.steps.map(({ subtask }) => subtask)).toEqual(["task 1", "task 0", "task 2"]);
    expect(moved.steps[2]!.access).toEqual([0]);
  });

  it("forgets a sight that would look ahead", () => {
    expect(moveStep(workflow([], [0]), 1, -1).steps.map(({ access }) => access)).toEqual([[], []]);
  });

  it("does nothing at the ends", () => {
    const before = workflow([], [0]);
    expect(moveStep(before, 0, -1)).toEqual(before);
    expect(moveStep(before, 1, 1)).toEqual(before);
  });
});

describe("toggleAccess", () => {
  it("is all when every earlier step is seen", () => {
    expect(toggleAccess([0], 2, 1)).toBe("all");
    expect(toggleAccess("all", 2, 0)).toEqual([1]);
  });
});

it("makes no change that is invalid but for an empty subtask", () => {
  const access = (position: number) =>
    fc.oneof(
      fc.constant<Access>("all"),
      fc.subarray(Array.from({ length: position }, (_, i) => i)) as fc.Arbitrary<Access>,
    );
  const workflows = fc
    .integer({ min: 1, max: 4 })
    .chain((count) => fc.tuple(...Array.from({ length: count }, (_, i) => access(i))))
    .map((accesses) => workflow(...(accesses as Access[])));
  fc.assert(
    fc.property(workflows, fc.nat(3), fc.constantFrom<-1 | 1>(-1, 1), (before, at, by) => {
      const position = at % before.steps.length;
      const options = { workers: 4, allowEmpty: true };
      expect(validateWorkflow(moveStep(before, position, by), options)).toBeUndefined();
      expect(validateWorkflow(removeStep(before, position), options)).toBeUndefined();
      expect(validateWorkflow(addStep(before), options)?.code).toBe("blank-subtask");
    }),
    { seed: 11 },
  );
});
