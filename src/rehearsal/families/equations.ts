// Linear equations in one unknown, and systems of two. The solution may be a fraction where a person
// has changed the numbers; drawn ones come out whole.

import { defineFamily, defineForm } from "../templates/family.ts";
import { integer, type Slot, word } from "../templates/slots.ts";
import { showNumber } from "../templates/worksheet.ts";
import type { Worksheet } from "../types.ts";

const LETTER = word(["x", "y", "n", "t", "k"], "[a-z]");
/** The right side of an equation, which may be negative. */
const RESULT: Slot<number> = { pattern: "-?\\d{1,9}", read: Number, write: String };
/** A term with its sign before it, which is never left out: "+ 5", "− 3". */
const SIGNED: Slot<number> = {
  pattern: "[-+−]\\s*\\d{1,9}",
  // Adding 0 turns −0 into 0.
  read: (text) => (text.startsWith("+") ? 1 : -1) * Number(text.replace(/\D/g, "")) + 0,
  write: (value) => `${value < 0 ? "−" : "+"} ${Math.abs(value)}`,
};

const oneSided = defineForm({
  difficulties: [1],
  slots: { letter: LETTER, factor: integer(), constant: SIGNED, right: RESULT },
  phrasings: [
    "Solve for {letter}: {factor}{letter}~{constant}~=~{right}.",
    "If {factor}{letter}~{constant}~=~{right}, what is {letter}?",
    "Find {letter} in the equation {factor}{letter}~{constant}~=~{right}.",
  ],
  draw(random) {
    const factor = random.integer(2, 9);
    const constant = random.integer(1, 30) * random.pick([1, -1]);
    const letter = LETTER.draw!(random, 1);
    return { letter, factor, constant, right: factor * random.integer(2, 12) + constant };
  },
  accepts: ({ factor }) => factor !== 0,
  solve: ({ letter, factor, constant, right }, sheet) =>
    divide(sheet, letter, moveConstant(sheet, right, constant), factor),
});

const twoSided = defineForm({
  difficulties: [2],
  slots: { letter: LETTER, factor: integer(), constant: SIGNED, rightFactor: integer(), right: SIGNED },
  phrasings: [
    "Solve for {letter}: {factor}{letter}~{constant}~=~{rightFactor}{letter}~{right}.",
    "If {factor}{letter}~{constant}~=~{rightFactor}{letter}~{right}, what is {letter}?",
    "Which number {letter} satisfies {factor}{letter}~{constant}~=~{rightFactor}{letter}~{right}?",
  ],
  draw(random) {
    const rightFactor = random.integer(2, 6);
    const factor = rightFactor + random.integer(2, 7);
    const constant = random.integer(1, 40) * random.pick([1, -1]);
    const right = (factor - rightFactor) * random.integer(2, 12) + constant;
    // A constant of 0 could not be written with its sign, so the solution moves by one.
    const shift = right === 0 ? factor - rightFactor : 0;
    return { letter: LETTER.draw!(random, 2), factor, constant, rightFactor, right: right + shift };
  },
  accepts: ({ factor, rightFactor }) => factor !== 0 && factor !== rightFactor,
  solve({ letter, factor, constant, rightFactor, right }, sheet) {
    const left = sheet.number(
      "collect the terms with the unknown on one side",
      factor - rightFactor,
      `${factor}${letter} − ${rightFactor}${letter} = #${letter}`,
    );
    return divide(sheet, letter, moveConstant(sheet, right, constant), left);
  },
});

/** Two rows: a x + b y = c and d x + e y = f. */
const system = defineForm({
  difficulties: [3],
  slots: {
    ...{ a: integer(), b: SIGNED, c: RESULT, d: integer(), e: SIGNED, f: RESULT },
    asked: {
      ...word(["y", "x + y"], "x\\s*\\+\\s*y|y"),
      read: (text: string) => (text.toLowerCase() === "y" ? "y" : "x + y"),
    },
  },
  phrasings: [
    "Solve the system {a}x~{b}y~=~{c} and {d}x~{e}y~=~{f}. What is {asked}?",
    "Two numbers satisfy {a}x~{b}y~=~{c} and {d}x~{e}y~=~{f}. Find {asked}.",
    "If {a}x~{b}y~=~{c} and {d}x~{e}y~=~{f}, what is {asked}?",
  ],
  draw(random) {
    for (;;) {
      const [x, y] = [random.integer(2, 9), random.integer(2, 9)];
      const [a, b] = [random.integer(2, 6), random.integer(2, 6) * random.pick([1, -1])];
      const [d, e] = [random.integer(2, 6), random.integer(2, 6) * random.pick([1, -1])];
      if (a * e - d * b === 0) continue;
      return { a, b, c: a * x + b * y, d, e, f: d * x + e * y, asked: random.pick(["y", "x + y"]) };
    }
  },
  accepts: ({ a, b, d, e }) => a * e - d * b !== 0 && b !== 0,
  solve({ a, b, c, d, e, f, asked }, sheet) {
    const left = sheet.number(
      "eliminate the second unknown on the left side",
      a * e - d * b,
      `${a}·(${e}) − ${d}·(${b}) = #, so #x is left`,
    );
    const right = sheet.number(
      "eliminate the second unknown on the right side",
      c * e - f * b,
      `${c}·(${e}) − (${f})·(${b}) = #`,
    );
    const under = left === 0 ? 1 : left;
    const show = (value: number) => toFraction(Math.round(value * under * b), under * b);
    const x = sheet.number("divide to get the first unknown", right / under, `x = ${right} ÷ ${left} = #`);
    const rest = sheet.number(
      "put the first unknown back into the first equation",
      c - a * x,
      `${b}y = ${c} − ${a}·${showNumber(x)} = #`,
    );
    const y = sheet.number(
      "divide to get the second unknown",
      rest / b,
      `y = ${showNumber(rest)} ÷ ${b} = #`,
    );
    return show(asked === "y" ? y : sheet.number("add the two unknowns", x + y, "x + y = #"));
  },
});

export const equations = defineFamily({
  id: "equations",
  topic: "algebra",
  work: "solve the equations for the unknown",
  terms: "equation, equations, algebra, unknown, unknowns, linear, eliminate",
  forms: [system, twoSided, oneSided],
});

function moveConstant(sheet: Worksheet, right: number, constant: number): number {
  const line = `${right} ${constant < 0 ? `+ ${-constant}` : `− ${constant}`} = #`;
  return sheet.number("move the constant to the other side", right - constant, line);
}

function divide(sheet: Worksheet, letter: string, value: number, by: number): string {
  const divisor = by === 0 ? 1 : by;
  const [right, ...others] = [value, value + divisor, value - divisor, -value].map((top) =>
    toFraction(top, divisor),
  );
  return sheet.choice(
    "divide by the factor of the unknown",
    right!,
    others.filter((other) => other !== right),
    `${letter} = ${value} ÷ ${by} = #`,
  );
}

/** In lowest terms, without a denominator of 1. */
function toFraction(numerator: number, denominator: number): string {
  let [a, b] = [Math.abs(numerator), Math.abs(denominator)];
  while (b > 0) [a, b] = [b, a % b];
  const sign = numerator < 0 !== denominator < 0 && numerator !== 0 ? "-" : "";
  const [top, bottom] = [Math.abs(numerator) / a, Math.abs(denominator) / a];
  return bottom === 1 ? `${sign}${top}` : `${sign}${top}/${bottom}`;
}
