// Earlier turns of a step as messages, what of them another worker may read, and replies of earlier runs as their worker gave
// them. It needs nothing of Node, so that the dashboard can fold a run with it.

import type { Brief, CacheMark, Exchange, Message, Part, Task } from "./types.ts";

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

/**
 * A conversation for this worker: its own replies of earlier runs as it gave them, with their thoughts and under its provider's
 * ids. What a loop has sent then comes again byte for byte, and is read from a cache.
 */
export function toOwnMessages(messages: Message[], workerId: string): Message[] {
  if (!messages.some((message) => originalOf(message, workerId))) return messages;
  const ids = new Map<string, string>();
  let said: string | undefined;
  return messages.flatMap((message): Message[] => {
    if (message.role === "assistant") {
      const original = originalOf(message, workerId);
      said = original?.said;
      for (const [at, { id }] of (original?.toolCalls ?? []).entries())
        ids.set(message.toolCalls?.[at]?.id ?? "", id);
      return [original ? writeOwn(message, original) : message];
    }
    if (message.role === "tool") return [withId(message, ids.get(message.toolCallId))];
    if (message.role !== "user" || said === undefined) return [message];
    const text = said;
    // All of it is in the first one.
    said = "";
    return text === "" ? [] : [writeSaid(message, text)];
  });
}

type AssistantMessage = Extract<Message, { role: "assistant" }>;
type ToolMessage = Extract<Message, { role: "tool" }>;

function originalOf(message: Message, workerId: string): AssistantMessage["original"] {
  const original = message.role === "assistant" ? message.original : undefined;
  return original?.workerId === workerId ? original : undefined;
}

function markOf({ content }: Message): CacheMark | undefined {
  return typeof content === "string" ? undefined : content.findLast(({ isCached }) => isCached)?.isCached;
}

/** They come again with every turn: each is written once. */
const writtenOwn = new WeakMap<Message, Message>();

function writeOwn(
  message: AssistantMessage,
  { toolCalls, reasoning }: NonNullable<AssistantMessage["original"]>,
): Message {
  const known = writtenOwn.get(message) ?? {
    role: message.role,
    content: message.content,
    toolCalls,
    reasoning,
  };
  writtenOwn.set(message, known);
  return known;
}

const writtenSaid = new WeakMap<Message, { text: string; written: Message }>();

function writeSaid(message: Message, text: string): Message {
  const known = writtenSaid.get(message);
  if (known?.text === text) return known.written;
  const written: Message = { role: "user", content: [{ type: "text", text, isCached: markOf(message) }] };
  writtenSaid.set(message, { text, written });
  return written;
}

function withId(message: ToolMessage, toolCallId: string | undefined): Message {
  if (toolCallId === undefined || toolCallId === message.toolCallId) return message;
  const known = writtenOwn.get(message);
  if (known?.role === "tool" && known.toolCallId === toolCallId) return known;
  const written = { ...message, toolCallId };
  writtenOwn.set(message, written);
  return written;
}

/** As the client has it. */
export function withoutOriginal(message: Message): Message {
  if (message.role !== "assistant" || !message.original) return message;
  const { original: _, ...sent } = message;
  return sent;
}

/** What the user said in these messages, where it is text alone: as a run is told it that goes on. */
export function textOfUser(messages: readonly Message[]): string | undefined {
  const texts: string[] = [];
  for (const { content } of messages) {
    const parts: Part[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
    if (!parts.every((part) => part.type === "text")) return undefined;
    texts.push(parts.map((part) => (part.type === "text" ? part.text : "")).join("\n"));
  }
  return texts.join("\n\n");
}
