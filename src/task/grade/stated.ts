// What a reply states, for graders: the answer the extractor finds, unless the reply takes it back
// afterwards. Only the end of a long reply is read; that is where answers stand.

import { extractAnswer } from "../../answer/extract.ts";

const CONSIDERED = 20_000;
/** A reply that goes on like this after its answer replaces it. */
const CORRECTION =
  /(?:^|[.!?(—–\n]|,\s)\s*(?:(?:no|oh|hmm+),? )?(?:wait|actually|correction|scratch that|on second thought)\b[\s,.:!—–-]*/gi;
/** And one that goes on like this names two. */
const HEDGE =
  /(?:^|[.!?(—–\n]|,\s)\s*(?:or (?:maybe|perhaps|possibly|else|it)|alternatively|it could also be)\b[\s,:]*/gi;
const LEAD =
  /^(?:it(?:'s| is)|that(?:'s| is)|i mean|the (?:result|value|number|answer) (?:is|should be)|it should be)\s+/i;

/** The end of a reply, without what was only thought. */
export function lastPart(reply: string): string {
  const thought = reply.lastIndexOf("</think>");
  return (thought >= 0 ? reply.slice(thought + "</think>".length) : reply).slice(-CONSIDERED);
}

export function statedAnswer(reply: string): string {
  const text = lastPart(reply);
  const lower = text.toLowerCase();
  const stated = Math.max(lower.lastIndexOf("answer"), lower.lastIndexOf("\\boxed"));
  const answer = extractAnswer(text);
  if (stated < 0) return answer;
  const corrected = afterLast(text, CORRECTION, stated);
  if (corrected) return extractAnswer(corrected.replace(LEAD, ""));
  const hedged = afterLast(text, HEDGE, stated);
  return hedged ? `${answer} or ${hedged}` : joinBoxes(text, answer);
}

/** Shown to people: one line, and not long. */
export function short(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line === "") return "nothing";
  return line.length > 60 ? `${line.slice(0, 57)}…` : line;
}

/** What follows the last match behind a position, where it says something. */
function afterLast(text: string, pattern: RegExp, from: number): string | undefined {
  const tail = text.slice(from);
  const last = [...tail.matchAll(pattern)].at(-1);
  const rest = last && tail.slice(last.index + last[0].length).trim();
  return rest && /[\p{L}\d]/u.test(rest) ? rest : undefined;
}

const BETWEEN_BOXES = /^[\s$,.;()\\[\]]*(?:(?:and|or|\\text\s*\{\s*(?:and|or)\s*\})[\s$]*)?$/i;

/** "\boxed{12} or \boxed{15}" states both. */
function joinBoxes(text: string, answer: string): string {
  const parts = text.split("\\boxed{");
  if (parts.length < 3) return answer;
  const boxes: string[] = [];
  for (const part of parts.slice(1).reverse()) {
    const end = closingBrace(part);
    if (end < 0) break;
    // Before the first box of the run stands prose; between its boxes only "and", "or" and signs.
    if (boxes.length > 0 && !BETWEEN_BOXES.test(part.slice(end + 1, end + 60))) break;
    if (boxes.length > 0 && part.length - end > 60) break;
    boxes.unshift(part.slice(0, end).trim());
  }
  return boxes.length > 1 && boxes.at(-1) === answer ? boxes.join(", ") : answer;
}

function closingBrace(text: string): number {
  let depth = 1;
  for (let i = 0; i < text.length; i++) {
    if (text.charAt(i) === "{") depth++;
    if (text.charAt(i) === "}" && --depth === 0) return i;
  }
  return -1;
}
