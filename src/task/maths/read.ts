// The text of an answer becomes a quantity: the frame is taken off ($, markdown, "either"), thousands
// separators and units are put aside, and what no parser reads is kept as text.

import { normaliseAnswer } from "../../answer/normalise.ts";
import { parseValue } from "./parse.ts";
import type { MathsValue, Quantity } from "./types.ts";
import { splitUnit } from "./units.ts";

/** Longer texts are no maths answers. */
const MAX_LENGTH = 2000;
const BASES = new Map(
  "two three four five six seven eight nine ten eleven twelve".split(" ").map((name, i) => [name, i + 2]),
);
const BASED =
  /^(-?)\(?([0-9A-Fa-f]+)\)?\s*(?:_\s*\{?\s*(?:\\text\s*\{)?\s*(\d{1,2}|[a-z]+)\s*\}{0,2}|\(?(?:in )?base[ -](\d{1,2}|[a-z]+)\)?)$/;
const MULTIPLIERS: Record<string, string> = { thousand: "3", million: "6", billion: "9", trillion: "12" };
const DASHES = /[−–‒]/g;

/** All ways to read the text, the likeliest first. None of them is a guess: 1,234 can be a list. */
export function readQuantities(source: string): Quantity[] {
  if (source.length > MAX_LENGTH) return [{ value: toText(source) }];
  // Patterns below skip spaces in several places: a long run of them would be tried in every way to share it out.
  const text = strip(source.replace(/\s{2,}/g, " "));
  if (text === "") return [];
  const based = readBased(text);
  if (based) return [{ value: based }];
  const merged = mergeThousands(text);
  const readings = merged === text ? [text] : [merged, text];
  const quantities = readings.flatMap(readOne);
  return quantities.length > 0 ? quantities : [{ value: toText(text) }];
}

function readOne(text: string): Quantity[] {
  if (/^all real numbers$/i.test(unwrap(text))) return readOne("\\mathbb{R}");
  if (isWords(text)) return [];
  const { rest, unit } = splitUnit(text);
  // "5 million" is a number; the words after it may still be a unit.
  const spelled = rest.replace(
    /(\d)\s*(?:\\text\s*\{)?\s*(thousand|million|billion|trillion)\b\s*\}?/g,
    (_, digit: string, word: string) => `${digit}*10^${MULTIPLIERS[word]}`,
  );
  const value = parseValue(spelled);
  // Degrees are a unit of 45° and a factor in sin 30°.
  const whole = unit === undefined || (value && unit !== "°") ? undefined : parseValue(text);
  return [
    ...(value ? [unit === undefined ? { value } : { value, unit }] : []),
    ...(whole ? [{ value: whole }] : []),
  ];
}

/** Takes off what never belongs to the answer itself. */
function strip(source: string): string {
  let text = source.replace(DASHES, "-").replace(/^[\s*_`]+|[\s*`]+$/g, "");
  text = text.replace(/(?<!\\)\\[()[\]]/g, " ");
  const dollars = text.match(/(?<!\\)\$/g)?.length ?? 0;
  // An odd one is money.
  if (dollars % 2 === 0) text = text.replace(/(?<!\\)\$/g, " ");
  text = text.replace(/\{,\}|,\s*\\!\s*(?=\d{3})/g, (comma) => (comma.startsWith("{") ? "," : "\\,"));
  text = text.replace(/(\d)(?:\\,|\\ |~)(?=\d{3}(?!\d))/g, "$1");
  text = text.trim().replace(/^(?:either|both)\s+/i, "");
  // "Area = 25" says 25: a word is a name. Three letters may be a product.
  text = text.replace(/^(?:\\text\s*\{[^{}]*\}|[A-Za-z]{4,}(?: [A-Za-z]+){0,5})\s*=\s*/, "");
  text = text.replace(/^(?:[fgh](?:\^\{?-1\}?|'{1,2})\s*\([a-z]\)|\\frac\{d[a-z]\}\{d[a-z]\})\s*=\s*/, "");
  return text.replace(/\s*(?:[;:]|(?<![.\\])\.)?\s*$/, "");
}

/** 1,234,567 is one number. Within brackets only where another comma shows by its space that it is the list's. */
function mergeThousands(text: string): string {
  const isBracketed = /[([{]/.test(text);
  if (isBracketed && !/,\s/.test(text) && !/^\\?\$?-?[\d,.]+\\?%?(?:\s*\\text\{[^}]*\})?$/.test(text))
    return text;
  return text.replace(/(?<![\d,.])\d{1,3}(?:,\d{3})+(?!\d|,\d)/g, (number) => number.replaceAll(",", ""));
}

function readBased(text: string): MathsValue | undefined {
  const found = BASED.exec(text);
  const name = found?.[3] ?? found?.[4];
  if (!found?.[2] || name === undefined) return undefined;
  const base = BASES.get(name) ?? Number(name);
  if (!(base >= 2 && base <= 36)) return undefined;
  const digits = found[2].toUpperCase().replace(/^0+(?=.)/, "");
  const isValid = [...digits].every((digit) => Number.parseInt(digit, 36) < base);
  return isValid ? { kind: "based", digits: `${found[1]}${digits}`, base } : undefined;
}

/** Plain words such as "yes" or "no solution" must not be taken for products of their letters. */
function isWords(text: string): boolean {
  const plain = unwrap(text);
  if (!/^\(?[A-Za-z][A-Za-z' -]*\)?$/.test(plain) || /^\(?(?:[A-Za-z]|pi|inf|infinity)\)?$/.test(plain))
    return false;
  // "p - q" is a difference, "x-axis" is a word.
  if (plain.includes("-") && !/[A-Za-z]{3}/.test(plain)) return false;
  const isProduct = /^[abcdkmnpqrstvwxyz]{2}$/i.test(plain) || /^[xyz]{3}$/.test(plain);
  return !isProduct && !/\\/.test(text.replace(/\\(?:text|textbf|mathrm|mbox)\b/g, ""));
}

function unwrap(text: string): string {
  return text
    .replace(/\\(?:text|textbf|textit|textrm|mathrm|mathbf|mbox|hbox|operatorname)\s*\{([^{}]*)\}/g, "$1")
    .trim();
}

/** Compared without the accidents of writing; spaces mean nothing in LaTeX, and are kept between words. */
function toText(text: string): MathsValue {
  const bare = unwrap(text).replace(/\\(?:left|right|,|;|!|:|displaystyle)(?![A-Za-z])/g, "");
  const isLatex = bare.includes("\\");
  const normal = normaliseAnswer(bare).replace(/^\(([\w ]+)\)$/, "$1");
  return { kind: "text", text: isLatex ? normal.replace(/\s+/g, "") : normal };
}
