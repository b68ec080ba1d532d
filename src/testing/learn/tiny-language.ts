// A small vocabulary for tests: the literals of workflows, and the words of a few sentences.

import { Language, LITERALS } from "../../conductor/native/language.ts";
import { trainTokenizer } from "../../nn/tokenizer.ts";

const TEXTS = [
  "Plan the sums and solve the equations, then check the answer.",
  "What is the sum of 12 and 30? Answer the question, step by step.",
  "Compare the answers and pick the right one; write down what is known.",
  "Größe und Maß: die Zahl ist π ≈ 3.14, naïve café.",
];

export function createTinyLanguage(): Language {
  const texts = TEXTS.flatMap((text) => Array<string>(4).fill(text));
  return new Language(trainTokenizer(texts, { size: 480, literals: LITERALS }));
}
