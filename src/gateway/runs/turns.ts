// The turns of a run: each time tools of the client return, the run goes on and gives another reply. Here: which
// run a conversation goes on with, how far it had come at a turn, and the conversation that a reply leaves behind.

import { createGrowingFold } from "../../base/growing-fold.ts";
import { isSame } from "../../base/same.ts";
import { type Run, toRun } from "../../perform/run.ts";
import { next, type RunState } from "../../perform/state.ts";
import type { RunEvent } from "../../store/types.ts";
import { textOfUser } from "../../worker/exchanges.ts";
import type { Message, ToolResult } from "../../worker/types.ts";
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
  while (end > 0 && messages[end - 1]!.role === "user") end--;
  const said = textOfUser(messages.slice(end));
  if (said === undefined) return undefined;
  let tail: ToolTail | undefined;
  for (; end > 0; end--) {
    const message = messages[end - 1]!;
    if (message.role !== "tool") break;
    const id = parseToolCallId(message.toolCallId);
    if (!id || (tail && (id.runId !== tail.runId || id.turn !== tail.turn))) return undefined;
    tail ??= { runId: id.runId, turn: id.turn, contents: new Map() };
    tail.contents.set(id.index, toReturned(message));
  }
  return tail && said !== "" ? { ...tail, said } : tail;
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

export function toReturned({ content, images }: Returned): Returned {
  return images ? { content, images } : { content };
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
