// What a simulated worker makes of the words of its subtask: the kind of work, and whether they name the right work, what
// the question asks for, the form of its answer, and an independent way of checking. From the texts alone.

import type { Topic } from "../worker/types.ts";
import {
  type AnswerKind,
  contentWords,
  namesIn,
  numbersIn,
  type QuestionWords,
  readQuestion,
  spaced,
  tellingNumbers,
  vocabularyOfQuestions,
} from "./question-words.ts";
import { familyOf } from "./questions.ts";
import { kindOf, namedTopics, namedWork, type SubtaskKind } from "./reading.ts";
import {
  LONGEST_HELPFUL_WORDS,
  type NamedForm,
  type NamedPart,
  type NamedWords,
  PLAIN_WORDS,
} from "./rules.ts";
import type { Problem } from "./types.ts";

export interface InstructionReading extends NamedWords {
  kind: SubtaskKind;
}

export const BARE_QUESTION: InstructionReading = { kind: "solve", ...PLAIN_WORDS };

/** Training says the same to many workers; more different subtasks of one question than this are forgotten. */
const MEMO_SIZE = 512;
const memo = new WeakMap<Problem, Map<string, InstructionReading>>();

/** Pure: what is remembered only saves time. */
export function readInstruction(subtask: string, problem: Problem): InstructionReading {
  const readings = memo.get(problem) ?? new Map<string, InstructionReading>();
  const known = readings.get(subtask);
  if (known) return known;
  if (readings.size === 0) memo.set(problem, readings);
  if (readings.size >= MEMO_SIZE) readings.clear();
  const reading = read(subtask, problem);
  readings.set(subtask, reading);
  return reading;
}

function read(subtask: string, problem: Problem): InstructionReading {
  const kind = kindOf(subtask);
  if (subtask === "") return { kind, ...PLAIN_WORDS };
  const question = readQuestion(problem);
  const { form, rest } = readForm(subtask);
  const part = namedPart(rest, question);
  // The question's own words in a part are no work that somebody names.
  const ways = kind === "check" ? namedWays(rest) : [];
  const workless = ways.reduce((text, { words }) => text.replace(words, " "), rest);
  const partless = withoutWordsOf(workless, question, problem);
  const told = part === "right" || namedWork(partless, problem) === "right" ? partless : workless;
  const wording: NamedWords = {
    namesWork: namedWork(told, problem),
    part,
    form: form ? fitOfForm(form, question.answer) : "nothing",
    way: fitOfWays(ways, problem.topic),
  };
  // Words that name nothing but work count by MOST_TOPICS alone.
  const saysMore = wording.part !== "nothing" || form !== undefined || ways.length > 0;
  const isTooMuch = countWords(subtask) > LONGEST_HELPFUL_WORDS || (saysMore && mixesWork(told, problem));
  return { kind, ...(isTooMuch ? withoutHelp(wording) : wording) };
}

/** What distracts still does. */
function withoutHelp({ namesWork, part, form }: NamedWords): NamedWords {
  const least = <Named extends "right" | "nothing" | "wrong">(named: Named) =>
    named === "right" ? "nothing" : named;
  return { namesWork: least(namesWork), part: least(part), form: least(form), way: "none" };
}

function countWords(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}

/** It sets the right work and, beside it, some of another topic that does not belong to it. */
function mixesWork(subtask: string, problem: Problem): boolean {
  if (namedWork(subtask, problem) !== "right") return false;
  const belonging = namedTopics(familyOf(problem).work);
  for (const topic of namedTopics(subtask)) if (topic !== problem.topic && !belonging.has(topic)) return true;
  return false;
}

function withoutWordsOf(text: string, { all }: QuestionWords, problem: Problem): string {
  const { terms } = familyOf(problem);
  return text.replace(/\p{L}+/gu, (word) => {
    const lower = word.toLowerCase();
    return all.has(lower) && !terms.includes(lower) ? "…" : word;
  });
}

// ---- The part of the question ---------------------------------------------------------------------

/** Whoever copies more words of a question than this points at nothing. */
const MOST_WORDS_OF_PART = 8;
/** Numbers that count something in the instruction itself. */
const COUNTED =
  /\b(?:steps?|rounds?|replies|reply|answers?|models?|workers?|attempts?|at least|at most)\s+\d+/gi;

/**
 * Right: it has words of the clause that asks. Wrong: it has names or numbers that are not in the question, quotes what
 * is not in it, or has more words of other questions than of this one.
 */
function namedPart(subtask: string, question: QuestionWords): NamedPart {
  const words = new Set(contentWords(subtask));
  const numbers = [...new Set(tellingNumbers(subtask.replace(COUNTED, "")))];
  const pointsAtClause = hasRunOf(question.bareClause, subtask);
  if (words.size === 0 && numbers.length === 0) return pointsAtClause ? "right" : "nothing";
  if (numbers.some((number) => !question.numbers.has(number))) return "wrong";
  if (quotesAnother(subtask, question)) return "wrong";
  const own = [...words].filter((word) => question.all.has(word)).length;
  if (own < words.size && isOfAnother(subtask, words, question, own)) return "wrong";
  const isAsked = pointsAtClause || [...words, ...numbers].some((each) => question.asked.has(each));
  return isAsked && own + numbers.length <= MOST_WORDS_OF_PART ? "right" : "nothing";
}

/** So many words of the clause in a row are copied from it, or all of one that has three ("Who was first?"). */
const RUN = 4;

function hasRunOf(clause: string | undefined, subtask: string): boolean {
  if (clause === undefined) return false;
  const words = clause.trim().split(" ");
  const run = Math.min(RUN, Math.max(RUN - 1, words.length));
  const said = spaced(subtask);
  return words.some(
    (_, at) => at + run <= words.length && said.includes(` ${words.slice(at, at + run).join(" ")} `),
  );
}

