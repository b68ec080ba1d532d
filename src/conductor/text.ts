// What all Conductors that write text share: their text streams through, is parsed at the end, and a
// workflow that cheats is a format error like any other.

import type { Usage } from "../worker/types.ts";
import { NO_USAGE } from "../worker/usage.ts";
import { parseWorkflow } from "../workflow/parse.ts";
import type { Decision } from "../workflow/types.ts";
import { checkTeam } from "./check-team.ts";
import type { ComposeRequest, PlanEvent } from "./types.ts";

/** A piece of what the Conductor writes, or, once, what it took. */
export type TextPiece = { text: string } | { usage: Usage };

export async function* composeText(
  request: ComposeRequest,
  source: AsyncIterable<TextPiece>,
): AsyncIterable<PlanEvent> {
  const pieces: string[] = [];
  let usage = NO_USAGE;
  for await (const piece of source) {
    if ("usage" in piece) {
      usage = piece.usage;
      continue;
    }
    pieces.push(piece.text);
    yield { type: "plan-delta", text: piece.text };
  }
  const text = pieces.join("");
  yield { type: "plan-end", text, decision: toDecision(text, request), usage };
}

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
