// Checks a stated result where the question itself is arithmetic: "What is 12 * (7 + 5)?" is worked out, and a solution of
// "Solve 3x + 4 = 19" is put back into the equation. Exact fractions, no rounding. In doubt it says nothing: a question in
// words, an answer that cannot be read, an equation that may have other solutions too.

import { extractAnswer } from "../../answer/extract.ts";
import { evaluateExact } from "../maths/evaluate-exact.ts";
import { parseValue } from "../maths/parse.ts";
import { type Rational, ZERO } from "../maths/rational.ts";
import { sameMaths } from "../maths/same-maths.ts";
import { asRational } from "../maths/surd.ts";
import {
  type Expression,
  isConstant,
  isExpression,
  type MathsValue,
  negated,
  partsOf,
} from "../maths/types.ts";
import type { Verification } from "./types.ts";

export const NOTHING_TO_CHECK = "the question has no arithmetic that could be checked";
/** A longer line is prose. */
const LONGEST_LINE = 300;

export function checkArithmetic(question: string, reply: string): Verification {
  const asked = findArithmetic(question);
  if (!asked) return unknown(NOTHING_TO_CHECK);
  const answer = extractAnswer(reply.slice(-100_000)).trim();
  if (answer === "" || answer.length > LONGEST_LINE)
    return unknown("the reply states no result that can be read");
  return asked.kind === "value" ? checkValue(asked.text, answer) : checkSolution(asked, answer);
}

function unknown(why: string): Verification {
  return { holds: undefined, why };
}

// ---- What is asked ---------------------------------------------------------------------------------------

type Arithmetic =
  | { kind: "value"; text: string }
  | { kind: "equation"; text: string; difference: Expression; unknown: string };

const VALUE = /^(?:what is|calculate|compute|evaluate|work out|find the value of)[: ]+(.+?)[?.]?$/i;
const EQUATION = /^solve(?: the equation)?(?: for [a-z])?[: ]+(.+?)(?:[,;]? for [a-z])?[?.]?$/i;

/** Only where one line of the question says it and no other line does. */
function findArithmetic(question: string): Arithmetic | undefined {
  const found = question
    .slice(0, 20_000)
    .split("\n")
    .flatMap((raw) => {
      const line = raw.trim();
      return line.length > LONGEST_LINE ? [] : (readLine(line) ?? []);
    });
  return found.length === 1 ? found[0] : undefined;
}

function readLine(line: string): Arithmetic | undefined {
  const value = VALUE.exec(line)?.[1];
  if (value !== undefined) {
    const tree = parseQuietly(value);
    // A lone number is no sum: "What is 42?" asks for something else.
    const isSum = tree && isExpression(tree) && isConstant(tree) && partsOf(tree).length > 0;
    return isSum ? { kind: "value", text: value } : undefined;
  }
  const equation = EQUATION.exec(line)?.[1];
  const tree = equation === undefined ? undefined : parseQuietly(equation);
  if (tree?.kind !== "relation" || tree.operators.length !== 1 || tree.operators[0] !== "=") return undefined;
  const [left, right] = tree.sides;
  if (!left || !right || !isExpression(left) || !isExpression(right)) return undefined;
  const difference: Expression = { kind: "add", left, right: negated(right) };
  const names = [...new Set(symbolsOf(difference))];
  return names.length === 1 && /^[a-z]$/.test(names[0]!)
    ? { kind: "equation", text: equation!, difference, unknown: names[0]! }
    : undefined;
}

function parseQuietly(text: string): MathsValue | undefined {
  try {
    return parseValue(text.replace(/^\$+|\$+$/g, ""));
  } catch {
    return undefined;
  }
}

function symbolsOf(tree: Expression): string[] {
  return tree.kind === "symbol" ? [tree.name] : partsOf(tree).flatMap(symbolsOf);
}

// ---- Whether it holds -------------------------------------------------------------------------------------

function checkValue(expected: string, answer: string): Verification {
  if (sameMaths(expected, answer) !== undefined) return { holds: true, why: `${expected} is ${answer}` };
  const value = rationalOf(answer);
  return value
    ? { holds: false, why: `${expected} is not ${answer}` }
    : unknown(`"${answer.slice(0, 60)}" cannot be read as a number`);
}

function checkSolution(
  { text, difference, unknown: name }: Extract<Arithmetic, { kind: "equation" }>,
  answer: string,
): Verification {
  const value = rationalOf(answer, name);
  if (!value) return unknown(`"${answer.slice(0, 60)}" cannot be read as one solution`);
  const result = evaluateExact(difference, { valueOf: () => value, leftReals: false });
  const rest = result && asRational(result);
  if (!rest) return unknown(`${text} could not be worked out at ${answer}`);
  if (rest.numerator !== ZERO.numerator) return { holds: false, why: `${answer} does not satisfy ${text}` };
  return degreeOf(difference) === 1
    ? { holds: true, why: `${answer} satisfies ${text}, which has one solution` }
    : unknown(`${answer} satisfies ${text}, which may have other solutions`);
}

/** A number, or "x = number". */
function rationalOf(answer: string, name?: string): Rational | undefined {
  let value = parseQuietly(answer.replace(/[.*`]+$/, "").replace(/^[*`]+/, ""));
  if (value?.kind === "relation" && value.operators.length === 1 && value.operators[0] === "=") {
    const [left, right] = value.sides;
    if (name === undefined || (left?.kind === "symbol" && left.name === name)) value = right;
  }
  if (!value || !isExpression(value) || !isConstant(value) || symbolsOf(value).length > 0) return undefined;
  const exact = evaluateExact(value, { valueOf: () => ZERO, leftReals: false });
  return exact && asRational(exact);
}

/** Of a polynomial; NaN for what is none. */
function degreeOf(tree: Expression): number {
  switch (tree.kind) {
    case "number":
      return 0;
    case "symbol":
      return 1;
    case "add":
      return Math.max(degreeOf(tree.left), degreeOf(tree.right));
    case "multiply":
      return degreeOf(tree.left) + degreeOf(tree.right);
    case "divide":
      return symbolsOf(tree.right).length === 0 ? degreeOf(tree.left) : Number.NaN;
    default:
      return symbolsOf(tree).length === 0 ? 0 : Number.NaN;
  }
}
