// The turns of a run: each time tools of the client return, the run goes on and gives another reply. Here: which
// run a conversation goes on with, how far it had come at a turn, and the conversation that a reply leaves behind.

import { isObject } from "../../base/fields.ts";
import { countSame, createGrowingFold } from "../../base/growing-fold.ts";
import { type Run, toRun } from "../../perform/run.ts";
import { next, type RunState } from "../../perform/state.ts";
import type { RunEvent } from "../../store/types.ts";
import type { Exchange, Message, ToolResult } from "../../worker/types.ts";
import type { Dialect } from "../types.ts";

/** What a tool returned. */
type Returned = Pick<ToolResult, "content" | "images">;

export interface ToolTail {
  runId: string;
  turn: number;
  /** By the position of the call in the reply that asked for it. */
  contents: Map<number, Returned>;
  /** What the user said after the results. */
  said?: string;
}

/** The results of tools at the end of a conversation, if they are all for one reply of ours. */
export function findToolTail(messages: readonly Message[]): ToolTail | undefined {
  let end = messages.length;
  const said: string[] = [];
  for (; end > 0 && messages[end - 1]!.role === "user"; end--) {
    const { content } = messages[end - 1] as Extract<Message, { role: "user" }>;
    const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
    if (!parts.every((part) => part.type === "text")) return undefined;
    said.push(parts.map((part) => (part.type === "text" ? part.text : "")).join("\n"));
  }
  said.reverse();
  let tail: ToolTail | undefined;
  for (; end > 0; end--) {
    const message = messages[end - 1]!;
    if (message.role !== "tool") break;
    const id = parseToolCallId(message.toolCallId);
    if (!id || (tail && (id.runId !== tail.runId || id.turn !== tail.turn))) return undefined;
    tail ??= { runId: id.runId, turn: id.turn, contents: new Map() };
    tail.contents.set(id.index, toReturned(message));
  }
  return tail && said.length > 0 ? { ...tail, said: said.join("\n\n") } : tail;
}

export interface Turn {
  /** When it began: the start of the run, or the return of tools. */
  startedAt: number;
  /** The run as it was at its end: of the last turn, as it is now. */
  run: Run;
  /** Of this turn alone. */
  events: RunEvent[];
}

/** Of a journal that begins with a run's start: never empty. One pass, for agents that call tools all day. */
export function toTurns(events: readonly RunEvent[]): Turn[] {
  return withLast(foldTurns(events));
}

interface Folded {
  /** Those that are over. */
  turns: Turn[];
  state: RunState | undefined;
  /** Of the turn that is not. */
  own: RunEvent[];
}

const foldTurns = createGrowingFold<RunEvent, Folded>(
  { turns: [], state: undefined, own: [] },
  (folded, event) => {
    const isNext = event.type === "run-resume" && event.toolResults !== undefined;
    return {
      turns: isNext ? withLast(folded) : folded.turns,
      state: next(folded.state, event),
      own: isNext ? [event] : [...folded.own, event],
    };
  },
);

function withLast({ turns, state, own }: Folded): Turn[] {
  return state ? [...turns, { startedAt: own[0]!.at, run: toRun(state), events: own }] : turns;
}

/** Without text of attempts that are over: that of one that ended well is in its end, and of another nobody wants it. */
export function openAttempts(events: readonly RunEvent[]): RunEvent[] {
  const isOver = (delta: RunEvent, at: number) =>
    delta.type === "step-delta" &&
    events.some(
      (other, index) =>
        index > at &&
        (other.type === "step-start" || other.type === "step-end" || other.type === "step-error") &&
        other.round === delta.round &&
        other.step === delta.step,
    );
  return events.filter((event, at) => !isOver(event, at));
}

