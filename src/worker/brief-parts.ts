// A brief in the parts that come again in later requests (tools, messages, earlier turns), each with what its bytes count
// for in `boundBriefTokens`. Whoever knows how many tokens a worker counted for some of them need not go by bytes there.

import { hash } from "node:crypto";
import { attachmentsOf, boundBriefTokens, originalBytes, textOf } from "./brief.ts";
import { toTurn } from "./exchanges.ts";
import { attachmentBytes, attachmentImages, IMAGE_TOKENS } from "./price.ts";
import type { Brief, Exchange, Message } from "./types.ts";

export interface InputPart {
  /** The same for the same content, and another one where it comes again within one request. */
  key: string;
  /** Of `boundBriefTokens` at least so much is for this part. */
  boundTokens: number;
  /** What is sent along that `boundBriefTokens` does not count: thoughts and ids of calls. */
  hiddenBytes: number;
}

/** The input of a request as it is bounded by its bytes, whole and in its parts. */
export interface BoundInput {
  boundTokens: number;
  parts: readonly InputPart[];
}

export function toBoundInput(brief: Brief): BoundInput {
  return { boundTokens: boundBriefTokens(brief), parts: toParts(brief) };
}

/** Messages and exchanges never change: each is read once. */
const measured = new WeakMap<object, InputPart>();

function toParts(brief: Brief): InputPart[] {
  const { task, exchanges = [], isLast, subtask } = brief;
  // One text of everything: it comes again as a whole or not at all.
  if (!isLast) return [toWhole(brief)];
  const { tools, responseFormat } = task.output ?? {};
  const settings = JSON.stringify([tools, responseFormat]);
  const parts: InputPart[] = [
    {
      key: toPartKey(settings),
      boundTokens: tools || responseFormat ? Buffer.byteLength(settings) : 0,
      hiddenBytes: 0,
    },
  ];
  // What the team says is appended to the user's last message.
  const own = subtask === "" ? task.messages : task.messages.slice(0, -1);
  for (const message of own) parts.push(measure(message, [message]));
  for (const exchange of exchanges) parts.push(measure(exchange, toTurn(exchange), hiddenOf(exchange)));
  return withOccurrences(parts);
}

function toWhole(brief: Brief): InputPart {
  const { task, subtask, visible, exchanges } = brief;
  const key = toPartKey(JSON.stringify([task, subtask, visible, exchanges]));
  return { key, boundTokens: boundBriefTokens(brief), hiddenBytes: 0 };
}

function measure(source: Message | Exchange, messages: readonly Message[], hiddenBytes = 0): InputPart {
  const known = measured.get(source);
  if (known) return known;
  let boundTokens = 0;
  for (const message of messages) {
    boundTokens += Buffer.byteLength(textOf(message)) + originalBytes(message);
    for (const part of attachmentsOf(message))
      boundTokens += attachmentBytes(part) + IMAGE_TOKENS * attachmentImages(part);
  }
  const part = { key: toPartKey(JSON.stringify(messages)), boundTokens, hiddenBytes };
  measured.set(source, part);
  return part;
}

function hiddenOf({ reply: { reasoningParts = [], toolCalls = [] } }: Exchange): number {
  return Buffer.byteLength(JSON.stringify([reasoningParts, toolCalls]));
}

export function withOccurrences(parts: readonly InputPart[]): InputPart[] {
  const seen = new Map<string, number>();
  return parts.map((part) => {
    const before = seen.get(part.key) ?? 0;
    seen.set(part.key, before + 1);
    return before === 0 ? part : { ...part, key: `${part.key} ${before}` };
  });
}

export function toPartKey(text: string): string {
  return hash("sha1", text, "base64");
}
