// Any chat model as the Conductor: it gets our prompt and its text goes through the same parser as
// everybody's. The planner is a worker like any other, so every provider can plan.

import { estimateInputTokens } from "../worker/price.ts";
import type { Message, PoolMember } from "../worker/types.ts";
import { type PromptOptions, toConductorMessages } from "./prompt.ts";
import { composeText, type TextPiece } from "./text.ts";
import type { ComposeRequest, Conductor } from "./types.ts";

/** Reasoning and five long subtasks fit; models that think first need the room. */
const PLAN_TOKENS = 8_192;

export function createPromptedConductor(planner: PoolMember, options: PromptOptions): Conductor {
  const { worker, maxOutputTokens = PLAN_TOKENS } = planner;
  const limit = Math.min(PLAN_TOKENS, maxOutputTokens);

  // A plan is quoted before it is written, and its messages are long: they are made once for both.
  const known = new WeakMap<ComposeRequest["task"], { request: ComposeRequest; messages: Message[] }>();
  function messagesFor(request: ComposeRequest): Message[] {
    const last = known.get(request.task);
    if (last && isSame(last.request, request)) return last.messages;
    const messages = toConductorMessages(request, options);
    known.set(request.task, { request, messages });
    return messages;
  }

  async function* write(request: ComposeRequest, signal: AbortSignal): AsyncIterable<TextPiece> {
    const messages = messagesFor(request);
    const question = { messages, maxOutputTokens: request.maxOutputTokens ?? limit, seed: request.seed };
    for await (const event of worker.ask(question, signal)) {
      if (event.type === "text-delta") yield { text: event.text };
      if (event.type === "finish") yield { usage: event.usage };
    }
  }

  return {
    identity: { kind: "prompted", planner: worker.id },
    compose: (request, signal) => composeText(request, write(request, signal)),
    quote: (request) => ({
      member: planner,
      inputTokens: estimateInputTokens(messagesFor(request)),
      maxOutputTokens: limit,
    }),
  };
}

/** Of one task: rounds and errors only ever grow. */
function isSame(a: ComposeRequest, b: ComposeRequest): boolean {
  return (
    a.pool === b.pool &&
    a.maxSteps === b.maxSteps &&
    a.rounds.length === b.rounds.length &&
    a.errors.length === b.errors.length
  );
}
