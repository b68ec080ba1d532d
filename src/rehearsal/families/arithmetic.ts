// Arithmetic chains: an expression worked out operation by operation, products before sums and
// parentheses first. One operation is easy; five with parentheses are not.

import type { Random } from "../../base/random.ts";
import { defineFamily, defineForm } from "../templates/family.ts";
import type { Slot } from "../templates/slots.ts";
import { showNumber } from "../templates/worksheet.ts";
import type { Difficulty, Worksheet } from "../types.ts";

const OPERATE: Record<string, (a: number, b: number) => number> = {
  "+": (a, b) => a + b,
  "−": (a, b) => a - b,
  "×": (a, b) => a * b,
  "÷": (a, b) => a / b,
};
const WORK: Record<string, string> = {
  "+": "add the two numbers",
  "−": "subtract the second number from the first",
  "×": "multiply the two factors",
  "÷": "divide the first number by the second",
};

/** Canonical: numbers, `+ − × ÷` with spaces around them, parentheses without. */
const EXPRESSION: Slot<string> = {
  pattern: "-?[\\d(][-\\d\\s+−*×x/÷().,]{1,160}[\\d)]",
  read(text) {
    const tokens = tokenise(text);
    if (!tokens.some((token) => token in WORK)) return undefined;
    return tokens
      .map((token) => (token in WORK ? ` ${token} ` : token))
      .join("")
      .trim();
  },
  write: (expression) => expression,
  draw: drawExpression,
};

export const arithmetic = defineFamily({
  id: "arithmetic",
  topic: "arithmetic",
  work: "work out the arithmetic expression in the right order of operations",
  terms: "arithmetic, expression, order of operations, precedence, parentheses, multiplication, addition",
  forms: [
    defineForm({
      slots: { expression: EXPRESSION },
      phrasings: [
        "What is {expression}?",
        "Calculate {expression}.",
        "Evaluate the expression {expression}.",
        "Work out the value of {expression}.",
        "How much is {expression}?",
      ],
      difficultyOf: ({ expression }) => {
        const operations = tokenise(expression).filter((token) => token in WORK).length;
        return operations === 1 ? 1 : operations <= 3 ? 2 : 3;
      },
      solve({ expression }, sheet) {
        const value = evaluate(tokenise(expression), sheet);
        return value === undefined || !Number.isFinite(value) ? undefined : value;
      },
    }),
  ],
});

function drawExpression(random: Random, difficulty: Difficulty): string {
  const small = () => random.integer(2, 12);
  const large = () => random.integer(11, 99);
  const plus = () => random.pick(["+", "−"]);
  if (difficulty === 1) {
    return random.next() < 0.5 ? `${large()} ${plus()} ${large()}` : `${small()} × ${small()}`;
  }
  if (difficulty === 2) return `${large()} ${plus()} ${small()} × ${small()} ${plus()} ${large()}`;
  const shapes = [
    () =>
      `${small()} × (${large()} ${plus()} ${small()}) ${plus()} ${small()} × ${small()} ${plus()} ${large()}`,
    () => `(${large()} ${plus()} ${small()} × ${small()}) × ${small()} ${plus()} ${large()} × ${small()}`,
    () =>
      `${large()} ${plus()} ${small()} × ${small()} × ${small()} ${plus()} (${large()} ${plus()} ${large()})`,
  ];
  return random.pick(shapes)();
}

/** Empty for a text that is not made of numbers and operators. */
function tokenise(text: string): string[] {
  const plain = text
    .replace(/[-−]/g, "−")
    .replace(/[*x×]/gi, "×")
    .replace(/[/÷]/g, "÷")
    .replace(/(?<=\d),(?=\d{3}(?!\d))/g, "");
  const tokens = plain.match(/\d+(?:\.\d+)?|[-+−×÷()]/g) ?? [];
  return tokens.join("") === plain.replace(/\s/g, "") ? tokens : [];
}

/** Recursive descent over the tokens; every operation is a stage. Undefined where they are no expression. */
function evaluate(tokens: string[], sheet: Worksheet): number | undefined {
  let at = 0;
  let broken = false;

  function operate(left: number, operator: string, right: number): number {
    const value = OPERATE[operator]!(left, right);
    // What does not come out at six digits would have to be written as a fraction: not a question of ours.
    if (!Number.isFinite(value) || Math.abs(value) > 1e12) broken = true;
    if (operator === "÷" && Math.abs(Number(showNumber(value)) - value) > 1e-12) broken = true;
    const line = `${showNumber(left)} ${operator} ${showNumber(right)} = #`;
    return sheet.number(WORK[operator]!, value, line);
  }
  function chain(operators: string, operand: () => number): number {
    let value = operand();
    while (at < tokens.length && operators.includes(tokens[at]!))
      value = operate(value, tokens[at++]!, operand());
    return value;
  }
  function single(): number {
    const token = tokens[at++];
    if (token === "(") {
      const value = sum();
      if (tokens[at++] !== ")") broken = true;
      return value;
    }
    if (token === "−") return -single();
    if (token === undefined || !/^\d/.test(token)) broken = true;
    return Number(token);
  }
  const product = () => chain("×÷", single);
  const sum = (): number => chain("+−", product);

  const value = sum();
  return broken || at !== tokens.length ? undefined : value;
}
