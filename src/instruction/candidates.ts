// Which kinds of work a question speaks of: those whose cues it has, most of them first, then the general ones. The model
// chooses among these, so that no instruction names work that nobody asked for.

import { isClosing } from "./asking.ts";
import type { Repertoire, Work } from "./types.ts";

const READ_CHARACTERS = 4000;

interface Cues {
  /** By the first word of a cue: how it goes on, and which work it is of. */
  byWord: ReadonlyMap<string, readonly { phrase: readonly string[]; work: number }[]>;
  /** Signs without a letter, or with signs in them: found as they stand. */
  signs: readonly { sign: string; work: number }[];
}

const known = new WeakMap<Repertoire, Cues>();

export function findWorks(question: string, repertoire: Repertoire): Work[] {
  const { byWord, signs } = cuesOf(repertoire);
  const text = withoutClosing(endsOf(question)).toLowerCase();
  const words = text.match(WORD)?.map(singular) ?? [];
  const found = repertoire.works.map(() => new Set<string>());
  words.forEach((word, i) => {
    for (const { phrase, work } of byWord.get(word) ?? [])
      if (phrase.every((next, j) => words[i + j] === next)) found[work]!.add(phrase.join(" "));
  });
  for (const { sign, work } of signs) if (text.includes(sign)) found[work]!.add(sign);
  const cued = repertoire.works
    .map((work, i) => ({ work, count: found[i]!.size, i }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || a.i - b.i);
  return [...cued.map(({ work }) => work), ...repertoire.works.filter(({ cues }) => cues.length === 0)];
}

const WORD = /[\p{L}\p{N}]+/gu;

/** Plurals in -s and -es, and that is enough: both sides go through the same. */
function singular(word: string): string {
  if (word.length < 4 || word.endsWith("ss")) return word;
  return word.endsWith("ies") ? `${word.slice(0, -3)}y` : word.endsWith("s") ? word.slice(0, -1) : word;
}

/** "End with a line …, where X is the letter of the right option" calls for no work with letters. */
function withoutClosing(text: string): string {
  const lines = text.split("\n");
  const last = lines.findLastIndex((line) => line.trim() !== "");
  return last > 0 && isClosing(lines[last]!.trim()) ? lines.slice(0, last).join("\n") : text;
}

/** Of a long question what is asked stands at one of its ends. */
function endsOf(question: string): string {
  return question.length <= 2 * READ_CHARACTERS
    ? question
    : `${question.slice(0, READ_CHARACTERS)}\n${question.slice(-READ_CHARACTERS)}`;
}

function cuesOf(repertoire: Repertoire): Cues {
  const remembered = known.get(repertoire);
  if (remembered) return remembered;
  const byWord = new Map<string, { phrase: readonly string[]; work: number }[]>();
  const signs: { sign: string; work: number }[] = [];
  repertoire.works.forEach(({ cues }, work) => {
    for (const cue of cues) {
      const isWords = /^[\p{L}\p{N}\s'’-]+$/u.test(cue) && /\p{L}/u.test(cue);
      const phrase = isWords ? (cue.match(WORD)?.map(singular) ?? []) : [];
      const [first] = phrase;
      if (first === undefined) signs.push({ sign: cue, work });
      else byWord.set(first, [...(byWord.get(first) ?? []), { phrase, work }]);
    }
  });
  const cues = { byWord, signs };
  known.set(repertoire, cues);
  return cues;
}
