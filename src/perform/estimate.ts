// What a plan will cost, before anybody says yes to it. `usd` is what to expect, with replies of an
// ordinary length; `maxUsd` is what it cannot exceed, with the longest replies that may be written.

import type { PoolEntry } from "../store/types.ts";
import { isFree } from "../worker/kinds.ts";
import { estimateInputTokens } from "../worker/price.ts";
import type { Workflow } from "../workflow/types.ts";
import { toPositions } from "../workflow/waves.ts";
import { replyLimit } from "./budget.ts";
import type { RunState } from "./state.ts";

export interface PlanEstimate {
  usd: number;
  maxUsd: number;
  calls: number;
  /** Steps whose price nobody knows, `self` among them: they come on top. */
  unpricedSteps: number;
}

export const TYPICAL_REPLY_TOKENS = 600;
/** The upper bound counts bytes; a token of ordinary text has about four. */
export const BYTES_PER_TOKEN = 4;

export function estimatePlan(state: RunState, workflow: Workflow): PlanEstimate {
  const estimate: PlanEstimate = { usd: 0, maxUsd: 0, calls: 0, unpricedSteps: 0 };
  const taskTokens = estimateInputTokens(state.task.messages);
  const limits: number[] = [];
  for (const [number, { worker, access, subtask }] of workflow.steps.entries()) {
    const entry: PoolEntry = state.pool[worker]!;
    const limit = replyLimit(state, entry, number === workflow.steps.length - 1);
    limits.push(limit);
    if (isFree(entry)) continue;
    estimate.calls += 1;
    if (!entry.price) {
      estimate.unpricedSteps += 1;
      continue;
    }
    const seen = toPositions(access, number).map((position) => limits[position]!);
    const { inputUsd, outputUsd } = entry.price;
    const ownTokens = taskTokens + subtask.length;
    const typicalInput = ownTokens / BYTES_PER_TOKEN + seen.length * TYPICAL_REPLY_TOKENS;
    // A token seldom has more than eight bytes, and input is bounded by bytes.
    const maxInput = ownTokens + 8 * seen.reduce((sum, tokens) => sum + tokens, 0);
    estimate.usd += (typicalInput * inputUsd + Math.min(limit, TYPICAL_REPLY_TOKENS) * outputUsd) / 1e6;
    estimate.maxUsd += (maxInput * inputUsd + limit * outputUsd) / 1e6;
  }
  const { usd } = state.settings.limits;
  if (usd !== undefined) estimate.maxUsd = Math.min(estimate.maxUsd, Math.max(0, usd - state.spent.usd));
  return estimate;
}
