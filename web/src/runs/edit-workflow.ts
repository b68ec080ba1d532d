// Changes to a workflow that keep it one: positions in access lists follow the steps they name. Pure.

import type { Access, Step, Workflow } from "../../../src/workflow/types.ts";
import { toPositions } from "../../../src/workflow/waves.ts";

export function addStep({ steps }: Workflow): Workflow {
  const worker = steps.at(-1)?.worker ?? 0;
  return { steps: [...steps, { worker, subtask: "", access: "all" }] };
}

export function removeStep({ steps }: Workflow, position: number): Workflow {
  const left = steps.filter((_, i) => i !== position);
  return renumber(left, (seen) => (seen === position ? undefined : seen > position ? seen - 1 : seen));
}

/** Two neighbours change places; the one that comes first then no longer sees the other. */
export function moveStep({ steps }: Workflow, position: number, by: -1 | 1): Workflow {
  const other = position + by;
  if (other < 0 || other >= steps.length) return { steps };
  const moved = steps.with(position, steps[other]!).with(other, steps[position]!);
  return renumber(moved, (seen) => (seen === position ? other : seen === other ? position : seen));
}

/** All earlier ones are "all", as the language has it. */
export function toggleAccess(access: Access, position: number, other: number): Access {
  const before = toPositions(access, position);
  const after = before.includes(other)
    ? before.filter((seen) => seen !== other)
    : [...before, other].sort((a, b) => a - b);
  return after.length === position ? "all" : after;
}

function renumber(steps: readonly Step[], to: (seen: number) => number | undefined): Workflow {
  return {
    steps: steps.map((step, position) => {
      if (typeof step.access === "string") return step;
      const access = step.access
        .map(to)
        .filter((seen): seen is number => seen !== undefined && seen < position);
      return { ...step, access: access.sort((a, b) => a - b) };
    }),
  };
}
