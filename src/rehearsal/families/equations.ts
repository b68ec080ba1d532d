// Linear equations in one unknown, and systems of two. The solution may be a fraction where a person
// has changed the numbers; drawn ones come out whole.

import type { Worksheet } from "../types.ts";
import { defineFamily, defineForm } from "./family.ts";
import { INTEGER, SIGN } from "./templates.ts";
import { showNumber } from "./worksheet.ts";

const LETTERS = ["x", "y", "n", "t", "k"];

interface OneSided {
  letter: string;
  factor: number;
  constant: number;
  right: number;
}
interface TwoSided extends OneSided {
  rightFactor: number;
}
/** Two rows `a x + b y = c`. */
interface System {
  rows: [Row, Row];
  asked: "y" | "x + y";
}
type Row = { a: number; b: number; c: number };

const oneSided = defineForm<OneSided>({
  difficulties: [1],
  slots: { letter: "[a-z]", factor: INTEGER, sign: SIGN, constant: INTEGER, right: `-?${INTEGER}` },
  phrasings: [
    "Solve for {letter}: {factor}{letter}~{sign}~{constant}~=~{right}.",
    "If {factor}{letter}~{sign}~{constant}~=~{right}, what is {letter}?",
    "Find {letter} in the equation {factor}{letter}~{sign}~{constant}~=~{right}.",
  ],
  draw(random) {
    const factor = random.integer(2, 9);
    const constant = random.integer(1, 30) * random.pick([1, -1]);
    return {
      letter: random.pick(LETTERS),
      factor,
      constant,
      right: factor * random.integer(2, 12) + constant,
    };
  },
  write: ({ letter, factor, constant, right }) => ({
    letter,
    factor: `${factor}`,
    ...signed(constant),
    right: `${right}`,
  }),
  read: (values) => readSides(values),
  solve({ letter, factor, constant, right }, sheet) {
    const rest = moveConstant(sheet, right, constant);
    return divide(sheet, letter, rest, factor);
  },
});

const twoSided = defineForm<TwoSided>({
  difficulties: [2],
  slots: { ...signSlots(), letter: "[a-z]", rightFactor: INTEGER, right: INTEGER, rightSign: SIGN },
  phrasings: [
    "Solve for {letter}: {factor}{letter}~{sign}~{constant}~=~{rightFactor}{letter}~{rightSign}~{right}.",
    "If {factor}{letter}~{sign}~{constant}~=~{rightFactor}{letter}~{rightSign}~{right}, what is {letter}?",
    "Which number {letter} satisfies {factor}{letter}~{sign}~{constant}~=~{rightFactor}{letter}~{rightSign}~{right}?",
  ],
  draw(random) {
    const rightFactor = random.integer(2, 6);
    const factor = rightFactor + random.integer(2, 7);
    const constant = random.integer(1, 40) * random.pick([1, -1]);
    // A constant of 0 could not be written with its sign, so the solution moves by one.
    const solution = random.integer(2, 12);
    const right = (factor - rightFactor) * solution + constant;
    const shift = right === 0 ? factor - rightFactor : 0;
    return { letter: random.pick(LETTERS), factor, constant, rightFactor, right: right + shift };
  },
  write({ letter, factor, constant, rightFactor, right }) {
    const { sign: rightSign, constant: rightText } = signed(right);
    return {
      letter,
      factor: `${factor}`,
      ...signed(constant),
      rightFactor: `${rightFactor}`,
      rightSign,
      right: rightText,
    };
  },
  read(values) {
    const sides = readSides(values);
    const rightFactor = Number(values.rightFactor);
    if (!sides || sides.factor === rightFactor) return undefined;
    return { ...sides, rightFactor, right: unsigned(values.rightSign!, values.right!) };
  },
  solve({ letter, factor, constant, rightFactor, right }, sheet) {
    const left = sheet.number(
      "collect the terms with the unknown on one side",
      factor - rightFactor,
      (shown) => `${factor}${letter} − ${rightFactor}${letter} = ${shown}${letter}`,
    );
    const rest = moveConstant(sheet, right, constant);
    return divide(sheet, letter, rest, left);
  },
});