/** With the ids that the run knows its calls by; undefined when a result is missing or there is one too many. */
export function toToolResults(run: Run, { contents }: ToolTail): ToolResult[] | undefined {
  const calls = run.stopReason === "tool-calls" ? (run.steps.at(-1)?.toolCalls ?? []) : [];
  if (calls.length === 0 || contents.size !== calls.length) return undefined;
  const results = calls.flatMap(({ id }, index) => {
    const returned = contents.get(index);
    return returned === undefined ? [] : [{ toolCallId: id, ...returned }];
  });
  return results.length === calls.length ? results : undefined;
}

/**
 * What the client has changed of the conversation and of the run's earlier turns; nothing where all is as it was. Undefined
 * where its turns cannot be told apart any more: then the conversation is one to begin anew with.
 */
export function findChanges(
  messages: readonly Message[],
  run: Run,
): { messages?: Message[]; exchanges?: Exchange[] } | undefined {
  const first = messages.findIndex((message) => turnOf(message, run.id) !== undefined);
  // Only the results were sent: what they answer to is in the journal alone.
  if (first <= 0) return {};
  const turns = toSentTurns(messages.slice(first), run.id);
  if (!turns) return undefined;
  let turn = 0;
  const kept = run.steps.at(-1)?.exchanges ?? [];
  const exchanges: Exchange[] = [];
  for (const exchange of kept) {
    const now = exchange.results && turns.get(turn++);
    // Nothing is made anew of what is as it was: it may be a long conversation, at every turn of it.
    if (!exchange.results || now?.same === exchange) exchanges.push(exchange);
    else if (now) exchanges.push(toExchange(exchange, now));
  }
  const opening = messages.slice(0, first);
  return {
    messages: isSame(opening, run.task.messages) ? undefined : opening,
    exchanges: isSame(exchanges, kept) ? undefined : exchanges,
  };
}

/** A turn of the run as the client sends it back. */
interface SentTurn {
  /** Of the run. */
  number: number;
  /** Its first message is the one with this place behind the first turn. */
  at: number;
  text: string;
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
      current = { number, at, text: message.content, results: new Map(), said: [] };
      turns.push(current);
      byNumber.set(number, current);
    } else if (message.role === "tool") {
      const id = parseToolCallId(message.toolCallId);
      if (id?.runId !== runId) return undefined;
      current!.results.set(id.index, message);
    } else if (message.role === "user" && typeof message.content === "string") {
      current!.said.push(message.content);
    } else return undefined;
  }
  sentBefore.set(first, { runId, messages, turns, byNumber });
  return byNumber;
}

/** The same one where nothing of it was changed. */
function toExchange(exchange: Exchange, now: SentTurn): Exchange {
  if (isAsBefore(exchange, now)) {
    now.same = exchange;
    return exchange;
  }
  const results = exchange.results!.map(({ toolCallId, ...returned }, index) => {
    const message = now.results.get(index);
    return { toolCallId, ...(message ? toReturned(message) : returned) };
  });
  return { ...exchange, reply: { ...exchange.reply, text: now.text }, results, said: toSaid(now) };
}

function isAsBefore({ reply, said, results = [] }: Exchange, now: SentTurn): boolean {
  return (
    now.text === reply.text &&
    toSaid(now) === said &&
    results.every(({ toolCallId: _, ...returned }, index) => {
      const message = now.results.get(index);
      return !message || isSame(toReturned(message), returned);
    })
  );
}

function toSaid({ said }: SentTurn): string | undefined {
  return said.join("\n\n") || undefined;
}

function toReturned({ content, images }: ToolMessage): Returned {
  return images ? { content, images } : { content };
}

/** Undefined for a message that is no turn of this run. */
function turnOf(message: Message, runId: string): number | undefined {
  const [call] = message.role === "assistant" ? (message.toolCalls ?? []) : [];
  const id = call && parseToolCallId(call.id);
  return id?.runId === runId ? id.turn : undefined;
}

