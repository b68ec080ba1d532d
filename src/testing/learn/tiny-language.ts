// A small vocabulary for tests: the literals of workflows, and the words of a few sentences.

import { Language, type SayingTokens, toLiterals } from "../../conductor/native/language.ts";
import type { Repertoire } from "../../instruction/types.ts";
import { trainTokenizer } from "../../nn/tokenizer.ts";

const TEXTS = [
  "Plan the sums and solve the equations, then check the answer.",
  "What is the sum of 12 and 30? Answer the question, step by step.",
  "Compare the answers and pick the right one; write down what is known.",
  "Größe und Maß: die Zahl ist π ≈ 3.14, naïve café.",
];

/** A few ways to say it, with each kind of slot and with none. */
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
    { id: "answer", role: "solve", needs: "nothing", slots: [], text: { en: "Answer the question." } },
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

export function createTinyLanguage(repertoire = REPERTOIRE): Language {
  const texts = TEXTS.flatMap((text) => Array<string>(4).fill(text));
  return new Language(trainTokenizer(texts, { size: 520, literals: toLiterals(repertoire) }), repertoire);
}

/** An instruction by its id, with the first work and form, and with a part by its slot. */
export function say(language: Language, id = "answer", part = 0): SayingTokens {
  const { instructions, works, forms } = language.repertoire;
  const instruction = instructions.find((each) => each.id === id)!;
  return language.toSayingTokens(instruction, { work: works[0], part, form: forms[0] });
}
