// Sums as people type them, "1+1?" or "17 times 23", in the words that the arithmetic family writes. Only where the
// whole text is one: inside other words a number is no sum.

const WORDS: readonly [RegExp, string][] = [
  [/\bplus\b/gi, "+"],
  [/\bminus\b/gi, "−"],
  [/\b(?:times|multiplied by)\b/gi, "×"],
  [/\b(?:divided by|over)\b/gi, "÷"],
];
const WHOLE =
  /^(?:(?:what is|what's|what does|how much is|calculate|compute|work out)\s+)?(?<sum>[\d(][-\d\s+−*×x/÷().]{1,160}[\d)])\s*(?:equal|make|is)?\s*[=?.!]*$/i;

/** Undefined where the text is anything else. */
export function toSumQuestion(text: string): string | undefined {
  const symbols = WORDS.reduce((rest, [word, symbol]) => rest.replace(word, symbol), text.trim());
  const sum = WHOLE.exec(symbols)?.groups?.sum?.trim();
  return sum === undefined || !/[-+−*×x/÷]/.test(sum) ? undefined : `What is ${sum}?`;
}
