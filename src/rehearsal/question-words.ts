// What a question is about in its own words: the words of the clause that asks, all other words and numbers, and the
// kind of its answer. Read from the texts alone, so that whoever copies from a question can be told from whoever copies from
// another one.

import { FAMILIES, generateProblems } from "./questions.ts";
import type { Problem } from "./types.ts";

/** What an answer looks like. */
export type AnswerKind = "number" | "money" | "measure" | "date" | "list" | "yes-no" | "letter" | "name";

export interface QuestionWords {
  /**
   * Words and telling numbers of the clause that asks. Where it has none ("How many dollars is that?"), those of the whole
   * question without its names, for who is spoken of is not what is asked for. Lower case.
   */
  asked: ReadonlySet<string>;
  /** The clause that asks, word by word, where it has no words of its own: then several in a row point at it. */
  bareClause: string | undefined;
  all: ReadonlySet<string>;
  numbers: ReadonlySet<string>;
  answer: AnswerKind;
}

/**
 * Words that point to no question: grammar, the words of instructions, and what questions of all kinds have. Those of the
 * repertoire that occur in questions are among them, so that a sentence without its slots never names a part.
 */
const PLAIN = new Set(
  [
    "a about above across add adding adds after again all alone along already also always among an and another answer answers any are as ask asked asking asks at away back be because been before begin below best between both but by",
    "calculate call called can carefully case cases change check choose clear clearly colleague compare complete computed console const correct cost costs could count counting cover covers decide did different difference directly do does done each earlier else end ends enough evaluate every everybody everyone everything exact exactly expected express fact far few final find finish first fit follow following for form forward found four from front full further",
    "get gets give given gives giving go goes good guess had half has have held her here him his hold holds how however i if in instead intermediate into is it item its itself job just keep kind kinds know known last lay lead learn least leave leaves left less let level like line lines list little log long look made make makes many map mark may me mean means method might mind mistake more most move much must my",
    "name named names naming need needed needs never next no nobody none not nothing now number numbers of off on once one only or order other others our out output over own part parts people per picture piece place plan print printed prints problem put question quick rather re read reads ready reason record relevant rely repeat replies reply required rest result results right round rule run running runs",
    "said same satisfies satisfy say says second see seen sense separate separated sets shape share shared short should show shows side sides similar single size small so solution some something sort stand standing stands start starts state stated still stop such sum sure system take taken takes task tell text than that the their them then there these they thing things this those three through time to together too total true turn two under unknown until up use used uses using value verdict very voice",
    "was way ways we well went were what whatever when where whether which while who whole whom whose why will with within without word words work worked worker works worth would write writing written wrong yes yet you your",
    "accept around becomes building came city commas day diagnosis double drive finished hold later length lie lies new orders pay pays rests revise symbol thinker tied ties times verifier wait week weigh wide workers",
  ]
    .join(" ")
    .split(" "),
);

