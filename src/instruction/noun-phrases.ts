// English noun phrases by closed classes of words: a phrase is what stands between determiners, prepositions, verbs and
// other words of a sentence's frame. No tagger: docs/decisions/0019 says what was measured. Linear in the text.

import {
  ADJECTIVES,
  ALSO_NOUNS,
  BREAKS,
  DETERMINERS,
  IRREGULAR_VERBS,
  LINKING,
  NOT_PAST,
  NOT_VERBAL,
  NUMBER_WORDS,
  PREPOSITIONS,
  TRAILING,
  VERBS,
} from "./function-words.ts";

export interface NounPhrase {
  start: number;
  end: number;
  kind: "noun" | "number" | "name" | "quoted" | "formula";
  words: number;
}

type Tag =
  | "determiner"
  | "number"
  | "word"
  | "name"
  | "quoted"
  | "formula"
  | "link"
  | "preposition"
  | "verb"
  | "break";

interface Token {
  start: number;
  end: number;
  lower: string;
  tag: Tag;
}

const TOKEN =
  /"[^"\n]{1,80}"|“[^”\n]{1,80}”|[$€£]\d[\d.,]*\d|[$€£]\d|[-−]?\d+(?:[.,:]\d+)*(?:\s?%|°|[\p{L}]{0,3}(?!\p{L}))?|\p{L}[\p{L}\p{N}_]*(?:[-'’/.&]\p{L}[\p{L}\p{N}]*)*|[^\s]/gu;
const OPERATOR = /^[-+−×÷*/=<>≤≥^]$/;
const LONGEST_WORDS = 18;

/** The phrases of a text, in its order. */
export function findNounPhrases(text: string): NounPhrase[] {
  const tokens = tag(joinFormulas(tokenise(text), text), text);
  const phrases: NounPhrase[] = [];
  for (let at = 0; at < tokens.length; ) {
    const phrase = readPhrase(tokens, at);
    if (phrase.until > at) {
      const { first, last } = trim(tokens, at, phrase.until);
      if (last >= first) phrases.push(toPhrase(tokens, first, last));
    }
    at = Math.max(phrase.until, at + 1);
  }
  return phrases;
}

/** With what is linked to it: "the tiles", "for", "the border". Each phrase at most once, the longer way. */
export function linkPhrases(phrases: readonly NounPhrase[], text: string): NounPhrase[] {
  const linked: NounPhrase[] = [];
  for (let i = 0; i < phrases.length; ) {
    const chain: Chain = { whole: phrases[i]!, last: phrases[i]!, links: [] };
    extendByMeasure(chain, phrases[i]!, text);
    let next = i + 1;
    while (next < phrases.length && extend(chain, phrases[next]!, text)) next++;
    linked.push(chain.whole);
    i = next;
  }
  return linked;
}

interface Chain {
  whole: NounPhrase;
  last: NounPhrase;
  links: string[];
}

/** What one goes to without coming "from" somewhere: "the answer to the riddle", but "move the letter to the end". */
const LEADS_TO =
  /\b(?:way|route|path|road|answer|solution|key|reply|letter of thanks|access|approach|introduction|email)s?$/i;
const MEASURED = /^\s(?:long|wide|high|tall|deep|old|thick|apart)(?!\p{L})/u;

function extend(chain: Chain, next: NounPhrase, text: string): boolean {
  const { whole, last, links } = chain;
  const words = whole.words + next.words + 1;
  if (words > LONGEST_WORDS) return false;
  const between = text.slice(whole.end, next.start).trim().toLowerCase();
  const isRate =
    between === "" && last.kind === "number" && /^(?:an?|each)\s/i.test(text.slice(next.start, next.end));
  const isMeasured =
    next.kind === "number" &&
    (between === "" || (between === "and" && links.at(-1) === "")) &&
    MEASURED.test(text.slice(next.end, next.end + 8));
  if (!isRate && !isMeasured && !isLinked(chain, between, text)) return false;
  links.push(isMeasured ? "" : between);
  chain.last = next;
  chain.whole = { ...whole, end: next.end, words, kind: whole.kind === "name" ? "noun" : whole.kind };
  if (isMeasured) extendByMeasure(chain, next, text);
  return true;
}

