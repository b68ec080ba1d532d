// Where a question asks: its sentences, the one that asks, and in it the clause. What says how the answer is to be written
// ("End with a line “Answer: …”") asks for nothing.

import { VERBS } from "./function-words.ts";

/** A piece of the question with the place where it begins. */
export interface Span {
  text: string;
  start: number;
}

export interface Asking {
  /** Of the question, without closing lines. */
  sentences: readonly Span[];
  /** Which of them asks; -1: there are none. */
  asked: number;
  /** What of it asks: from its question word, without the condition that follows. */
  clause: Span;
}

const CLOSING =
  /\banswer: ?(?:…|\.\.\.|x\b|<)|^(?:reply|respond|answer) with\b|^end with a line\b|\bin one code block\b/i;
/** An imperative that only says how to write the answer, or what to suppose. */
const MANNER =
  /^(?:please )?(?:separate|assume|suppose|note|let|use|do|don't|give your|show your|think|remember|round|keep|make sure|be|consider|imagine|answer|reply|respond|return only|output only|list them|write nobody|say|see|start|take|look at|thank|thanks)\b/i;
/** What follows such an order is material, with questions of its own. */
const ABOUT_A_TEXT =
  /^(?:please |can you |could you )?(?:summari[sz]e|translate|rewrite|rephrase|proofread|extract|classify|fix|debug|correct|edit|shorten|review|refactor|explain|analy[sz]e)\b/i;
const QUESTION_WORD =
  /(?:^|[,;:–—]\s*|\b(?:and|but|then|so)\s+)(?=(?:what|which|who|whom|whose|how|when|where|why)\b)/gi;
const IN_QUESTION = /\b(?:on|in|at|by|for|from|to|of|with) (?=(?:what|which|whom|whose|how)\b)/i;
const LABEL = /^(?:question|task|problem|exercise|prompt|q)\s?\d{0,3}\s?[:.)]\s+/i;
const CONDITION = /,?\s+(?:if|when|given that|assuming|provided)\s/i;

/** Sentences that say how the answer is to be written. */
export function isClosing(sentence: string): boolean {
  return CLOSING.test(sentence);
}

export function findAsking(text: string): Asking {
  const sentences = splitSentences(text).filter(({ text }) => !isClosing(text));
  const asked = findAsked(sentences);
  const sentence = sentences[asked] ?? { text: "", start: 0 };
  return { sentences, asked, clause: findClause(sentence) };
}

function findAsked(sentences: readonly Span[]): number {
  if (ABOUT_A_TEXT.test(sentences[0]?.text ?? "")) return 0;
  const question = sentences.findLastIndex(({ text }) => /[?？]["”»’)]*$/.test(text));
  if (question >= 0) return question;
  const order = sentences.findLastIndex(({ text }) => isOrder(text) && !MANNER.test(text));
  if (order >= 0) return order;
  const anyOrder = sentences.findLastIndex(({ text }) => isOrder(text));
  return anyOrder >= 0 ? anyOrder : sentences.length - 1;
}

function isOrder(sentence: string): boolean {
  const [first = "", next = ""] = sentence.toLowerCase().match(/[\p{L}'’]+/gu) ?? [];
  return VERBS.has(first === "please" ? next : first);
}

/** From the last question word that begins a clause to the condition after it. */
function findClause({ text, start }: Span): Span {
  let from = LABEL.exec(text)?.[0].length ?? 0;
  for (const match of text.matchAll(QUESTION_WORD)) from = match.index + match[0].length;
  const inside = from === 0 ? IN_QUESTION.exec(text) : null;
  if (inside && inside.index > 0 && /[,;:]\s*$/.test(text.slice(0, inside.index))) from = inside.index;
  const rest = text.slice(from);
  const until = rest.search(CONDITION);
  return { text: until > 12 ? rest.slice(0, until) : rest, start: start + from };
}

/** At line ends, and after ".", "!", "?" where a space follows that ends no abbreviation or number. */
function splitSentences(text: string): Span[] {
  const sentences: Span[] = [];
  let from = 0;
  const add = (until: number) => {
    const raw = text.slice(from, until);
    const clean = raw.trim();
    if (/[\p{L}\p{N}]/u.test(clean)) sentences.push({ text: clean, start: from + raw.indexOf(clean) });
    from = until;
  };
  for (const { index } of text.matchAll(/[.!?]["”»’)]*(?=\s|$)|\n|[。？！]/g)) {
    if (text[index] === "\n") {
      add(index + 1);
      continue;
    }
    if (text[index] === "." && isAbbreviation(text.slice(Math.max(0, index - 12), index))) continue;
    let end = index + 1;
    while (end < text.length && /["”»’)]/.test(text[end]!)) end++;
    add(end);
  }
  add(text.length);
  return sentences;
}

function isAbbreviation(before: string): boolean {
  return (
    /(?:^|[\s(])(?:\p{Lu}|(?:\p{L}\.)+\p{L}|e\.g|i\.e|mr|mrs|ms|dr|st|prof|no|vs|etc|approx|fig|z\.\s?b|bzw|ca|art|p)$/iu.test(
      before,
    ) && !/\s[a-z]$/.test(before)
  );
}
