// What a maths answer is once it is read: expressions, and the things that are made of them.

import { negate, type Rational, toRational } from "./rational.ts";

export type Expression =
  | { kind: "number"; value: Rational }
  /** A variable, or a constant: "pi", "e", "i", "infinity". */
  | { kind: "symbol"; name: string }
  | { kind: "add" | "multiply" | "divide" | "power"; left: Expression; right: Expression }
  /** `sign` is −1 for ∓: all of them in one expression turn together. */
  | { kind: "plus-minus"; sign: 1 | -1; left: Expression; right: Expression }
  | { kind: "call"; name: string; inputs: Expression[] };

export type Relation = "=" | "<" | ">" | "≤" | "≥" | "≠" | "∈" | "≈";

export type MathsValue =
  | Expression
  /** Points and intervals: both bracket kinds count, and so does the order. */
  | { kind: "group"; open: "(" | "["; close: ")" | "]"; items: MathsValue[] }
  /** Braces, "5 or 7", "5, 7", ±. The order is free. `joint` says what stood between the items. */
  | { kind: "set"; items: MathsValue[]; joint: "," | "or" | "and" | "{" }
  | { kind: "union"; items: MathsValue[] }
  | { kind: "matrix"; rows: MathsValue[][]; isDeterminant: boolean }
  /** One more side than operators: 1 < x ≤ 2 has three. */
  | { kind: "relation"; operators: Relation[]; sides: MathsValue[] }
  /** 3:30 or 2:1. */
  | { kind: "ratio"; items: MathsValue[] }
  /** Digits in a stated base: 1011_2. */
  | { kind: "based"; digits: string; base: number }
  | { kind: "text"; text: string };

/** A value with what stands around it. */
export interface Quantity {
  value: MathsValue;
  /** In one canonical spelling: "cm^2", "dollar", "°". */
  unit?: string;
}

const EXPRESSIONS = new Set(["number", "symbol", "add", "multiply", "divide", "power", "plus-minus", "call"]);

export function isExpression(value: MathsValue): value is Expression {
  return EXPRESSIONS.has(value.kind);
}

/** The expressions that this one is made of. */
export function partsOf(tree: Expression): Expression[] {
  if (tree.kind === "number" || tree.kind === "symbol") return [];
  return tree.kind === "call" ? tree.inputs : [tree.left, tree.right];
}

/** Whether an expression has one value, without variables. */
export function isConstant(tree: Expression): boolean {
  if (tree.kind === "symbol") return tree.name === "pi" || tree.name === "e";
  return tree.kind !== "plus-minus" && partsOf(tree).every(isConstant);
}

// ---- Making expressions, in one place, so that a negative number is the number and not a product ----

export const INFINITY: Expression = { kind: "symbol", name: "infinity" };

export function whole(value: bigint): Expression {
  return { kind: "number", value: toRational(value) };
}

export function negated(value: Expression): Expression {
  if (value.kind === "number") return { kind: "number", value: negate(value.value) };
  return { kind: "multiply", left: whole(-1n), right: value };
}
