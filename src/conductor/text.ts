// What all Conductors that write text share: their text streams through, is parsed at the end, and a
// workflow that cheats is a format error like any other.

import { NO_USAGE } from "../worker/price.ts";
import type { Pool, Usage } from "../worker/types.ts";
import { parseWorkflow } from "../workflow/parse.ts";
import type { Decision, Workflow, WorkflowError } from "../workflow/types.ts";
import type { ComposeRequest, PlanEvent } from "./types.ts";

/** A piece of what the Conductor writes, or, once, what it took. */
export type TextPiece = { text: string } | { usage: Usage; isCut?: boolean };

export async function* composeText(
  request: ComposeRequest,
  source: AsyncIterable<TextPiece>,
): AsyncIterable<PlanEvent> {
  const pieces: string[] = [];
  let usage = NO_USAGE;
  let isCut = false;
  for await (const piece of source) {
    if ("usage" in piece) {
      ({ usage, isCut = false } = piece);
      continue;
    }
    pieces.push(piece.text);
    yield { type: "plan-delta", text: piece.text };
  }
  const text = pieces.join("");
  const decision = toDecision(text, request);
  const isLost = isCut && decision.type === "format-error";
  yield { type: "plan-end", text, decision: isLost ? CUT : decision, usage };
}

const CUT: Decision = {
  type: "format-error",
  error: {
    code: "plan-cut",
    message:
      "The plan was cut at the longest reply that the planner may write (finish_reason length). A planner that thinks less, or a larger maxOutputTokens for it, would help.",
  },
};

export function toDecision(
  text: string,
  { pool, maxSteps, rounds }: Pick<ComposeRequest, "pool" | "maxSteps" | "rounds">,
): Decision {
  const allowEmpty = rounds.length > 0;
  const parsed = parseWorkflow(text, { workers: pool.members.length, maxSteps, allowEmpty });
  if (!parsed.ok) return { type: "format-error", error: parsed.error };
  if (parsed.workflow.steps.length === 0) return { type: "accept" };
  const error = checkTeam(parsed.workflow, pool, rounds.at(-1)?.replies.length);
  return error ? { type: "format-error", error } : { type: "workflow", workflow: parsed.workflow };
}

// ---- Teams ---------------------------------------------------------------------------------------

// What the language alone cannot see: whether a workflow makes sense with this pool. It closes two
// cheats a Conductor under training finds within minutes: a workflow that asks nobody, and a vote
// over fewer than two replies, neither of which costs a call.

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
