// A question as features: its words and pairs of neighbouring words, as 32-bit hashes with counts.
// Digits are folded, so that two questions of one template look alike whatever their numbers are.

import { hashSeed } from "../base/random.ts";
import type { Message } from "../worker/types.ts";

const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}`;

/** Longer questions keep their beginning and their end, where the work is named. */
const HEAD = 3000;
const TAIL = 2000;

/** A run of letters, a number, a sign; where words are written without spaces, each character: their pairs are the words. */
const WORDS = new RegExp(String.raw`[${UNSPACED}]|(?:(?![${UNSPACED}])\p{L})+|\d+|[^\s\p{L}\d]`, "gu");

/** What the user wrote, as far as it is text. */
export function textOf(messages: readonly Message[]): string {
  const texts: string[] = [];
  for (const message of messages) {
    if (message.role !== "user") continue;
    if (typeof message.content === "string") texts.push(message.content);
    else for (const part of message.content) if (part.type === "text") texts.push(part.text);
  }
  return texts.join("\n");
}

export function cutMiddle(text: string): string {
  return text.length > HEAD + TAIL ? `${text.slice(0, HEAD)}\n${text.slice(-TAIL)}` : text;
}

/** How often each feature occurs. Two features may share a hash; among a million that is a few hundred. */
export function countFeatures(text: string): Map<number, number> {
  const counts = new Map<number, number>();
  let before: number | undefined;
  for (const word of cutMiddle(text).toLowerCase().match(WORDS) ?? []) {
    const hash = hashSeed(word >= "0" && word < ":" ? "0" : word) | 0;
    counts.set(hash, (counts.get(hash) ?? 0) + 1);
    if (before !== undefined) {
      const pair = hashSeed(before, hash) | 0;
      counts.set(pair, (counts.get(pair) ?? 0) + 1);
    }
    before = hash;
  }
  return counts;
}