const WORD = /\p{L}+(?:['’]\p{L}+)*/gu;

/** What families call their work tells the work, not the part; all of it in lower case. */
const TERMS = FAMILIES.flatMap(({ terms }) => terms);
const TERM_WORDS = new Set([
  ...TERMS.filter((term) => !term.includes(" ")),
  ...FAMILIES.flatMap(({ work }) => work.toLowerCase().match(WORD) ?? []),
]);
/** Of several words: a critical path is work, a path around a garden is none. */
const TERM_PHRASE = new RegExp(`\\b(?:${TERMS.filter((term) => term.includes(" ")).join("|")})\\b`, "gi");

/** Words that say something of one question: no grammar, no kind of work. */
export function contentWords(text: string): string[] {
  const words = text.replace(TERM_PHRASE, " ").match(WORD) ?? [];
  return words.map((word) => word.toLowerCase()).filter(isContent);
}

function isContent(word: string): boolean {
  return !PLAIN.has(word) && !TERM_WORDS.has(word);
}

/** All of them, as they are compared. */
export function numbersIn(text: string): string[] {
  return withoutSeparators(text).match(/\d+(?:\.\d+)?/g) ?? [];
}

/** Of thousands. */
function withoutSeparators(text: string): string {
  return text.replace(/(?<=\d),(?=\d{3}(?!\d))/g, "");
}

/** A small number says nothing unless it is written with a sign beside it. */
const TELLING_NUMBER = /\d+\.\d+|\d{2,}|(?<=[-+−×÷*/=(<>$%]\s?)\d|\d(?=\s?[-+−×÷*/=)<>$%])|\d(?=\p{L}\b)/gu;

/** Numbers by which a question can be known. */
export function tellingNumbers(text: string): string[] {
  return withoutSeparators(text).match(TELLING_NUMBER) ?? [];
}

/** Its words in lower case, with one space before and after each. */
export function spaced(text: string): string {
  return ` ${(text.toLowerCase().match(WORD) ?? []).join(" ")} `;
}

function withoutNames(question: string): string {
  return question.replace(/(?<!\p{L})\p{Lu}\p{L}*/gu, " ");
}

function contentOf(text: string): string[] {
  return [...contentWords(text), ...tellingNumbers(text)];
}

const remembered = new WeakMap<Problem, QuestionWords>();

/** Pure: what is remembered only saves time. */
export function readQuestion(problem: Problem): QuestionWords {
  const known = remembered.get(problem);
  if (known) return known;
  const { question } = problem;
  const clauses = askingClauses(question);
  const asking = clauses.map(contentOf).find((content) => content.length > 0);
  const words: QuestionWords = {
    asked: new Set(asking ?? contentOf(withoutNames(question))),
    bareClause: asking ? undefined : spaced(clauses.at(-1)!),
    all: new Set((question.match(WORD) ?? []).map((word) => word.toLowerCase())),
    numbers: new Set(numbersIn(question)),
    answer: kindOfAnswer(problem, clauses.at(-1)!),
  };
  remembered.set(problem, words);
  return words;
}

/** The last clause that begins with a question word, then the sentence around it: where nothing is asked, the last sentence. */
function askingClauses(question: string): string[] {
  const sentences = question.split(/(?<=[.?!]"?)\s+/);
  const sentence = sentences.findLast((each) => each.includes("?")) ?? sentences.at(-1) ?? question;
  const at = [...sentence.matchAll(/\b(?:how|what|which|who)\b/gi)].at(-1)?.index ?? 0;
  return at > 0 ? [sentence.slice(at), sentence] : [sentence];
}

const UNITS =
  /\b(?:(?:kilo|centi|milli)?met(?:re|er)s?|km|hours?|minutes?|seconds?|days|(?:kilo)?grams?|tonnes|(?:milli)?lit(?:re|er)s?)\b/i;
const WEEKDAY_OR_MONTH =
  /^(?:\w+day|\d{1,2} (?:Jan|Febr)uary|\d{1,2} (?:March|April|May|June|July|August|\w+(?:em|o)ber)) ?(?:\d{4})?$/;

function kindOfAnswer({ answer, question }: Problem, sentence: string): AnswerKind {
  if (/^-?\d[\d.,/]*$/.test(answer)) {
    if (/\bdollars?\b|\$/.test(sentence)) return "money";
    return UNITS.test(sentence) ? "measure" : "number";
  }
  if (/\bby commas\b/.test(question)) return "list";
  if (/^(?:yes|no|true|false)$/i.test(answer)) return "yes-no";
  if (/^[A-H]$/.test(answer)) return "letter";
  return WEEKDAY_OR_MONTH.test(answer) ? "date" : "name";
}

// ---- Words of all questions -----------------------------------------------------------------------

/** Of each family, to see what words its questions have. */
const SAMPLES = 60;

interface Vocabulary {
  words: ReadonlySet<string>;
  /** Written with a capital inside of a sentence. */
  names: ReadonlySet<string>;
}
let vocabulary: Vocabulary | undefined;

/** What questions of all families say that not every text says: a word of these that a question lacks is of another question. */
export function vocabularyOfQuestions(): Vocabulary {
  if (vocabulary) return vocabulary;
  const problems = generateProblems({ count: SAMPLES * FAMILIES.length, seed: "vocabulary" });
  const words = new Set<string>();
  const names = new Set<string>();
  for (const { question } of problems) {
    for (const word of contentWords(question)) words.add(word);
    for (const name of namesIn(question)) if (isContent(name.toLowerCase())) names.add(name);
  }
  vocabulary = { words, names };
  return vocabulary;
}

/** Words with a capital that do not begin a sentence or a quotation. */
export function namesIn(text: string): string[] {
  return text.match(/(?<=[\p{L}\d,;–-] ?|\()\p{Lu}\p{L}+/gu) ?? [];
}
