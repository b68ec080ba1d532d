// Letters of a word, changed step by step: easy for one change, error-prone for four.

import { defineFamily, defineForm } from "../templates/family.ts";
import { listOf, oneOf, word } from "../templates/slots.ts";
import type { Difficulty } from "../types.ts";

const WORDS = [
  ..."garden window planet orchestra bridge lantern marble thunder pocket velvet".split(" "),
  ..."harvest compass feather mountain pencil captain meadow dolphin kitchen sunrise".split(" "),
];

/** How each change is told, and what it does. A word keeps at least one letter. */
const CHANGES = new Map<string, (word: string) => string>([
  ["reverse it", (word) => [...word].reverse().join("")],
  ["remove its vowels", (word) => word.replace(/[aeiou]/g, "") || word],
  ["remove its first letter", (word) => (word.length > 1 ? word.slice(1) : word)],
  ["remove its last letter", (word) => (word.length > 1 ? word.slice(0, -1) : word)],
  ["move its first letter to the end", (word) => word.slice(1) + word.charAt(0)],
  ["move its last letter to the front", (word) => word.slice(-1) + word.slice(0, -1)],
  ["sort its letters alphabetically", (word) => [...word].sort().join("")],
  ["double its first letter", (word) => word.charAt(0) + word],
  ["double its last letter", (word) => word + word.slice(-1)],
]);
const COUNT: Record<Difficulty, [number, number]> = { 1: [1, 1], 2: [2, 3], 3: [4, 5] };

export const strings = defineFamily({
  id: "strings",
  topic: "language",
  work: "change the letters of the word step by step",
  terms: "letter, letters, string, strings, vowels, spelling, alphabetically, reverse",
  forms: [
    defineForm({
      slots: {
        word: { ...word(WORDS, "[a-z]{2,24}"), read: (text: string) => text.toLowerCase() },
        changes: listOf(oneOf([...CHANGES.keys()]), [1, 10], ", then ", ",? (?:and )?then "),
      },
      phrasings: [
        'Take the word "{word}" and {changes}. What do you get?',
        'Start with "{word}": {changes}. Which letters are left in the end?',
        'What becomes of the word "{word}" if you {changes}?',
      ],
      draw(random, difficulty) {
        const drawn = random.pick(WORDS);
        const count = random.integer(...COUNT[difficulty]);
        return { word: drawn, changes: random.shuffle([...CHANGES.keys()]).slice(0, count) };
      },
      difficultyOf: ({ changes }) => (changes.length <= 1 ? 1 : changes.length <= 3 ? 2 : 3),
      solve({ word, changes }, sheet) {
        let current = word;
        for (const change of changes) {
          current = sheet.text(change, CHANGES.get(change)!(current), `${current} → #`);
        }
        return current;
      },
    }),
  ],
});
