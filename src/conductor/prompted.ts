// Any chat model as the Conductor: it gets our prompt and its text goes through the same parser as
// everybody's. The planner is a worker like any other, so every provider can plan.

import { estimateInputTokens } from "../worker/price.ts";
import type { Message, PoolMember, WorkerRequest } from "../worker/types.ts";
import { type PromptOptions, toConductorMessages } from "./prompt.ts";
import { composeText, type TextPiece } from "./text.ts";
import type { ComposeRequest, Conductor } from "./types.ts";

/** Reasoning and five long subtasks fit; models that think first need the room. */
const PLAN_TOKENS = 8_192;

/** `successors`: who plans, one after the other, where the planner fails. */
export function createPromptedConductor(
  planner: PoolMember,
  options: PromptOptions,
  successors: readonly PoolMember[] = [],
): Conductor {
  const planners = [planner, ...successors.filter(({ worker }) => worker.id !== planner.worker.id)];
  const plannerOf = ({ failedPlanners = 0 }: ComposeRequest) =>
    planners[Math.min(failedPlanners, planners.length - 1)]!;
  const limitOf = ({ maxOutputTokens = PLAN_TOKENS }: PoolMember) => Math.min(PLAN_TOKENS, maxOutputTokens);

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
    const asked = plannerOf(request);
    const maxOutputTokens = request.maxOutputTokens ?? limitOf(asked);
    const { seed, ask, timeouts } = request;
    const { worker } = asked;
    const question: WorkerRequest = { messages, maxOutputTokens, seed, ask, keepsThinking: true };
    if (worker.keepsTime) question.timeouts = timeouts;
    for await (const event of worker.ask(question, signal)) {
      if (event.type === "text-delta") yield { text: event.text };
      if (event.type === "finish") yield { usage: event.usage, isCut: event.reason === "length" };
    }
  }

  return {
    identity: { kind: "prompted", planner: planner.worker.id },
    compose: (request, signal) => composeText(request, write(request, signal)),
    successor: ({ failedPlanners = 0 }) => planners[failedPlanners + 1]?.worker.id,
    quote: (request) => ({
      member: plannerOf(request),
      inputTokens: estimateInputTokens(messagesFor(request)),
      maxOutputTokens: limitOf(plannerOf(request)),
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
