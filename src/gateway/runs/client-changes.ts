// The client's truth: what it has edited, pruned or redacted of a conversation while its tools ran. Apart from turns.ts, which
// finds the run that a conversation goes on with: here the two are compared, so that nothing is sent from the journal that the
// client does not send any more.

import { isObject } from "../../base/fields.ts";
import { isSame } from "../../base/same.ts";
import type { Run } from "../../perform/run.ts";
import type { Exchange, Message, ToolCall, ToolResult } from "../../worker/types.ts";
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
  const turns = new Map<number, SentTurn>();
  let current: SentTurn | undefined;
  for (const message of messages.slice(first)) {
    if (message.role === "assistant") {
      const turn = turnOf(message, run.id);
      if (turn === undefined || turns.has(turn)) return undefined;
      current = { text: message.content, calls: toCalls(message.toolCalls), results: new Map(), said: [] };
      turns.set(turn, current);
    } else if (message.role === "tool") {
      const id = parseToolCallId(message.toolCallId);
      if (id?.runId !== run.id) return undefined;
      current!.results.set(id.index, message);
    } else if (message.role === "user" && typeof message.content === "string") {
      current!.said.push(message.content);
    } else return undefined;
  }
  let turn = 0;
  const last = run.steps.at(-1);
  const kept = last?.exchanges ?? [];
  const isWhole = ({ calls, results }: SentTurn, count: number) =>
    calls.size === count && results.size === count;
  let isBroken = false;
  const exchanges = kept.flatMap((exchange): Exchange[] => {
    if (!exchange.results) return [exchange];
    const now = turns.get(turn++);
    if (!now) return [];
    if (!isWhole(now, exchange.results.length)) isBroken = true;
    const said = now.said.join("\n\n") || undefined;
    const reply = toReplyNow(exchange.reply, now);
    // Nothing is made anew of what is as it was: it may be a long conversation, at every turn of it.
    const isAsBefore = (result: ToolResult, index: number) => {
      const message = now.results.get(index);
      return !message || isSameResult(result, message);
    };
    if (!reply && said === exchange.said && exchange.results.every(isAsBefore)) return [exchange];
    const results = exchange.results.map(({ toolCallId, ...returned }, index) => {
      const message = now.results.get(index);
      return { toolCallId, ...(message ? toReturned(message) : returned) };
    });
    return [{ ...exchange, reply: { ...exchange.reply, ...reply }, results, said }];
  });
  // The turn that asked for the results which come now.
  const newest = run.stopReason === "tool-calls" ? turns.get(turn) : undefined;
  if (isBroken || (newest && !isWhole(newest, last?.toolCalls?.length ?? 0))) return undefined;
  const opening = messages.slice(0, first);
  return {
    messages: isSame(opening, run.task.messages) ? undefined : opening,
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

/** Some dialects give arguments as objects, and the client writes them anew; what was no object comes back in one, or empty. */
function isSameInput(kept: string, sent: string): boolean {
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

function toCalls(calls: readonly ToolCall[] = []): Map<number, ToolCall> {
  return new Map(calls.map((call) => [parseToolCallId(call.id)?.index ?? -1, call]));
}

/** A turn of the run as the client sends it back. */
interface SentTurn {
  text: string;
  /** By their position. */
  calls: Map<number, ToolCall>;
  /** By the position of the call. */
  results: Map<number, ToolMessage>;
  said: string[];
}

type ToolMessage = Extract<Message, { role: "tool" }>;

/** Found to be the same at an earlier turn: neither of them ever changes. */
const sameResults = new WeakMap<ToolResult, ToolMessage>();

function isSameResult(result: ToolResult, message: ToolMessage): boolean {
  if (sameResults.get(result) === message) return true;
  const { toolCallId: _, ...returned } = result;
  const same = isSame(toReturned(message), returned);
  if (same) sameResults.set(result, message);
  return same;
}

/** Undefined for a message that is no turn of this run. */
function turnOf(message: Message, runId: string): number | undefined {
  const [call] = message.role === "assistant" ? (message.toolCalls ?? []) : [];
  const id = call && parseToolCallId(call.id);
  return id?.runId === runId ? id.turn : undefined;
}
