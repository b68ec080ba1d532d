// The phrases of a question that an instruction can name, in its own words: what is asked for first, then names, numbers,
// options and what else it speaks of. Never throws, reads only the ends of a long text, and gives the same for the same.

import { findAsking, type Span } from "./asking.ts";
import { countTelling, detectLanguage } from "./detect-language.ts";
import { BREAKS, DETERMINERS, MEASURES, PREPOSITIONS, TELLING, VERBS } from "./function-words.ts";
import { findNounPhrases, linkPhrases, type NounPhrase } from "./noun-phrases.ts";
import { LANGUAGES, type QuestionPart } from "./types.ts";

export const MOST_PARTS = 6;
const MOST_ASKED = 3;
const LONGEST_PART = 90;
const READ_CHARACTERS = 3000;
/** More context than this near the clause that asks adds nothing to six parts. */
const MOST_SENTENCES = 24;
const MOST_OTHERS = 200;
const MEMO_SIZE = 512;

interface Candidate extends Span {
  kind: QuestionPart["kind"];
  words: number;
}

const memo = new Map<string, QuestionPart[]>();

/** At most six, those that are asked for first. */
export function findParts(question: string): QuestionPart[] {
  const known = memo.get(question);
  if (known) return known;
  const parts = read(question);
  if (memo.size >= MEMO_SIZE) memo.clear();
  if (question.length <= 2 * READ_CHARACTERS) memo.set(question, parts);
  return parts;
}

function read(question: string): QuestionPart[] {
  const { text, toPlace } = cutMiddle(question);
  const asking = findAsking(text);
  const { sentences, asked, clause } = asking;
  const isEnglish = speaksEnglish(text);
  const sentence = sentences[asked];
  const askedFor = !sentence
    ? []
    : isEnglish
      ? askedPhrases(clause, sentence, sentences[asked - 1])
      : wholeSentence(longEnough(clause, sentence));
  const context = sentences.length > MOST_SENTENCES ? nearest(sentences, asked) : sentences;
  const others = isEnglish ? context.flatMap(phrasesOf) : context.flatMap(foreignPhrases);
  const chosen = choose(
    askedFor.slice(0, MOST_ASKED),
    [...findOptions(text), ...others].slice(0, MOST_OTHERS),
  );
  const length = Math.max(1, question.length);
  return chosen.map(({ text: phrase, start, kind, words, isAsked }) => ({
    text: phrase,
    kind,
    isAsked,
    at: Math.min(1, toPlace(start) / length),
    words,
  }));
}

// ---- What is asked for ----------------------------------------------------------------------------

/** What of the clause can be named; where that is little, the clause itself too. */
function askedPhrases(clause: Span, sentence: Span, before: Span | undefined): Candidate[] {
  // "What do you get?" names nothing: then the sentence before says it.
  if (isVague(clause)) {
    const said = [sentence, ...(before ? [before] : [])].map((span) => rankAsked(phrasesOf(span), span));
    return said.find(([first]) => first !== undefined) ?? wholeSentence(sentence);
  }
  const phrases = withRelative(phrasesOf(clause), clause).filter(
    ({ text, kind }) => !FRAME.test(text) && !(kind === "number" && /^\d{1,2}$/.test(text)),
  );
  const ranked = rankAsked(phrases, clause);
  const [best] = ranked;
  return best && weighIn(clause, best, false) > 0 ? ranked : [...wholeSentence(clause), ...ranked];
}

function isVague({ text }: Span): boolean {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const says = (word: string) =>
    ORDINALS.has(word) ||
    !(BREAKS.has(word) || DETERMINERS.has(word) || PREPOSITIONS.has(word) || SAYS_NOTHING.has(word));
  return !words.some(says);
}

const ORDINALS = new Set(["first", "second", "third", "fourth", "fifth", "nobody", "everyone"]);
const SAYS_NOTHING = new Set("get gets left result results happen happens come comes answer next".split(" "));

/** How much a phrase says; a bare measure ("dollars"), a number or a single name alone do not say what is asked. */
function weigh({ text, words, kind }: Candidate): number {
  const isMeasure = text
    .toLowerCase()
    .split(" ")
    .every((word) => MEASURES.has(word) || DETERMINERS.has(word) || PREPOSITIONS.has(word));
  return Math.min(words, 8) - (kind === "number" ? 5 : 0) - (kind === "name" ? 2 : 0) - (isMeasure ? 10 : 0);
}

