// The language of a text by its function words: English when unsure. Only the ends of a long text are read.

import { TELLING } from "./function-words.ts";
import { LANGUAGES, type LanguageCode } from "./types.ts";

const READ_CHARACTERS = 2000;
/** Another language must be ahead of English by this many of the words that are counted. */
const LEAD = 2;

export function detectLanguage(text: string): LanguageCode {
  const counts = countTelling(text);
  let best: LanguageCode = "en";
  for (const language of LANGUAGES) if (counts[language] > counts[best]) best = language;
  if (best === "en") return "en";
  const others = LANGUAGES.filter((language) => language !== best).map((language) => counts[language]);
  // A short question has few of them: alone they must be spoken by nobody else.
  const isClear = counts[best] >= counts.en + LEAD && counts[best] > Math.max(...others);
  return isClear ? best : "en";
}

/** How many function words of each language the text has. */
export function countTelling(text: string): Record<LanguageCode, number> {
  const ends =
    text.length > 2 * READ_CHARACTERS
      ? `${text.slice(0, READ_CHARACTERS)} ${text.slice(-READ_CHARACTERS)}`
      : text;
  const counts: Record<LanguageCode, number> = { en: 0, de: 0, fr: 0, es: 0 };
  for (const [word] of ends.toLowerCase().matchAll(/\p{L}+/gu)) {
    for (const language of LANGUAGES) if (TELLING[language].has(word)) counts[language]++;
  }
  // What two of them share says nothing between them, but both are not English.
  if (/[¿¡]|\p{L}ción\b/u.test(ends)) counts.es += 2;
  if (/ß|\b(?:Sie|ich)\b/u.test(ends)) counts.de += 1;
  if (/\b(?:qu|l|d|n|c|j|s)['’]\p{Ll}/u.test(ends)) counts.fr += 2;
  return counts;
}
