// A question that the rehearsal can answer, near to one that it cannot: for people who were refused.

import { createRandom, hashSeed } from "../base/random.ts";
import { exampleQuestion, FAMILIES } from "./questions.ts";
import type { Family } from "./types.ts";

/** The shortest of so many is offered: longer ones do not invite to try them. */
const TRIES = 50;
/** Of each family, to see what words its questions have. */
const SAMPLES = 4;
/** Words that say nothing of a subject. */
const COMMON = new Set(
  "a an and are as at by can do does each for from has have how i if in is it its many me much my of on one or per please so than that the there this to was what when where which who why will with would you your write tell give".split(
    " ",
  ),
);
const ARITHMETIC = /\d.*(?:[-+*×x/÷%^]|\b(?:plus|minus|times|divided|multiplied|sum|product|percent)\b).*\d/i;

/**
 * What people ask about, by the family that is nearest to it: a question about leagues and furlongs is one of units, though
 * no question of ours has these words. The first that matches counts.
 */
export const SUBJECTS: readonly (readonly [family: string, subject: RegExp])[] = [
  [
    "units",
    /\b(?:convert|conversion|units?|met(?:er|re)s?|kilomet(?:er|re)s?|miles?|leagues?|furlongs?|fathoms?|knots?|inch(?:es)?|feet|foot|yards?|acres?|hectares?|grams?|kilograms?|kilos?|pounds?|ounces?|stones?|tons?|tonnes?|lit(?:er|re)s?|gallons?|pints?|cups?|celsius|fahrenheit|kelvin|joules?|calories)\b/i,
  ],
  ["programs", /\b(?:code|program|function|python|javascript|loop|recursion|output of|variable|compile)\b/i],
  [
    "equations",
    /\b(?:equation|solve for|unknown|algebra|linear|quadratic|root of|x =|derivative|integral)\b/i,
  ],
  ["dates", /\b(?:days?|weeks?|weekday|months?|years?|calendar|date|leap|century|monday|sunday|birthday)\b/i],
  [
    "elements",
    /\b(?:chemistry|chemical|element|atoms?|atomic|periodic|molecule|metal|isotope|acid|formula)\b/i,
  ],
  [
    "capitals",
    /\b(?:capital|country|countries|city|cities|geography|continent|population|president|river)\b/i,
  ],
  [
    "shopping",
    /\b(?:price|prices|cost|costs|buy|bought|shop|discount|pay|paid|dollars?|euros?|cheaper|tax)\b/i,
  ],
  ["routes", /\b(?:route|shortest|path|road|travel|trip|drive|distance|train|flight|salesman)\b/i],
  [
    "schedules",
    /\b(?:schedule|meeting|appointment|timetable|shift|calendar slot|o'clock|free time|agenda)\b/i,
  ],
  ["gardens", /\b(?:garden|area|perimeter|fence|rectangle|square|triangle|circle|geometry|volume)\b/i],
  ["strings", /\b(?:letters?|words?|spell|reverse|anagram|palindrome|vowels?|alphabet|rhyme|syllables?)\b/i],
  [
    "ordering",
    /\b(?:order|sort|rank|taller|older|faster|tallest|oldest|first to last|queue|before or after)\b/i,
  ],
  ["knights", /\b(?:knights?|knaves?|liars?|truth|lies?|logic|riddle|puzzle|paradox)\b/i],
  ["tables", /\b(?:table|spreadsheet|csv|rows?|columns?|data|average|mean|median|sql|statistics)\b/i],
];

/** Ready to be pasted into somebody's shell: nothing in it needs escaping inside of single quotes. */
export function offerQuestion(question: string): string {
  const near = nearestFamily(question);
  const examples = Array.from({ length: TRIES }, (_, i) =>
    near ? generateOne(near, `${question}${i}`, 1) : exampleQuestion(`${question}${i}`),
  ).filter((example) => !/['`$\\!\n]/.test(example));
  return examples.reduce((a, b) => (b.length < a.length ? b : a), examples[0] ?? "What is 17 * 23?");
}

function generateOne(family: Family, seed: string, difficulty: 1 | 2): string {
  return family.generate(createRandom(hashSeed("offer", family.id, seed)), difficulty).question;
}

/** By its subject; else the family whose terms and questions share most words with it; undefined where none shares any. */
function nearestFamily(question: string): Family | undefined {
  const subject = SUBJECTS.find(([, pattern]) => pattern.test(question))?.[0];
  const named = ARITHMETIC.test(question) ? "arithmetic" : subject;
  if (named !== undefined) return FAMILIES.find(({ id }) => id === named);
  const asked = wordsOf(question);
  const shares = FAMILIES.map((family) => {
    const samples = Array.from({ length: SAMPLES }, (_, i) => generateOne(family, String(i), 1));
    const known = wordsOf([...family.terms, ...samples].join(" "));
    return { family, shared: [...asked].filter((word) => known.has(word)).length };
  });
  const best = shares.reduce((a, b) => (b.shared > a.shared ? b : a));
  return best.shared > 0 ? best.family : undefined;
}

function wordsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/\p{L}{3,}/gu) ?? [];
  return new Set(words.filter((word) => !COMMON.has(word)).map((word) => word.replace(/s$/, "")));
}
