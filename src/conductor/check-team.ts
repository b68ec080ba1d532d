// What the language alone cannot see: whether a workflow makes sense with this pool. It closes two
// cheats a Conductor under training finds within minutes: a workflow that asks nobody, and a vote
// over fewer than two replies, neither of which costs a call.

import type { Pool } from "../worker/types.ts";
import type { Workflow, WorkflowError } from "../workflow/types.ts";

/** `previousSteps`: how many steps of the round before `all` (and `all-rounds`) also exposes. */
export function checkTeam(workflow: Workflow, pool: Pool, previousSteps = 0): WorkflowError | undefined {
  const kindOf = (worker: number) => pool.members[worker]?.worker.kind;
  const isModel = (worker: number) => kindOf(worker) !== "tool";
  if (workflow.steps.length > 0 && !workflow.steps.some((step) => isModel(step.worker))) {
    return {
      code: "asks-nobody",
      message: "No step asks a model: at least one has to, or there is no answer.",
    };
  }
  for (const [position, step] of workflow.steps.entries()) {
    if (isModel(step.worker)) continue;
    const seen = typeof step.access === "string" ? position + previousSteps : step.access.length;
    if (seen < 2) {
      const name = pool.members[step.worker]?.worker.id;
      const message = `Step ${position} is "${name}" and sees ${seen === 1 ? "one earlier reply" : "no earlier reply"}: it needs at least 2 to compare.`;
      return { code: "nothing-to-vote", message };
    }
  }
  return undefined;
}