/** "29 m wide": the adjective belongs to its measure. */
function extendByMeasure(chain: Chain, phrase: NounPhrase, text: string): void {
  const adjective =
    phrase.kind === "number" ? MEASURED.exec(text.slice(phrase.end, phrase.end + 8))?.[0] : undefined;
  if (adjective === undefined || chain.links.length === 0) return;
  chain.whole = { ...chain.whole, end: phrase.end + adjective.length, words: chain.whole.words + 1 };
}

function isLinked({ whole, links }: Chain, between: string, text: string): boolean {
  if (between === "and") return links.at(-1) === "between";
  if (between === "than") return /(?:er|more|less)$/.test(text.slice(whole.start, whole.end));
  const link = between.replace(/ (?:all|each|both|one|some|most)(?: of)?$/, "");
  if (!LINKING.has(link)) return false;
  if (link === "after" || link === "before") return whole.kind === "number";
  if (link === "to") return links.includes("from") || LEADS_TO.test(text.slice(whole.start, whole.end));
  return whole.kind !== "name" || link === "of";
}

// ---- Tokens ---------------------------------------------------------------------------------------

function tokenise(text: string): Token[] {
  return Array.from(text.matchAll(TOKEN), ({ 0: token, index }) => ({
    start: index,
    end: index + token.length,
    lower: token.toLowerCase(),
    tag: "break",
  }));
}

/** "3x + 5 = 14" is one thing: operands and operators in turn, with balanced parentheses. */
function joinFormulas(tokens: Token[], text: string): Token[] {
  const joined: Token[] = [];
  for (let i = 0; i < tokens.length; ) {
    let depth = 0;
    let operators = 0;
    let end = -1;
    let wantsOperand = true;
    for (let j = i; j < tokens.length && j - i < 60; j++) {
      const { lower } = tokens[j]!;
      if (wantsOperand && lower === "(") depth++;
      else if (wantsOperand && isOperand(lower)) {
        wantsOperand = false;
        if (depth === 0) end = j;
      } else if (!wantsOperand && lower === ")" && depth > 0) {
        depth--;
        if (depth === 0) end = j;
      } else if (!wantsOperand && OPERATOR.test(lower)) {
        operators++;
        wantsOperand = true;
      } else break;
    }
    const formula = text.slice(tokens[i]!.start, tokens[Math.max(end, i)]!.end);
    if (end > i && operators > 0 && /[-+−×÷*/=<>≤≥^]/.test(formula)) {
      joined.push({
        start: tokens[i]!.start,
        end: tokens[end]!.end,
        lower: formula.toLowerCase(),
        tag: "formula",
      });
      i = end + 1;
    } else joined.push(tokens[i++]!);
  }
  return joined;
}

function isOperand(lower: string): boolean {
  return /^[-−]?\d[\d.,]*\p{L}?$/u.test(lower) || /^\p{L}$/u.test(lower);
}

function tag(tokens: Token[], text: string): Token[] {
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!;
    if (token.tag !== "formula") token.tag = tagOf(tokens, i, text);
  }
  return tokens;
}

