// A small vocabulary for tests: the literals of workflows, and the words of a few sentences.

import { Language, toLiterals } from "../../conductor/native/language.ts";
import type { Repertoire } from "../../instruction/types.ts";
import { trainTokenizer } from "../../nn/tokenizer.ts";

const TEXTS = [
  "Plan the sums and solve the equations, then check the answer.",
  "What is the sum of 12 and 30? Answer the question, step by step.",
  "Compare the answers and pick the right one; write down what is known.",
  "Größe und Maß: die Zahl ist π ≈ 3.14, naïve café.",
];

/** A few ways to say it, one with each kind of slot. */
const REPERTOIRE: Repertoire = {
  instructions: [
    {
      ...{ id: "plan", role: "plan", needs: "nothing", slots: ["work"] },
      text: { en: "Plan the solution, without solving it: say how to {work}." },
    },
    {
      ...{ id: "solve", role: "solve", needs: "nothing", slots: ["work", "part", "form"] },
      text: { en: "Solve it for {part}: {work}. Give the answer as {form}." },
    },
    {
      ...{ id: "check", role: "check", needs: "answer", slots: ["part"] },
      text: { en: "Check the answer for {part}." },
    },
    {
      ...{ id: "compare", role: "compare", needs: "answers", slots: [] },
      text: { en: "Compare the answers and pick the right one." },
    },
  ],
  works: [
    { id: "sums", cues: ["sum", "sums"], text: { en: "add the numbers up" } },
    { id: "any", cues: [], text: { en: "work it out from what is given" } },
  ],
  forms: [
    { id: "number", text: { en: "a number" } },
    { id: "name", text: { en: "a name" } },
  ],
};

export function createTinyLanguage(): Language {
  const texts = TEXTS.flatMap((text) => Array<string>(4).fill(text));
  return new Language(trainTokenizer(texts, { size: 520, literals: toLiterals(REPERTOIRE) }), REPERTOIRE);
}
