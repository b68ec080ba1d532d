// How many input tokens a step can take at the most. Of a conversation that grows the worker itself has said how many tokens
// the last turn had: only what was added since is bounded by its bytes, which are four times too many in English. So a long
// tool loop does not run out of a budget that it has, and the budget still holds.

import { boundBriefTokens } from "../worker/brief.ts";
import type { Brief } from "../worker/types.ts";
import type { StepState } from "./state.ts";

/**
 * By bytes alone. The other one looks at the conversation twice, so it is asked where this one does not fit.
 */
export const boundByBytes = boundBriefTokens;

/** From what the worker has reported of the turn before, where the rest of the request is what it was then. */
export function boundByReport(brief: Brief, { reported }: Pick<StepState, "reported">): number {
  const bound = boundBriefTokens(brief);
  const { exchanges = [], task } = brief;
  const last = exchanges.at(-1);
  if (!reported || !last?.results || exchanges.length !== reported.turns + 1) return bound;
  if (JSON.stringify(task.output?.tools) !== JSON.stringify(reported.tools)) return bound;
  const before = boundBriefTokens({ ...brief, exchanges: exchanges.slice(0, -1) });
  const { reasoningParts = [], toolCalls = [] } = last.reply;
  const handedBack = JSON.stringify([reasoningParts, toolCalls]);
  return Math.min(bound, reported.inputTokens + (bound - before) + Buffer.byteLength(handedBack));
}
