// What a client repeats of the runs before, in the words and under the ids that we gave it: each reply of a worker that is still as
// it was gets what its provider knows of it (ids, thoughts), out of the journal. So the next question after a tool loop begins
// with what that loop has sent, and is read from the provider's cache. What the client has edited stays as the client sends it.

import { isObject } from "../../base/fields.ts";
import { isSame } from "../../base/same.ts";
import type { RunState } from "../../perform/state.ts";
import { textOfUser } from "../../worker/exchanges.ts";
import type { Exchange, Message, OriginalReply, ToolCall } from "../../worker/types.ts";
import { parseToolCallId, toToolCallId } from "./turns.ts";

/** The newest run whose calls are in this conversation; what it has begun with names those before it. */
export function findRepeatedRun(messages: readonly Message[]): string | undefined {
  for (let at = messages.length - 1; at >= 0; at--) {
    const id = parseToolCallId(firstCallOf(messages[at]!));
    if (id) return id.runId;
  }
  return undefined;
}

/** A reply that is known, by its text and calls as the client has them. */
interface KnownReply {
  text: string;
  calls: readonly Pick<ToolCall, "name" | "input">[];
  original: OriginalReply;
}

export function withOriginals(
  messages: readonly Message[],
  state: Pick<RunState, "runId" | "task" | "pool" | "rounds">,
): Message[] {
  return withKnown(messages, toKnownReplies(state));
}

/** With what was known of the conversation before the client changed it. */
export function withKnownReplies(messages: readonly Message[], before: readonly Message[]): Message[] {
  return withKnown(messages, knownOf(before));
}

function withKnown(messages: readonly Message[], known: ReadonlyMap<string, KnownReply>): Message[] {
  return messages.map((message, at) => {
    if (message.role !== "assistant" || message.original) return message;
    const reply = known.get(firstCallOf(message));
    if (!reply || !isUnchanged(message, reply)) return message;
    const { said, ...original } = reply.original;
    return { ...message, original: isSaidInPieces(messages, at, said) ? reply.original : original };
  });
}

function knownOf(messages: readonly Message[]): Map<string, KnownReply> {
  const known = new Map<string, KnownReply>();
  for (const message of messages) {
    if (message.role !== "assistant" || !message.original) continue;
    const { content: text, toolCalls: calls = [], original } = message;
    known.set(firstCallOf(message), { text, calls, original });
  }
  return known;
}

function toKnownReplies({ runId, task, pool, rounds }: Parameters<typeof withOriginals>[1]) {
  const known = knownOf(task.messages);
  const add = ({ reply, worker, said }: Exchange, turn: number) => {
    const workerId = worker === undefined ? undefined : pool[worker]?.id;
    const { text, toolCalls = [], reasoningParts: reasoning } = reply;
    if (workerId === undefined || toolCalls.length === 0) return;
    const original = { workerId, toolCalls, reasoning, said };
    known.set(toToolCallId(runId, turn, 0), { text, calls: toolCalls, original });
  };
  for (const { exchanges, reply, worker } of rounds.flatMap(({ steps }) => steps)) {
    const returned = exchanges.filter(({ results }) => results !== undefined);
    for (const [turn, exchange] of returned.entries()) add(exchange, turn);
    // Where the run still waits, and the client has begun another one.
    if (reply) add({ reply, worker }, returned.length);
  }
  return known;
}

function isUnchanged({ content, toolCalls = [] }: AssistantMessage, { text, calls }: KnownReply): boolean {
  return (
    content === text &&
    toolCalls.length === calls.length &&
    calls.every(({ name, input }, at) => {
      const sent = toolCalls[at]!;
      return sent.name === name && isSameInput(input, sent.input);
    })
  );
}

/** Some dialects give arguments as objects, and the client writes them anew; what was no object comes back in one, or empty. */
export function isSameInput(kept: string, sent: string): boolean {
  if (kept === sent) return true;
  const [before, now] = [toObject(kept), toObject(sent)];
  if (before) return now !== undefined && isSame(before, now);
  return sent === "{}" || sent.includes(JSON.stringify(kept));
}

function toObject(json: string): object | undefined {
  try {
    const parsed: unknown = JSON.parse(json === "" ? "{}" : json);
    return isObject(parsed) && !Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** The same words behind its results, with another reply of a model after them, and not as the one text that was sent then. */
function isSaidInPieces(messages: readonly Message[], at: number, said: string | undefined): boolean {
  if (said === undefined) return false;
  const end = messages.findIndex(({ role }, index) => index > at && role === "assistant");
  if (end < 0) return false;
  const behind = messages.slice(at + 1, end).filter(({ role }) => role !== "tool");
  if (!behind.every(({ role }) => role === "user") || textOfUser(behind) !== said) return false;
  return behind.length > 1 || behind[0]?.content !== said;
}

type AssistantMessage = Extract<Message, { role: "assistant" }>;

function firstCallOf(message: Message): string {
  return (message.role === "assistant" && message.toolCalls?.[0]?.id) || "";
}
