// Earlier turns of a step as messages, and what of them another worker may read. It needs nothing of Node, so that the
// dashboard can fold a run with it.

import type { Brief, Exchange, Message, Task } from "./types.ts";

/** Between what the user said and what the team adds. */
export const BETWEEN = "\n\n";

/** Exchanges never change, and come again with every turn: each is written once. */
const writtenTurns = new WeakMap<Exchange, Message[]>();

/** What this worker said, and what came back for it. */
export function toTurn(exchange: Exchange): Message[] {
  const known = writtenTurns.get(exchange) ?? writeTurn(exchange);
  writtenTurns.set(exchange, known);
  return known;
}

function writeTurn({ reply, results = [], said, advice, problem }: Exchange): Message[] {
  const { text, toolCalls = [], reasoningParts: reasoning } = reply;
  const nameOf = (id: string) => toolCalls.find((call) => call.id === id)?.name ?? "tool";
  const turn: Message[] = [
    { role: "assistant", content: text, ...(toolCalls.length > 0 && { toolCalls, reasoning }) },
    ...results.map(
      ({ toolCallId, content, images }): Message => ({
        role: "tool",
        toolCallId,
        toolName: nameOf(toolCallId),
        content,
        ...(images && { images }),
      }),
    ),
  ];
  const added = [said, advice].filter(Boolean).join(BETWEEN);
  if (added !== "") turn.push({ role: "user", content: added });
  if (problem !== undefined)
    turn.push({
      role: "user",
      content: `This reply cannot be used: ${problem}\nReply again with nothing but the JSON value that was asked for.`,
    });
  return turn;
}

/** The task as helpers read it in the middle of a tool loop: with all that was called and returned. */
export function withExchanges(task: Task, exchanges: readonly Exchange[]): Task {
  return exchanges.length === 0
    ? task
    : { ...task, messages: [...task.messages, ...exchanges.flatMap(toTurn)] };
}

/** Of other workers' turns what was said stays, and what only they can read goes. */
export function forWorker(brief: Brief, worker: number): Brief {
  const { exchanges } = brief;
  const isOther = (exchange: Exchange) => exchange.worker !== undefined && exchange.worker !== worker;
  if (!exchanges?.some(isOther)) return brief;
  return {
    ...brief,
    exchanges: exchanges.map((exchange) => (isOther(exchange) ? withoutThoughts(exchange) : exchange)),
  };
}

function withoutThoughts(exchange: Exchange): Exchange {
  const { text, toolCalls } = exchange.reply;
  return { ...exchange, reply: { text, toolCalls: toolCalls?.map(({ metadata: _, ...call }) => call) } };
}