function tagOf(tokens: readonly Token[], i: number, text: string): Tag {
  const { lower, start } = tokens[i]!;
  const before = tokens[i - 1];
  const after = tokens[i + 1];
  if (/^["“]./.test(lower)) return "quoted";
  if (/^[$€£]?[-−]?\d/.test(lower)) return "number";
  if (!/^\p{L}/u.test(lower)) return "break";
  if (DETERMINERS.has(lower)) return standsAlone(tokens, i) ? "break" : "determiner";
  if (before?.lower === "per") return "word";
  // "console.log" is code.
  if (/\p{Ll}\.\p{Ll}/u.test(lower)) return "break";
  // An "x" or "k" of its own is the name of a number.
  if (lower.length === 1) return /[a-z]/.test(lower) && lower !== "i" ? "word" : "break";
  const isCapital = /\p{Lu}/u.test(text.charAt(start));
  const isFirst = before === undefined || /^[.!?:;…“"(]$/.test(before.lower);
  if (isCapital && !isFirst && !BREAKS.has(lower) && !PREPOSITIONS.has(lower)) return "name";
  if (lower === "like" && before?.tag === "break") return "break";
  if (LINKING.has(lower)) return "link";
  if (PREPOSITIONS.has(lower)) return "preposition";
  // "how far", "how high": no thing.
  if (before?.lower === "how") return "break";
  if (BREAKS.has(lower)) return isOrdinalInside(tokens, i) ? "word" : "break";
  if (isVerb(tokens, i)) return "verb";
  if (isCapital && isFirst && after && /\p{Lu}/u.test(text.charAt(after.start))) return "name";
  if (/ly$/.test(lower) && !NOT_VERBAL.has(lower) && lower.length > 4) return "break";
  return isCapital && isFirst && !/^\p{L}+s$/u.test(lower) && isName(tokens, i) ? "name" : "word";
}

/** "each" and "all" without a noun: "does each pay?", "all of them". */
function standsAlone(tokens: readonly Token[], i: number): boolean {
  const after = tokens[i + 1];
  if (after === undefined || !/^[\p{L}\p{N}"“$€£]/u.test(after.lower)) return true;
  if (LINKING.has(after.lower) || PREPOSITIONS.has(after.lower)) return true;
  const isPronoun = /^(?:each|all|both|this|that|these|those)$/.test(tokens[i]!.lower);
  if (isPronoun && BE.test(after.lower)) return true;
  const beyond = tokens[i + 2];
  const endsThere = beyond === undefined || !/^\p{L}/u.test(beyond.lower) || DETERMINERS.has(beyond.lower);
  return isPronoun && endsThere && VERBS.has(after.lower) && isAsked(tokens, i);
}

/** "the first train": an ordinal or quantity after a determiner belongs to the phrase. */
function isOrdinalInside(tokens: readonly Token[], i: number): boolean {
  return (
    /^(?:one|ones|first|second|third|fourth|fifth|few|most|least|other|others|more|less|several|many)$/.test(
      tokens[i]!.lower,
    ) && tokens[i - 1]?.tag === "determiner"
  );
}

/** At the beginning of a sentence a capital proves nothing; before a verb that people do, it is somebody. */
function isName(tokens: readonly Token[], i: number): boolean {
  const after = tokens[i + 1];
  return after !== undefined && /^\p{L}+s$/u.test(after.lower) && isVerbForm(after.lower);
}

function isVerb(tokens: readonly Token[], i: number): boolean {
  const { lower } = tokens[i]!;
  const before = tokens[i - 1];
  const after = tokens[i + 1];
  // "Why did the Roman Republic decay?", whatever the word.
  if (before?.tag === "name" && isLast(after) && isAsked(tokens, i)) return true;
  if (!isVerbForm(lower)) return false;
  if (before === undefined)
    return after !== undefined && !BE.test(after.lower) && !isGerundSubject(tokens, i);
  if (before.tag === "determiner" || before.tag === "number" || NUMBER_WORDS.has(before.lower)) return false;
  const opens =
    after === undefined ||
    after.tag === "formula" ||
    /^[\p{N}$€£"“]/u.test(after.lower) ||
    DETERMINERS.has(after.lower);
  if (before.lower === "to")
    return VERBS.has(lower) && (!ALSO_NOUNS.has(lower) || (opens && after !== undefined));
  if (before.tag === "link" || before.tag === "preposition")
    return /ing$/.test(lower) && after?.tag !== undefined && DETERMINERS.has(after.lower);
  if (/ing$/.test(lower)) return !(after && (isVerbForm(after.lower) || BE.test(after.lower)));
  if (before.tag === "word" || before.tag === "name") {
    if (ADJECTIVES.has(before.lower) && tokens[i - 2]?.tag === "determiner") return false;
    // "the double helix", "the causes of it".
    if (
      ADJECTIVES.has(lower) &&
      after?.tag === "break" &&
      /^\p{L}/u.test(after.lower) &&
      !isFrame(after.lower)
    )
      return false;
    if (after?.lower === "of" && ALSO_NOUNS.has(stemOf(lower))) return false;
    if (after && /^(?:have|has|be|get)$/.test(after.lower)) return false;
    if (!VERBS.has(lower)) return true;
    // "does the fence cost", "friends share the bill", "days lie between", but "the stack trace".
    const goesOn = opens || (after !== undefined && /^\p{L}/u.test(after.lower));
    return isAsked(tokens, i) || !ALSO_NOUNS.has(lower) || (isPlural(before) && goesOn);
  }
  if (/ed$/.test(lower) && before.tag === "verb" && after && /^\p{L}/u.test(after.lower))
    return LINKING.has(after.lower);
  return true;
}

const BE = /^(?:is|are|was|were|has|have|had|does|can|will|must|should|needs?|takes?|costs?)$/;

function isLast(after: Token | undefined): boolean {
  return after === undefined || /^[?!.,;:]$/.test(after.lower);
}

function isGerundSubject(tokens: readonly Token[], i: number): boolean {
  const after = tokens[i + 1];
  return /ing$/.test(tokens[i]!.lower) && after !== undefined && isVerbForm(after.lower);
}

/** An auxiliary before the subject leaves the verb to its end. */
function isAsked(tokens: readonly Token[], i: number): boolean {
  for (let j = i - 1; j >= 0 && i - j < 12; j--) {
    // It has one already.
    if (tokens[j]!.tag === "verb") return false;
    if (/^(?:do|does|did|can|could|will|would|should|must|may|might|to)$/.test(tokens[j]!.lower)) return true;
  }
  return false;
}

function isPlural({ lower }: Token): boolean {
  return lower.endsWith("s") && !lower.endsWith("ss");
}

function isFrame(lower: string): boolean {
  return DETERMINERS.has(lower) || LINKING.has(lower) || PREPOSITIONS.has(lower) || BREAKS.has(lower);
}

function isVerbForm(lower: string): boolean {
  if (VERBS.has(lower) || IRREGULAR_VERBS.has(lower)) return true;
  if (NOT_VERBAL.has(lower)) return false;
  if (/ed$/.test(lower)) return !NOT_PAST.has(lower) && lower.length > 4;
  return VERBS.has(stemOf(lower));
}

/** The base form of "causes", "tries" and "running"; the word itself where it is none of these. */
function stemOf(lower: string): string {
  const ending = /(?:ies|es|s|ing)$/.exec(lower)?.[0];
  if (ending === undefined) return lower;
  const stem = lower.slice(0, -ending.length);
  const doubled = /(.)\1$/.test(stem) ? stem.slice(0, -1) : stem;
  const bases = ending === "ies" ? [`${stem}y`] : [`${stem}e`, stem, doubled];
  return bases.find((base) => VERBS.has(base)) ?? lower;
}

// ---- Phrases --------------------------------------------------------------------------------------

/** Where the phrase that begins here ends; at itself, where none begins. */
function readPhrase(tokens: readonly Token[], from: number): { until: number } {
  const first = tokens[from]!;
  if (first.tag === "formula") return { until: from + 1 };
  let at = from;
  while (at < tokens.length && at - from < LONGEST_WORDS) {
    const { tag } = tokens[at]!;
    const before = at > from ? tokens[at - 1]! : undefined;
    const isNext =
      tag === "determiner"
        ? before === undefined || before.lower === "all" || before.lower === "both"
        : tag === "number"
          ? before === undefined || before.tag === "determiner" || before.tag === "name"
          : tag === "word" || tag === "name" || tag === "quoted";
    if (!isNext) break;
    at++;
    if (tag === "quoted") break;
  }
  return { until: at };
}

/** Without what is only a frame: a lone determiner, and adjectives at the end. */
function trim(tokens: readonly Token[], from: number, until: number): { first: number; last: number } {
  let last = until - 1;
  while (last >= from && (TRAILING.has(tokens[last]!.lower) || tokens[last]!.tag === "determiner")) last--;
  return { first: from, last };
}

function toPhrase(tokens: readonly Token[], first: number, last: number): NounPhrase {
  const inside = tokens.slice(first, last + 1);
  const nouns = inside.filter(({ tag }) => tag !== "determiner");
  const kind = nouns.some(({ tag }) => tag === "quoted")
    ? "quoted"
    : nouns[0]?.tag === "formula"
      ? "formula"
      : nouns[0]?.tag === "number"
        ? "number"
        : nouns.every(({ tag }) => tag === "name")
          ? "name"
          : "noun";
  return { start: tokens[first]!.start, end: tokens[last]!.end, kind, words: inside.length };
}
