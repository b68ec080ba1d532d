// When an answer says what is expected, as texts. Units are put aside only where both sides have the
// same one, where none is expected, or where the question has named it already. The same goes for the
// percent sign, the base of a number, and "a + b =" before the value.

import { sameValue } from "./compare.ts";
import { readQuantities } from "./read.ts";
import { isExpression, type MathsValue, type Quantity } from "./types.ts";
import { namesUnit } from "./units.ts";

/** What the two have in common, for people: "equal as numbers". `undefined` where they differ. */
export function sameMaths(expected: string, said: string, question = ""): string | undefined {
  const wanted = readQuantities(expected);
  for (const candidate of toCandidates(expected, said, question)) {
    for (const quantity of readQuantities(candidate)) {
      const match = wanted.find((other) => sameQuantity(other, quantity, question));
      if (match) return describe(match.value);
    }
  }
  if (!/percent|%/i.test(question)) return undefined;
  const [bareExpected, bareSaid] = [withoutPercent(expected), withoutPercent(said)];
  // The question asks for percent: "10" and "10%" then say the same.
  if (bareExpected === expected && bareSaid === said) return undefined;
  return sameMaths(bareExpected, bareSaid);
}

/** "a + b = 5" says 5 where the question asks for a + b. */
function toCandidates(expected: string, said: string, question: string): string[] {
  const at = said.indexOf("=");
  if (at < 0 || expected.includes("=")) return [said];
  const asked = squeeze(said.slice(0, at));
  return asked.length > 1 && squeeze(question).includes(asked)
    ? [said, said.slice(at + 1).replace(/\$\s*$/, "")]
    : [said];
}

function squeeze(text: string): string {
  return text.replace(/\\(?:left|right|,|;|!)|[\s$]|\\[()[\]]/g, "");
}

function withoutPercent(text: string): string {
  return text.replace(/\s*(?:\\?%|percent)/g, "");
}

function sameQuantity(expected: Quantity, said: Quantity, question: string): boolean {
  const { unit } = expected;
  const isUnitForgiven = said.unit === undefined && unit !== undefined && namesUnit(question, unit);
  if (unit !== undefined && unit !== said.unit && !isUnitForgiven) return false;
  if (sameValue(expected.value, said.value)) return true;
  if (expected.value.kind === "symbol" && said.value.kind === "symbol") {
    return expected.value.name.toLowerCase() === said.value.name.toLowerCase();
  }
  return sameDigits(expected.value, said, question);
}

/** 1011_2 where 1011 is expected, and the other way round where the question names a base. */
function sameDigits(expected: MathsValue, said: Quantity, question: string): boolean {
  const isAsked = expected.kind === "based" && /\bbase\b|binary|octal|hexadecimal/i.test(question);
  if (isAsked) return wholeDigits(said.value) === expected.digits;
  return said.value.kind === "based" && wholeDigits(expected) === said.value.digits;
}

function wholeDigits(value: MathsValue): string | undefined {
  return value.kind === "number" && value.value.denominator === 1n
    ? String(value.value.numerator)
    : undefined;
}

function describe(value: MathsValue): string {
  if (value.kind === "number" || value.kind === "divide") return "equal as numbers";
  if (isExpression(value)) return "equal as expressions";
  if (value.kind === "set") return "equal as sets";
  if (value.kind === "relation") return "equal as relations";
  return value.kind === "text" ? "the same text" : "equal part by part";
}
