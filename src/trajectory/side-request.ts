// Requests that agents make beside their work, known by their shape: a ping that asks for next to nothing, a title for the
// conversation, a short summary of it. They have no tools and are small; anything that could be real work is none of them.

import { attachmentsOf, textOf } from "../worker/brief.ts";
import { estimateInputTokens } from "../worker/price.ts";
import type { Task } from "../worker/types.ts";
import type { SideShape } from "./types.ts";

/** A reply of so few tokens holds no work. */
const PING_TOKENS = 8;
/** Bytes, which are at least as many as tokens. A summary that compacts a long conversation decides what an agent still knows. */
const MOST_PING = 2_000;
const MOST_TITLE = 24_000;
const MOST_SUMMARY = 24_000;
/** Instructions stand at the beginning; what follows is the conversation itself. */
const INSTRUCTIONS = 2_000;

const ASKS = String.raw`\b(?:generate|write|create|give|provide|produce|come up with|suggest|respond with|reply with|return|output|analy[sz]e)\b`;
const TITLE = new RegExp(
  String.raw`${ASKS}[^.\n]{0,100}\b(?:title|headline|topic|label|slug|branch name|thread name|session name)\b`,
  "i",
);
const SHORT =
  /\b(?:short|concise|brief|one line|single line|(?:\d+|two|three|four|five|six|seven|ten)(?: ?(?:-|–|to|or) ?\d+)? (?:words?|characters)|no more than|at most|under \d+)\b/i;
const SUMMARY = /\bsummari[sz]e\b|\b(?:short|brief|one-line|concise) summary\b/i;
const CONVERSATION =
  /\b(?:conversation|chat|session|thread|coding task|user'?s? (?:message|request|prompt))\b/i;

/** Undefined: it may be work. */
export function findSideShape({ messages, output = {} }: Task): SideShape | undefined {
  const { tools = [], maxOutputTokens, responseFormat } = output;
  if (
    tools.length > 0 ||
    messages.some((message) => message.role === "tool" || attachmentsOf(message).length > 0)
  )
    return undefined;
  const bytes = estimateInputTokens(messages);
  if (maxOutputTokens !== undefined && maxOutputTokens <= PING_TOKENS && bytes <= MOST_PING) return "ping";
  // Told in the system's words or as the last thing said; never in the middle of what people talk about.
  const told = [messages.find(({ role }) => role === "system"), messages.at(-1)]
    .flatMap((message) => (message ? [textOf(message).slice(0, INSTRUCTIONS)] : []))
    .filter((text) => CONVERSATION.test(text) && SHORT.test(text));
  if (bytes <= MOST_TITLE && told.some((text) => TITLE.test(text))) return "title";
  if (bytes <= MOST_SUMMARY && !responseFormat && told.some((text) => SUMMARY.test(text))) return "summary";
  return undefined;
}
