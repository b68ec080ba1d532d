// The conversation of this tab. It lives outside of the page: looking at another page meanwhile stops nothing.

import { useSyncExternalStore } from "react";
import type { TuttiFields } from "../../../src/gateway/types.ts";
import { cancelRun } from "../api.ts";
import { type ChatBody, type ChatBodyMessage, streamChat } from "./chat-stream.ts";

export interface ChatTurn {
  id: number;
  question: string;
  body: ChatBody;
  state: "running" | "done" | "failed";
  runId?: string;
  answer: string;
  fields?: TuttiFields;
  error?: unknown;
}

let turns: readonly ChatTurn[] = [];
let nextId = 1;
let isStopping = false;
const listeners = new Set<() => void>();

function publish(next: readonly ChatTurn[]): void {
  turns = next;
  for (const listener of listeners) listener();
}

function change(id: number, more: Partial<ChatTurn>): void {
  publish(turns.map((turn) => (turn.id === id ? { ...turn, ...more } : turn)));
}

export function useTurns(): readonly ChatTurn[] {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, readTurns);
}

export function readTurns(): readonly ChatTurn[] {
  return turns;
}

export type ChatWish = Omit<ChatBody, "messages">;

/** Done when the answer is there; what goes wrong is in the turn. */
export async function askNext(question: string, wanted: ChatWish): Promise<void> {
  const body: ChatBody = { ...wanted, messages: [...toHistory(turns), { role: "user", content: question }] };
  const id = nextId++;
  isStopping = false;
  publish([...turns, { id, question, body, state: "running", answer: "" }]);
  try {
    const { text, fields } = await streamChat(
      body,
      {
        runId: (runId) => {
          change(id, { runId });
          if (isStopping) void cancelRun(runId).catch(() => {});
        },
        text: (answer) => change(id, { answer }),
      },
      new AbortController().signal,
    );
    change(id, { state: "done", answer: text, fields });
  } catch (error) {
    change(id, { state: "failed", error });
  }
}

/** What it has so far becomes the answer. */
export async function stopRunning(): Promise<void> {
  isStopping = true;
  const { runId } = turns.findLast(({ state }) => state === "running") ?? {};
  if (runId !== undefined) await cancelRun(runId);
}

export function clearTurns(): void {
  void stopRunning().catch(() => {});
  publish([]);
}

function toHistory(past: readonly ChatTurn[]): ChatBodyMessage[] {
  return past
    .filter(({ answer }) => answer !== "")
    .flatMap(({ question, answer }) => [
      { role: "user" as const, content: question },
      { role: "assistant" as const, content: answer },
    ]);
}