const system = defineForm<System>({
  difficulties: [3],
  slots: {
    a: INTEGER,
    s: SIGN,
    b: INTEGER,
    c: `-?${INTEGER}`,
    d: INTEGER,
    t: SIGN,
    e: INTEGER,
    f: `-?${INTEGER}`,
    asked: "x\\s*\\+\\s*y|y",
  },
  phrasings: [
    "Solve the system {a}x~{s}~{b}y~=~{c} and {d}x~{t}~{e}y~=~{f}. What is {asked}?",
    "Two numbers satisfy {a}x~{s}~{b}y~=~{c} and {d}x~{t}~{e}y~=~{f}. Find {asked}.",
    "If {a}x~{s}~{b}y~=~{c} and {d}x~{t}~{e}y~=~{f}, what is {asked}?",
  ],
  draw(random) {
    for (;;) {
      const [x, y] = [random.integer(2, 9), random.integer(2, 9)];
      const row = (): Row => {
        const [a, b] = [random.integer(2, 6), random.integer(2, 6) * random.pick([1, -1])];
        return { a, b, c: a * x + b * y };
      };
      const rows: [Row, Row] = [row(), row()];
      if (determinant(rows) !== 0) return { rows, asked: random.pick(["y", "x + y"] as const) };
    }
  },
  write({ rows: [first, second], asked }) {
    const { sign: s, constant: b } = signed(first.b);
    const { sign: t, constant: e } = signed(second.b);
    return { a: `${first.a}`, s, b, c: `${first.c}`, d: `${second.a}`, t, e, f: `${second.c}`, asked };
  },
  read({ a, s, b, c, d, t, e, f, asked }) {
    const rows: [Row, Row] = [
      { a: Number(a), b: unsigned(s!, b!), c: Number(c) },
      { a: Number(d), b: unsigned(t!, e!), c: Number(f) },
    ];
    const solvable = determinant(rows) !== 0 && rows[0].b !== 0;
    return solvable ? { rows, asked: asked!.toLowerCase() === "y" ? "y" : "x + y" } : undefined;
  },
  solve({ rows, asked }, sheet) {
    const [{ a, b, c }, { a: d, b: e, c: f }] = rows;
    const left = sheet.number(
      "eliminate the second unknown on the left side",
      determinant(rows),
      (shown) => `${a}·(${e}) − ${d}·(${b}) = ${shown}, so ${shown}x is left`,
    );
    const right = sheet.number(
      "eliminate the second unknown on the right side",
      c * e - f * b,
      (shown) => `${c}·(${e}) − (${f})·(${b}) = ${shown}`,
    );
    const under = left === 0 ? 1 : left;
    const show = (value: number) => toFraction(Math.round(value * under * b), under * b);
    const x = sheet.number(
      "divide to get the first unknown",
      right / under,
      (shown) => `x = ${right} ÷ ${left} = ${shown}`,
    );
    const rest = sheet.number(
      "put the first unknown back into the first equation",
      c - a * x,
      (shown) => `${b}y = ${c} − ${a}·${showNumber(x)} = ${shown}`,
    );
    const y = sheet.number(
      "divide to get the second unknown",
      rest / b,
      (shown) => `y = ${showNumber(rest)} ÷ ${b} = ${shown}`,
    );
    if (asked === "y") return show(y);
    return show(sheet.number("add the two unknowns", x + y, (shown) => `x + y = ${shown}`));
  },
});

export const equations = defineFamily({
  id: "equations",
  topic: "algebra",
  work: "solve the equations for the unknown",
  terms: ["equation", "equations", "algebra", "unknown", "unknowns", "linear", "eliminate"],
  forms: [system, twoSided, oneSided],
});

function moveConstant(sheet: Worksheet, right: number, constant: number): number {
  const line = constant < 0 ? `${right} + ${-constant}` : `${right} − ${constant}`;
  return sheet.number(
    "move the constant to the other side",
    right - constant,
    (shown) => `${line} = ${shown}`,
  );
}

function divide(sheet: Worksheet, letter: string, value: number, by: number): string {
  const divisor = by === 0 ? 1 : by;
  const right = toFraction(value, divisor);
  const others = [
    toFraction(value + divisor, divisor),
    toFraction(value - divisor, divisor),
    toFraction(-value, divisor),
  ];
  return sheet.choice(
    "divide by the factor of the unknown",
    right,
    others.filter((other) => other !== right),
    (shown) => `${letter} = ${value} ÷ ${by} = ${shown}`,
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

function determinant([first, second]: [Row, Row]): number {
  return first.a * second.b - second.a * first.b;
}

function signSlots(): Record<string, string> {
  return { factor: INTEGER, sign: SIGN, constant: INTEGER };
}

function signed(constant: number): { sign: string; constant: string } {
  return { sign: constant < 0 ? "−" : "+", constant: `${Math.abs(constant)}` };
}

function unsigned(sign: string, digits: string): number {
  return sign === "+" ? Number(digits) : -Number(digits) + 0;
}

function readSides({ letter, factor, sign, constant, right }: Record<string, string>): OneSided | undefined {
  if (Number(factor) === 0) return undefined;
  return {
    letter: letter!,
    factor: Number(factor),
    constant: unsigned(sign!, constant!),
    right: Number(right),
  };
}
