// How many input tokens a step can take at the most. Of a conversation that grows the worker itself has said how many tokens
// the last turn had: only what was added since is bounded by its bytes, which are four times too many in English. So a long
// tool loop does not run out of a budget that it has, and the budget still holds.

import type { PoolEntry } from "../store/types.ts";
import { boundBriefTokens } from "../worker/brief.ts";
import { withHourWrites } from "../worker/price.ts";
import type { Brief, CacheMark, Message, Price } from "../worker/types.ts";
import type { StepState } from "./state.ts";

/**
 * By bytes alone. The other one looks at the conversation twice, so it is asked where this one does not fit.
 */
export const boundByBytes = boundBriefTokens;

/** The price of its input at the most: what a client has kept for an hour is dearer to write. */
export function mostPriceOf({ price }: Pick<PoolEntry, "price">, { task, isLast }: Brief): Price | undefined {
  if (!price || !isLast) return price;
  const keeps = (each: { isCached?: CacheMark }) => each.isCached === "1h";
  const { messages, output } = task;
  const isKept = (message: Message) => {
    if (message.role === "user") return typeof message.content !== "string" && message.content.some(keeps);
    return message.role !== "assistant" && keeps(message);
  };
  return output?.tools?.some(keeps) || messages.some(isKept) ? withHourWrites(price) : price;
}

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
