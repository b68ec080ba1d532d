import { expect, test } from "vitest";
import { createTinyLanguage } from "../../testing/learn/tiny-language.ts";
import { readSayable } from "./sayable.ts";

const { repertoire } = createTinyLanguage();
const QUESTION = "Anna paid $12 and Ben paid $30 for the red tiles. What is the sum of the two prices?";

test("a question has its parts, the works that it speaks of, and its language; one that speaks of none has those for any", () => {
  const { parts, works, language } = readSayable(QUESTION, repertoire);
  expect(parts.length).toBeGreaterThan(0);
  for (const { text } of parts) expect(QUESTION).toContain(text.replace(/[“”]/g, ""));
  expect([...works].map(({ id }) => id)).toEqual(["sums"]);
  expect(language).toBe("en");
  expect(
    readSayable("Wer hat die Fliesen bezahlt, und wie viel haben sie gekostet?", repertoire),
  ).toMatchObject({
    works: new Set(repertoire.works.filter(({ id }) => id === "any")),
    language: "de",
  });
});

test("is read once for each repertoire, a long one anew each time", () => {
  expect(readSayable(QUESTION, repertoire)).toBe(readSayable(QUESTION, repertoire));
  const other = { ...repertoire, works: repertoire.works.slice(1) };
  expect([...readSayable(QUESTION, other).works].map(({ id }) => id)).toEqual(["any"]);
  expect([...readSayable(QUESTION, repertoire).works].map(({ id }) => id)).toEqual(["sums"]);
  const long = `${QUESTION} `.repeat(100);
  expect(readSayable(long, repertoire)).not.toBe(readSayable(long, repertoire));
  expect(readSayable(long, repertoire)).toEqual(readSayable(long, repertoire));
});