/** It has a name of another question, or more words of others than the `own` of this one. */
function isOfAnother(
  subtask: string,
  words: ReadonlySet<string>,
  { all }: QuestionWords,
  own: number,
): boolean {
  const { words: vocabulary, names } = vocabularyOfQuestions();
  if (namesIn(subtask).some((name) => names.has(name) && !all.has(name.toLowerCase()))) return true;
  return [...words].filter((word) => !all.has(word) && vocabulary.has(word)).length > own;
}

function quotesAnother(subtask: string, { all, numbers }: QuestionWords): boolean {
  for (const [, quoted] of subtask.matchAll(/["“«„]([^"”»“]{1,200})["”»“]/g)) {
    const words = contentWords(quoted!);
    if (words.length === 0) continue;
    if (!words.some((word) => all.has(word)) && !numbersIn(quoted!).some((number) => numbers.has(number)))
      return true;
  }
  return false;
}

// ---- The form of the answer -----------------------------------------------------------------------

type SaidForm = AnswerKind | "code" | "text";

/** Earlier ones first: "a number with its unit" is more than a number. */
const FORMS: readonly [SaidForm, RegExp][] = [
  [
    "measure",
    /^(?:number|quantity|value) (?:together )?with (?:its|the|a) unit|^number with what it (?:counts|measures)/,
  ],
  ["money", /^(?:(?:dollar )?amount|sum)(?: of money| in| of dollars)|^price\b/],
  ["yes-no", /^(?:yes or no|true or false)\b/],
  ["letter", /^letter\b|^option letter\b/],
  ["list", /^(?:(?:comma-separated )?list|sequence|series|names separated)\b/],
  ["date", /^(?:date|time|weekday|day of the week)\b/],
  ["code", /^(?:code|program|function|piece of code|block of code)\b/],
  ["text", /^(?:text|sentences?|paragraph|few sentences|explanation)\b/],
  ["name", /^(?:name|word|term)\b/],
  ["number", /^(?:number|integer|fraction|decimal|figure|count)\b/],
];
/** "as a number", and not "what is asked for is the number of …": a part is no form. */
const SAID_FORM =
  /\b(?:as|in the form of|at the end give|in the end give|(?:answer|result) (?:is|must be|should be))\s+(?:(?:a|an|the|one|just|only|single|plain|whole|exact|short|working|complete|ordered)\s+)*/gi;

/** The form that is named, and the subtask without it: "a date" as a form is no work on dates. */
function readForm(subtask: string): { form: SaidForm | undefined; rest: string } {
  for (const { 0: before, index } of subtask.matchAll(SAID_FORM)) {
    const said = subtask.slice(index + before.length).toLowerCase();
    const form = FORMS.find(([, pattern]) => pattern.test(said))?.[0];
    if (form === undefined) continue;
    return { form, rest: subtask.slice(0, index) + said.slice(said.search(/[.;:!?\n]|$/)) };
  }
  return { form: undefined, rest: subtask };
}

/** All that is neither here nor right is wrong. A short text fits everything, and says nothing. */
const FITTING_FORMS: Record<AnswerKind, { right: readonly SaidForm[]; nothing: readonly SaidForm[] }> = {
  number: { right: ["number"], nothing: ["measure"] },
  money: { right: ["money", "number", "measure"], nothing: [] },
  measure: { right: ["measure", "number"], nothing: [] },
  date: { right: ["date"], nothing: ["name"] },
  list: { right: ["list"], nothing: ["name"] },
  "yes-no": { right: ["yes-no"], nothing: ["name"] },
  letter: { right: ["letter"], nothing: ["name"] },
  name: { right: ["name"], nothing: ["list"] },
};

function fitOfForm(form: SaidForm, answer: AnswerKind): NamedForm {
  const { right, nothing } = FITTING_FORMS[answer];
  if (right.includes(form)) return "right";
  return form === "text" || nothing.includes(form) ? "nothing" : "wrong";
}

// ---- The way of checking --------------------------------------------------------------------------

interface CheckingWay {
  words: RegExp;
  /** The topics in which it finds most; "all": it fits everywhere, a little less. */
  fits: readonly Topic[] | "all";
}

/** "By another way" is what a Verifier of TRINITY is always told, so it names none. */
const WAYS: readonly CheckingWay[] = [
  { words: /\bbackwards?\b/i, fits: ["arithmetic", "algebra", "science", "other"] },
  {
    words: /\bestimat(?:e|es|ing|ion)\b|\border of magnitude\b|\brough size\b/i,
    fits: ["geometry", "arithmetic", "science"],
  },
  { words: /\bcase by case\b|\b(?:every|each) case\b|\bcounter-?examples?\b/i, fits: ["logic", "planning"] },
  // As a way to trace a program it is work, which is named apart.
  { words: /(?<!\b(?:the|code|program) )\bline by line\b/i, fits: ["code", "language", "data"] },
  {
    words:
      /\b(?:another|second|different|independent|other) (?:method|approach|procedure)\b|\bindependently\b/i,
    fits: "all",
  },
];
/** More ways at once than this are none. */
const MOST_WAYS = 2;

function namedWays(subtask: string): CheckingWay[] {
  return WAYS.filter(({ words }) => words.test(subtask));
}

function fitOfWays(named: readonly CheckingWay[], topic: Topic): NamedWords["way"] {
  if (named.length === 0 || named.length > MOST_WAYS) return "none";
  if (named.some(({ fits }) => fits !== "all" && fits.includes(topic))) return "fitting";
  return named.some(({ fits }) => fits === "all") ? "general" : "another";
}
