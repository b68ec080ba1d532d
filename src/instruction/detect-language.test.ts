import { expect, test } from "vitest";
import { detectLanguage } from "./detect-language.ts";
import type { LanguageCode } from "./types.ts";

const CASES: [LanguageCode, string][] = [
  ["en", "How many tiles does the border of the terrace need?"],
  ["en", "What is 3 + 4?"],
  ["en", "Translate this letter into German, please."],
  ["en", "Which is the capital of Kenya?"],
  ["de", "Wie viele Fliesen braucht man für den Rand der Terrasse?"],
  ["de", "Was ist die Hauptstadt von Kenia?"],
  ["de", "Fasse den folgenden Text in drei Sätzen zusammen und nenne die wichtigsten Zahlen."],
  ["fr", "Combien de carreaux faut-il pour la bordure de la terrasse ?"],
  ["fr", "Quelle est la capitale du Kenya ?"],
  ["fr", "Explique pourquoi le ciel est bleu."],
  ["es", "¿Cuál es la capital de Kenia?"],
  ["es", "¿Cuántos azulejos se necesitan para el borde de la terraza?"],
  ["es", "Explica por qué el cielo es azul y da un ejemplo."],
  // Unsure, or of a language that has no sentences here.
  ["en", ""],
  ["en", "2 + 2"],
  ["en", "首都はどこですか"],
  ["en", "let x = 3; console.log(x);"],
];

test.each(CASES)("%s: %s", (language, text) => {
  expect(detectLanguage(text)).toBe(language);
});

test("reads only the ends of a long text", () => {
  const long = `Wie viele Wörter hat das? ${"lorem ".repeat(400_000)}`;
  const start = performance.now();
  expect(detectLanguage(long)).toBe("de");
  expect(performance.now() - start).toBeLessThan(500);
});
