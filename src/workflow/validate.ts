// What makes a workflow valid: checked here for texts of a Conductor and for objects that people hand in,
// which may be anything when they come from JavaScript or from a file.

import { show } from "./show.ts";
import { MAX_STEPS, type ParseOptions, type Workflow, type WorkflowError } from "./types.ts";

/** Undefined when the workflow is valid. Never throws. */
export function validateWorkflow(workflow: Workflow, options: ParseOptions): WorkflowError | undefined {
  const steps: unknown = (workflow as Partial<Workflow> | null | undefined)?.steps;
  if (!Array.isArray(steps)) {
    return {
      code: "bad-list",
      message: `A workflow is { steps: [{ worker, subtask, access }, …] }, but steps is ${show(steps)}`,
    };
  }
  const maxSteps = options?.maxSteps ?? MAX_STEPS;
  if (steps.length === 0) return options?.allowEmpty ? undefined : noSteps(maxSteps);
  if (steps.length > maxSteps) {
    return {
      code: "too-many-steps",
      message: `The workflow has ${steps.length} steps: at most ${maxSteps} are allowed`,
    };
  }
  for (const [position, step] of steps.entries()) {
    const error = validateStep(step, position, options?.workers ?? 0);
    if (error) return error;
  }
  return undefined;
}

function noSteps(maxSteps: number): WorkflowError {
  return { code: "no-steps", message: `The workflow has no steps: write 1 to ${maxSteps}` };
}

function validateStep(step: unknown, position: number, workers: number): WorkflowError | undefined {
  if (typeof step !== "object" || step === null) {
    return {
      code: "bad-list",
      message: `The step at position ${position} is ${show(step)}: write { worker, subtask, access }`,
    };
  }
  const { worker, subtask, access } = step as Record<string, unknown>;
  return (
    validateWorker(worker, position, workers) ??
    validateSubtask(subtask, position) ??
    validateAccess(access, position)
  );
}

function validateWorker(worker: unknown, position: number, workers: number): WorkflowError | undefined {
  if (typeof worker !== "number" || Number.isNaN(worker) || !Number.isInteger(worker)) {
    return {
      code: "bad-list",
      message: `The worker at position ${position} is ${show(worker)}: write its number in the pool`,
    };
  }
  if (worker >= 0 && worker < workers) return undefined;
  const right = workers > 0 ? `use 0 to ${workers - 1}` : "the pool is empty";
  return {
    code: "unknown-worker",
    message: `There is no worker ${show(worker)} (position ${position}): ${right}`,
  };
}

function validateSubtask(subtask: unknown, position: number): WorkflowError | undefined {
  if (typeof subtask !== "string") {
    return {
      code: "bad-list",
      message: `The subtask at position ${position} is ${show(subtask)}: write a string in quotes`,
    };
  }
  if (subtask.trim() !== "") return undefined;
  return {
    code: "blank-subtask",
    message: `The subtask at position ${position} is blank: say what the worker is to do`,
  };
}

function validateAccess(access: unknown, position: number): WorkflowError | undefined {
  if (access === "all" || access === "all-rounds") return undefined;
  if (!Array.isArray(access)) return badAccess(access, position);
  const wrong = access.findIndex((seen) => !Number.isInteger(seen) || seen < 0 || seen >= position);
  return wrong < 0 ? undefined : badAccess(access, position, access[wrong]);
}

/** `wrong` is the one position of several that cannot be seen. */
export function badAccess(access: unknown, position: number, wrong: unknown = access): WorkflowError {
  const which = wrong === access ? "" : `, and ${show(wrong)} is not an earlier position`;
  const right =
    position === 0
      ? "the first step sees nothing, write []"
      : `write [], ["all"] or earlier positions (0 to ${position - 1})`;
  return {
    code: "bad-access",
    message: `The access at position ${position} is ${show(access)}${which}: ${right}`,
  };
}