/** Both are plain data. Not by their JSON: they may be a long conversation, at every turn of it. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((each, at) => isSame(each, b[at]));
  if (!isObject(a) || !isObject(b) || Array.isArray(b)) return false;
  // What is undefined is not there.
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  for (const name of names) if (!isSame(a[name], b[name])) return false;
  return true;
}

/** These results were given before: the run has gone on with them already. */
export function wasGiven(run: Run, { turn, contents }: ToolTail): boolean {
  const { results = [] } = toolExchangesOf(run)[turn] ?? {};
  return (
    results.length === contents.size &&
    results.every(({ toolCallId: _, ...returned }, index) => isSame(contents.get(index), returned))
  );
}

/** What a later request goes on from: the conversation, the tools it used, and the answer. */
export function toConversation(run: Run, { toCarriedOver }: Pick<Dialect, "toCarriedOver">): Message[] {
  const asked = run.task.messages;
  const messages = [...(toCarriedOver?.(asked, run.origin?.echo ?? {}) ?? asked)];
  const callsOf = (calls: readonly { name: string; input: string }[], turn: number) =>
    calls.map(({ name, input }, index) => ({ id: toToolCallId(run.id, turn, index), name, input }));
  const exchanges = toolExchangesOf(run);
  for (const [turn, { reply, results = [], said }] of exchanges.entries()) {
    const toolCalls = callsOf(reply.toolCalls ?? [], turn);
    messages.push({ role: "assistant", content: reply.text, toolCalls });
    for (const [index, { toolCallId: _, ...returned }] of results.entries()) {
      const { id: toolCallId, name: toolName } = toolCalls[index] ?? { id: "", name: "tool" };
      messages.push({ role: "tool", toolCallId, toolName, ...returned });
    }
    if (said) messages.push({ role: "user", content: said });
  }
  const waiting = run.stopReason === "tool-calls" ? run.steps.at(-1) : undefined;
  if (waiting?.toolCalls) {
    const toolCalls = callsOf(waiting.toolCalls, exchanges.length);
    messages.push({ role: "assistant", content: waiting.reply, toolCalls });
  } else if (run.hasAnswer) messages.push({ role: "assistant", content: run.answer });
  return messages;
}

function toolExchangesOf(run: Run) {
  return (run.steps.at(-1)?.exchanges ?? []).filter(({ results }) => results !== undefined);
}

// ---- Ids -----------------------------------------------------------------------------------------

// Ids that find their run again. A reply's id and the ids of its tool calls hold the id of the run and the
// turn (how often tools of the client had returned before), so that nothing has to be looked up or kept: a chat
// is stateless, and the ids in the conversation are all that comes back.

type Prefixed = Pick<Dialect, "replyIdPrefix">;

export function toReplyId({ replyIdPrefix }: Prefixed, runId: string, turn: number): string {
  return `${replyIdPrefix}${tailOf(runId)}${turn > 0 ? `_${turn}` : ""}`;
}

/** Undefined for an id that is not ours. */
export function parseReplyId(
  { replyIdPrefix }: Prefixed,
  id: string,
): { runId: string; turn: number } | undefined {
  if (!id.startsWith(replyIdPrefix)) return undefined;
  const found = /^([a-z0-9]+)(?:_([1-9]\d{0,5}))?$/.exec(id.slice(replyIdPrefix.length));
  return found ? { runId: `r_${found[1]}`, turn: Number(found[2] ?? 0) } : undefined;
}

export function toToolCallId(runId: string, turn: number, index: number): string {
  return `call_${tailOf(runId)}_${turn}_${index}`;
}

/** Undefined for an id that is not ours. */
export function parseToolCallId(id: string): { runId: string; turn: number; index: number } | undefined {
  const found = /^call_([a-z0-9]+)_(\d{1,6})_(\d{1,6})$/.exec(id);
  return found ? { runId: `r_${found[1]}`, turn: Number(found[2]), index: Number(found[3]) } : undefined;
}

function tailOf(runId: string): string {
  return runId.replace(/^r_/, "");
}