/** Nothing in themselves: "the last", "the end". */
const FRAME = /^(?:the |an? )?(?:one|ones|last|end|front|same|rest|order|case|total)$/i;
const NAMES_IT =
  /^(?:(?:what|which|who)(?:'s| (?:is|are|was|were|would be))\b|\p{L}+ (?:the|an?|all|its)\b)/iu;

/** The phrases that say most first; where the clause begins with what it wants, that one. */
function rankAsked(phrases: readonly Candidate[], clause: Span): Candidate[] {
  return phrases
    .map((phrase, i) => ({ phrase, i, weight: weighIn(clause, phrase, i === 0) }))
    .sort((a, b) => b.weight - a.weight || a.i - b.i)
    .map(({ phrase }) => phrase);
}

/** What follows a preposition is a place or a means rather than what is asked: "above the ground". */
function weighIn({ text, start }: Span, phrase: Candidate, isFirst: boolean): number {
  const weight = weigh(phrase);
  const before = text.slice(Math.max(0, phrase.start - start - 16), phrase.start - start).toLowerCase();
  const word = /(\p{L}+)\s$/u.exec(before)?.[1] ?? "of";
  const follows = PREPOSITIONS.has(word) && word !== "of" && word !== "for";
  return weight - (follows ? 3 : 0) + (isFirst && weight > 0 && NAMES_IT.test(text) ? 8 : 0);
}

/** Where no phrase can be told from the rest: its words as they stand, between quotation marks. */
function wholeSentence({ text, start }: Span): Candidate[] {
  const plain = text
    .replace(/\s?["“”„«»]\s?(?=[.?!,;:]|$)|["“”„«»]/g, "'")
    .replace(/[{}[\]<>`]/g, "")
    .replace(/\s+/g, " ")
    .replace(/[.,;:\s]+$/, "")
    .trim();
  if (!/[\p{L}\p{N}]/u.test(plain)) return [];
  const words = plain.split(" ");
  let short = plain;
  if (short.length > LONGEST_PART - 2) {
    let kept = "";
    for (const word of words) {
      if (kept.length + word.length > LONGEST_PART - 5) break;
      kept += `${kept === "" ? "" : " "}${word}`;
    }
    short = `${kept === "" ? Array.from(plain).slice(0, 40).join("") : kept}…`;
  }
  return [{ text: `“${short}”`, start, kind: "noun", words: short.split(" ").length }];
}

/** A clause of two words ("¿y cuándo?") says less than its sentence. */
function longEnough(clause: Span, sentence: Span): Span {
  return clause.text.split(/\s+/).length >= 3 ? clause : sentence;
}

// ---- Phrases --------------------------------------------------------------------------------------

function phrasesOf({ text, start }: Span): Candidate[] {
  return linkPhrases(findNounPhrases(text), text).flatMap((phrase) => toCandidate(phrase, text, start));
}

function toCandidate({ start, end, kind, words }: NounPhrase, text: string, offset: number): Candidate[] {
  const phrase = text.slice(start, end).replace(/\s+/g, " ");
  if (!isUsable(phrase)) return [];
  const kinds = { noun: "noun", formula: "noun", quoted: "noun", number: "number", name: "name" } as const;
  return [{ text: lowerFirst(phrase, start === 0), start: offset + start, kind: kinds[kind], words }];
}

/** A determiner loses the capital that it only has as the first word of its sentence. */
function lowerFirst(phrase: string, isFirst: boolean): string {
  const [first = ""] = phrase.split(" ", 1);
  const isFrame = DETERMINERS.has(first.toLowerCase());
  return isFirst && isFrame ? first.toLowerCase() + phrase.slice(first.length) : phrase;
}

/** "the one who came third": up to the end of the clause. */
function withRelative(phrases: readonly Candidate[], { text, start }: Span): Candidate[] {
  return phrases.map((phrase) => {
    const after = text.slice(phrase.start - start + phrase.text.length);
    const relative = /^ (?:who|that|which)(?: [\p{L}\p{N}'’-]+){1,7}(?=[.?!,;]|$)/u.exec(after)?.[0];
    const whole = phrase.text + (relative ?? "");
    if (relative === undefined || whole.length > LONGEST_PART) return phrase;
    return { ...phrase, text: whole, words: whole.split(" ").length };
  });
}

function isUsable(phrase: string): boolean {
  if (phrase.length > LONGEST_PART || /[{}[\]<>`|\\;]/.test(phrase)) return false;
  const words = phrase.toLowerCase().split(" ");
  return words.some(
    (word) => /[\p{L}\p{N}]/u.test(word) && !DETERMINERS.has(word) && (word === "one" || !BREAKS.has(word)),
  );
}

/** Names, numbers and quoted text need no grammar. */
function foreignPhrases({ text, start }: Span): Candidate[] {
  const found: Candidate[] = [];
  const pattern =
    /["“„«]\s?([^"“”„«»\n]{2,60}?)\s?["”“»]|[$€£]?\d+(?:[.,]\d+)*(?:\s?(?:%|€|\$|\p{L}{1,12}(?:\/\p{L}{1,4})?(?!\p{L})))?|\p{Lu}\p{Ll}[\p{L}-]{0,40}(?: (?:(?:de|du|von|la|del|van) )?\p{Lu}[\p{L}-]{1,40}){0,3}/gu;
  for (const match of text.matchAll(pattern)) {
    const said = match[1] === undefined ? withoutArticle(match[0]) : `“${match[1]}”`;
    const phrase = said.replace(/\s+/g, " ");
    const isNumber = /^[$€£]?\d/.test(phrase);
    // The first word of a sentence has a capital anyway.
    const isFirst = !/[\p{L}\p{N}]/u.test(text.slice(0, Math.min(match.index, 40)));
    if (!isUsable(phrase) || (isFirst && !isNumber && !/ \p{Lu}/u.test(phrase))) continue;
    const kind = isNumber ? "number" : match[1] === undefined ? "name" : "noun";
    found.push({ text: phrase, start: start + match.index, kind, words: phrase.split(" ").length });
  }
  return found;
}

/** "Die Strecke" at the beginning of a sentence is no name of two words. */
function withoutArticle(name: string): string {
  const [first = "", ...rest] = name.split(" ");
  const isFrame = LANGUAGES.some((language) => TELLING[language].has(first.toLowerCase()));
  return isFrame && rest.length > 0 ? rest.join(" ") : name;
}

/** Lines or places like "(B) copper": the letter and how the option begins. */
function findOptions(text: string): Candidate[] {
  const found: Candidate[] = [];
  for (const match of text.matchAll(/(?:^|\n|[\s;,])(\(?[A-H][).:]) ?([^\n()]{1,200})/g)) {
    const [, label = "", rest = ""] = match;
    const words = rest
      .split(/\s+[A-H][).:]\s|[;,.]\s|\s\(/)[0]!
      .trim()
      .split(/\s+/)
      .slice(0, 6);
    const phrase = `${label} ${words.join(" ")}`.replace(/[.,;:!?\s]+$/, "");
    if (phrase.length > label.length && isUsable(phrase))
      found.push({
        text: phrase,
        start: match.index + match[0].indexOf(label),
        kind: "option",
        words: words.length,
      });
  }
  return found.length >= 2 && found[0]!.text.includes("A") ? found : [];
}

// ---- Choosing -------------------------------------------------------------------------------------

const ORDER = ["name", "number", "option", "noun"] as const;

/** Asked ones first, then of each kind in turn, none that is inside another or said twice. */
function choose(asked: readonly Candidate[], others: readonly Candidate[]) {
  const chosen: (Candidate & { isAsked: boolean })[] = [];
  const add = (candidate: Candidate, isAsked: boolean) => {
    const lower = plain(candidate.text);
    // What stands between quotation marks is the clause as a whole: a phrase of it still says more.
    const isSaid = chosen.some(({ text }) => {
      const said = plain(text);
      return text.startsWith("“") ? said === lower : ` ${said} `.includes(` ${lower} `);
    });
    if (chosen.length >= MOST_PARTS || isSaid || lower === "") return false;
    chosen.push({ ...candidate, isAsked });
    return true;
  };
  for (const candidate of asked) add(candidate, true);
  const queues = ORDER.map((kind) => others.filter((other) => other.kind === kind && isTelling(other)));
  const at = ORDER.map(() => 0);
  for (let moved = true; moved && chosen.length < MOST_PARTS; ) {
    moved = false;
    queues.forEach((queue, i) => {
      while (at[i]! < queue.length) {
        moved = true;
        if (add(queue[at[i]!++]!, false)) break;
      }
    });
  }
  return chosen;
}

/** A single common word of the context points at nothing. */
function isTelling({ kind, text, words }: Candidate): boolean {
  const lower = text.toLowerCase();
  if (FRAME.test(text)) return false;
  if (kind === "noun" && words === 1 && /(?:ful|ous|able|ible|less)$/.test(lower)) return false;
  if (kind === "noun")
    return words > 1 || /^[“"]/.test(text) || (lower.length > 3 && !MEASURES.has(lower) && !VERBS.has(lower));
  return kind !== "number" || words > 1 || /[^\d]/.test(text) || text.length > 2;
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/^(?:the|a|an|each|every|all) /, "")
    .replace(/[^\p{L}\p{N}%$€£ ]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
}

// ---- Long and foreign questions -------------------------------------------------------------------

function cutMiddle(question: string): { text: string; toPlace: (at: number) => number } {
  if (question.length <= 2 * READ_CHARACTERS) return { text: question, toPlace: (at) => at };
  const skipped = question.length - 2 * READ_CHARACTERS;
  const text = `${question.slice(0, READ_CHARACTERS)}\n${question.slice(-READ_CHARACTERS)}`;
  return { text, toPlace: (at) => (at <= READ_CHARACTERS ? at : at - 1 + skipped) };
}

function nearest(sentences: readonly Span[], asked: number): Span[] {
  const half = MOST_SENTENCES / 2;
  const near = (i: number) => Math.abs(i - asked) <= half / 2 || i < half;
  return sentences.filter((_, i) => near(i)).slice(0, MOST_SENTENCES);
}

/** A text of some length without any English function word is of a language that nobody here knows. */
function speaksEnglish(text: string): boolean {
  if (detectLanguage(text) !== "en") return false;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const latin = text.match(/[A-Za-z]/g)?.length ?? 0;
  if (latin < letters * 0.8) return false;
  const counts = countTelling(text);
  const words = text.match(/\p{L}{2,}/gu)?.length ?? 0;
  return counts.en > 0 || words < 5;
}
