import { expect, test } from "vitest";
import { findWorks } from "./candidates.ts";
import { loadRepertoire, parseRepertoire } from "./repertoire.ts";

const repertoire = loadRepertoire();
const GENERAL = repertoire.works.filter(({ cues }) => cues.length === 0).map(({ id }) => id);
const idsOf = (question: string) => findWorks(question, repertoire).map(({ id }) => id);

test.each([
  ["Two dice are rolled. What is the probability that both show the same?", "chances"],
  ["Prove that there are infinitely many primes.", "proofs"],
  ["Implement a least-recently-used cache in Python.", "writing-code"],
  ["Why does this crash? TypeError: x is undefined", "debugging"],
  ["A ball of mass 2 kg falls; which force acts on it?", "physics"],
  ["How many moles of the acid react?", "reactions"],
  ["Which enzyme copies the DNA of a cell?", "living-things"],
  ["Is the contract valid under the law of sales?", "history-and-law"],
  ["What happens to demand when the tax rises?", "economics"],
  ["Summarise the following article.", "summarising"],
  ["Translate this into French.", "translating"],
  ["Extract all names of people as JSON.", "extracting"],
  ["Write a poem about rain.", "writing"],
  ["Which of the following is right? (A) tin (B) lead", "choosing"],
  ["Wie hoch ist die Wahrscheinlichkeit, dass beide Würfel gleich sind?", "chances"],
  ["Quelle est la capitale du Kenya ?", "capitals"],
  ["¿Cuál es el área de un círculo de radio 3?", "geometry"],
])("%s → %s", (question, id) => {
  expect(idsOf(question)).toContain(id);
});

test("how the answer is to be written calls for no work", () => {
  const question =
    "Which metal is liquid?\n(A) tin\n(B) mercury\n\nEnd with a line “Answer: X”, where X is the letter of the right option.";
  expect(idsOf(question)).not.toContain("letters");
});

test("the general works are always there, last", () => {
  expect(idsOf("Hm?")).toEqual(GENERAL);
  expect(idsOf("What is the area of a circle?").slice(-GENERAL.length)).toEqual(GENERAL);
});

test("most cues first; plurals and capitals count, parts of words do not", () => {
  const own = parseRepertoire(
    `instructions:
  - { id: a, role: solve, text: { en: "Solve: {work}." } }
works:
  - { id: one, cues: [tile], text: { en: "lay it" } }
  - { id: two, cues: [Terrace, border stone, "§"], text: { en: "go round it" } }
  - { id: any, text: { en: "do it" } }`,
    "own",
  );
  const ids = (question: string) => findWorks(question, own).map(({ id }) => id);
  expect(ids("How many TILES and border stones do two terraces need?")).toEqual(["two", "one", "any"]);
  expect(ids("reptiles")).toEqual(["any"]);
  expect(ids("see §4")).toEqual(["two", "any"]);
});
