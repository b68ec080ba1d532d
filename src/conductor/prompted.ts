// Any chat model as the Conductor: it gets our prompt and its text goes through the same parser as
// everybody's. The planner is a worker like any other, so every provider can plan.

import { estimateInputTokens } from "../worker/price.ts";
import type { PoolMember } from "../worker/types.ts";
import { type PromptOptions, toConductorMessages } from "./prompt.ts";
import { composeText, type TextPiece } from "./text.ts";
import type { ComposeRequest, Conductor } from "./types.ts";

/** Reasoning and five long subtasks fit; models that think first need the room. */
const PLAN_TOKENS = 8_192;

export function createPromptedConductor(planner: PoolMember, options: PromptOptions): Conductor {
  const { worker, maxOutputTokens = PLAN_TOKENS } = planner;
  const limit = Math.min(PLAN_TOKENS, maxOutputTokens);

  async function* write(request: ComposeRequest, signal: AbortSignal): AsyncIterable<TextPiece> {
    const messages = toConductorMessages(request, options);
    const question = { messages, maxOutputTokens: request.maxOutputTokens ?? limit, seed: request.seed };
    for await (const event of worker.ask(question, signal)) {
      if (event.type === "text-delta") yield { text: event.text };
      if (event.type === "finish") yield { usage: event.usage };
    }
  }

  return {
    id: `prompted:${worker.id}`,
    compose: (request, signal) => composeText(request, write(request, signal)),
    quote: (request) => ({
      member: planner,
      inputTokens: estimateInputTokens(toConductorMessages(request, options)),
      maxOutputTokens: limit,
    }),
  };
}
