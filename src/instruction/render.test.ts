import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findParts } from "./question-parts.ts";
import { renderSaying } from "./render.ts";
import { loadRepertoire } from "./repertoire.ts";
import { type Instruction, LANGUAGES, type QuestionPart, type Wording } from "./types.ts";

const { instructions, works, forms } = loadRepertoire();
const PARTS = [
  "How many tiles does the border of the terrace need?",
  "What did the U.S. pay for Alaska, and who signed for St. Petersburg?",
  'Take the word "garden" and reverse it. What do you get?',
  "Convert 50 km/h to metres per second.",
  "Which is right? (A) 24 km (B) 30 km (C) none of them",
  "Wie viele Fliesen braucht man für den Rand der Terrasse?",
  "Quelle est la capitale du « Royaume-Uni » ?",
].flatMap(findParts);

function part(text: string): QuestionPart {
  return { text, kind: "noun", isAsked: true, at: 0, words: 1 };
}

function instruction(text: Wording): Instruction {
  return { id: "x", role: "solve", needs: "nothing", text, slots: ["part"] };
}

describe("the shipped repertoire", () => {
  test("every instruction is fluent in every language with every filling", () => {
    for (const one of instructions)
      for (const language of LANGUAGES)
        for (let i = 0; i < works.length; i++)
          for (const filled of PARTS) {
            const work = works[i]!;
            const form = forms[i % forms.length]!;
            const text = renderSaying({ instruction: one, work, part: filled, form }, language);
            expectFluent(text, `${one.id} ${language} ${work.id} ${form.id} ${filled.text}`);
          }
  });

  test("and with every form, and with nothing chosen", () => {
    for (const one of instructions)
      for (const language of LANGUAGES) {
        for (const form of forms) expectFluent(renderSaying({ instruction: one, form }, language), one.id);
        expectFluent(renderSaying({ instruction: one }, language), one.id);
      }
  });
});

function expectFluent(text: string, about: string): void {
  const wrong =
    /[{}\n\t]| {2}|\.\.|[,;:]{2}|[?!]\.|[.,;:][,;:]|\s\.|“\s?“|„\s?„|„\s?“|«\s?«|«\s?“|undefined/.exec(
      text,
    )?.[0];
  expect(wrong, `${about}: ${text}`).toBeUndefined();
  expect(text, about).toMatch(/^\p{Lu}/u);
  expect(text, about).toMatch(/[.?][”“»]?$/u);
}

test("a phrase that ends as the sentence does is not ended twice", () => {
  expect(
    renderSaying(
      { instruction: instruction({ en: "Solve {part}." }), part: part("the debt of the U.S.") },
      "en",
    ),
  ).toBe("Solve the debt of the U.S.");
});

test("a quoted phrase has one pair of quotation marks, those of the language", () => {
  const one = instruction({ en: "Answer: {part}.", de: "Gefragt ist: „{part}“." });
  expect(renderSaying({ instruction: one, part: part("“Who came third?”") }, "en")).toBe(
    "Answer: “Who came third?”",
  );
  expect(renderSaying({ instruction: one, part: part("“Wer wurde Dritter?”") }, "de")).toBe(
    "Gefragt ist: „Wer wurde Dritter?“",
  );
});

test("where a language is missing, everything is English", () => {
  const one = { ...instruction({ en: "solve it: {work}" }), slots: ["work"] as const };
  const text = renderSaying({ instruction: one, work: works[0]! }, "de");
  expect(text).toBe(`Solve it: ${works[0]!.text.en}.`);
});

test("whatever fills a slot, the result is one line that begins with a capital and ends", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 120 }),
      fc.constantFrom(...LANGUAGES),
      (text, language) => {
        const rendered = renderSaying(
          { instruction: instruction({ en: "see {part}: then" }), part: part(text) },
          language,
        );
        expect(rendered).not.toMatch(/[\n\r\t\u2028]| {2}/);
        expect(rendered).toMatch(/^S/);
        expect(rendered).toMatch(/[.?!…][”“»"]?$/);
      },
    ),
    { numRuns: 300, seed: 19 },
  );
});
