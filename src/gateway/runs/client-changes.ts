// The client's truth: what it has edited, pruned or redacted of a conversation while its tools ran. Apart from turns.ts, which
// finds the run that a conversation goes on with: here the two are compared, so that nothing is sent from the journal that the
// client does not send any more.

import { countSame } from "../../base/growing-fold.ts";
import { isSame } from "../../base/same.ts";
import type { Run } from "../../perform/run.ts";
import { textOfUser, withoutOriginal } from "../../worker/exchanges.ts";
import type { Exchange, Message, ToolCall, ToolResult } from "../../worker/types.ts";
import { isSameInput, withKnownReplies } from "./originals.ts";
import { parseToolCallId, toReturned } from "./turns.ts";

/**
 * What the client has changed of the conversation and of the run's turns; nothing where all is as it was. Undefined where
 * its turns cannot be told apart any more, or a turn has lost a call or a result: then the conversation is one to begin anew
 * with.
 */
export function findChanges(
  messages: readonly Message[],
  run: Run,
): { messages?: Message[]; exchanges?: Exchange[]; reply?: SentReply } | undefined {
  const first = messages.findIndex((message) => turnOf(message, run.id) !== undefined);
  // Only the results were sent: what they answer to is in the journal alone.
  if (first <= 0) return {};
  const turns = toSentTurns(messages.slice(first), run.id);
  if (!turns) return undefined;
  const isWhole = ({ calls, results }: SentTurn, count: number) =>
    calls.size === count && results.size === count;
  let turn = 0;
  const last = run.steps.at(-1);
  const kept = last?.exchanges ?? [];
  const exchanges: Exchange[] = [];
  for (const exchange of kept) {
    const now = exchange.results && turns.get(turn++);
    // Nothing is made anew of what is as it was: it may be a long conversation, at every turn of it.
    if (!exchange.results || now?.same === exchange) exchanges.push(exchange);
    else if (now && !isWhole(now, exchange.results.length)) return undefined;
    else if (now) exchanges.push(toExchange(exchange, now));
  }
  // The turn that asked for the results which come now.
  const newest = run.stopReason === "tool-calls" ? turns.get(turn) : undefined;
  if (newest && !isWhole(newest, last?.toolCalls?.length ?? 0)) return undefined;
  const opening = messages.slice(0, first);
  const isAsBefore = isSame(opening.map(withoutOriginal), run.task.messages.map(withoutOriginal));
  return {
    messages: isAsBefore ? undefined : withKnownReplies(opening, run.task.messages),
    exchanges: isSame(exchanges, kept) ? undefined : exchanges,
    reply: last && newest && toReplyNow({ text: last.reply, toolCalls: last.toolCalls }, newest),
  };
}

type SentReply = Pick<Exchange["reply"], "text" | "toolCalls">;

/** What was said and called, as the client has it now; undefined where that is what it was. */
function toReplyNow({ text, toolCalls = [] }: SentReply, now: SentTurn): SentReply | undefined {
  const calls = toolCalls.map((call, index) => {
    const sent = now.calls.get(index);
    if (!sent || (sent.name === call.name && isSameInput(call.input, sent.input))) return call;
    return { ...call, name: sent.name, input: sent.input };
  });
  const isChanged = now.text !== text || calls.some((call, index) => call !== toolCalls[index]);
  return isChanged ? { text: now.text, toolCalls: calls } : undefined;
}

// ---- Its turns, as the client sends them back ---------------------------------------------------------------

interface SentTurn {
  /** Of the run. */
  number: number;
  /** Its first message is the one with this place behind the first turn. */
  at: number;
  text: string;
  /** By their position. */
  calls: Map<number, ToolCall>;
  /** By the position of the call. */
  results: Map<number, ToolMessage>;
  said: string[];
  /** What it was found to be: neither of them ever changes. */
  same?: Exchange;
}

type ToolMessage = Extract<Message, { role: "tool" }>;

/** By their first message: those of a conversation that goes on are told apart once. */
const sentBefore = new WeakMap<Message, Sent>();

interface Sent {
  runId: string;
  messages: readonly Message[];
  turns: SentTurn[];
  byNumber: Map<number, SentTurn>;
}

/** By their numbers; undefined where they cannot be told apart. `messages`: from the first turn of the run on. */
function toSentTurns(messages: readonly Message[], runId: string): Map<number, SentTurn> | undefined {
  const first = messages[0]!;
  const before = sentBefore.get(first);
  // What is known of it is taken over: should it turn out to be wrong, nothing is known any more.
  sentBefore.delete(first);
  const isOfRun = before?.runId === runId;
  const same = isOfRun ? countSame(before.messages, messages) : 0;
  const turns: SentTurn[] = isOfRun ? before.turns : [];
  const byNumber = isOfRun ? before.byNumber : new Map<number, SentTurn>();
  let from = 0;
  // Those that are others now, and the last one that is the same: it may go on.
  while (turns.length > 0) {
    const { at, number } = turns.pop()!;
    byNumber.delete(number);
    from = at;
    if (at < same) break;
  }
  let current: SentTurn | undefined;
  for (let at = from; at < messages.length; at++) {
    const message = messages[at]!;
    if (message.role === "assistant") {
      const number = turnOf(message, runId);
      if (number === undefined || byNumber.has(number)) return undefined;
      const calls = toCalls(message.toolCalls);
      current = { number, at, text: message.content, calls, results: new Map(), said: [] };
      turns.push(current);
      byNumber.set(number, current);
    } else if (message.role === "tool") {
      const id = parseToolCallId(message.toolCallId);
      if (id?.runId !== runId) return undefined;
      current!.results.set(id.index, message);
    } else {
      const said = message.role === "user" ? textOfUser([message]) : undefined;
      if (said === undefined) return undefined;
      current!.said.push(said);
    }
  }
  sentBefore.set(first, { runId, messages, turns, byNumber });
  return byNumber;
}

function toCalls(calls: readonly ToolCall[] = []): Map<number, ToolCall> {
  return new Map(calls.map((call) => [parseToolCallId(call.id)?.index ?? -1, call]));
}

/** The same one where nothing of it was changed. */
function toExchange(exchange: Exchange, now: SentTurn): Exchange {
  const said = now.said.join("\n\n") || undefined;
  const reply = toReplyNow(exchange.reply, now);
  const isAsBefore = ({ toolCallId: _, ...returned }: ToolResult, index: number) => {
    const message = now.results.get(index);
    return !message || isSame(toReturned(message), returned);
  };
  if (!reply && said === exchange.said && exchange.results!.every(isAsBefore)) {
    now.same = exchange;
    return exchange;
  }
  const results = exchange.results!.map(({ toolCallId, ...returned }, index) => {
    const message = now.results.get(index);
    return { toolCallId, ...(message ? toReturned(message) : returned) };
  });
  return { ...exchange, reply: { ...exchange.reply, ...reply }, results, said };
}

/** Undefined for a message that is no turn of this run. */
function turnOf(message: Message, runId: string): number | undefined {
  const [call] = message.role === "assistant" ? (message.toolCalls ?? []) : [];
  const id = call && parseToolCallId(call.id);
  return id?.runId === runId ? id.turn : undefined;
}
