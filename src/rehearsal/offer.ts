// A question that the rehearsal can answer, near to one that it cannot: for people who were refused.

import { createRandom, hashSeed } from "../base/random.ts";
import { exampleQuestion, FAMILIES } from "./questions.ts";
import type { Family } from "./types.ts";

/** Longer ones do not invite to try them. */
const LONGEST_OFFER = 110;
/** Of each family, to see what words its questions have. */
const SAMPLES = 4;
/** Words that say nothing of a subject. */
const COMMON = new Set(
  "a an and are as at by can do does each for from has have how i if in is it its many me much my of on one or per please so than that the there this to was what when where which who why will with would you your write tell give".split(
    " ",
  ),
);
const ARITHMETIC = /\d.*(?:[-+*×x/÷%^]|\b(?:plus|minus|times|divided|multiplied|sum|product|percent)\b).*\d/i;

/** Ready to be pasted into somebody's shell: nothing in it needs escaping. */
export function offerQuestion(question: string): string {
  const near = nearestFamily(question);
  for (let i = 0; i < 50; i++) {
    const seed = `${question}${i}`;
    const example = near ? generateOne(near, seed, i < 25 ? 1 : 2) : exampleQuestion(seed);
    if (example.length <= LONGEST_OFFER && !/["'`$\\!\n]/.test(example)) return example;
  }
  return "What is 17 * 23?";
}

function generateOne(family: Family, seed: string, difficulty: 1 | 2): string {
  return family.generate(createRandom(hashSeed("offer", family.id, seed)), difficulty).question;
}

/** The family whose terms and questions share most words with this one; undefined where none shares any. */
function nearestFamily(question: string): Family | undefined {
  if (ARITHMETIC.test(question)) return FAMILIES.find(({ id }) => id === "arithmetic");
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
