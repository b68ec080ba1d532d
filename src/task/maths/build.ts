// Making expressions, in one place, so that a negative number is the number and not a product.

import { negate, toRational } from "./rational.ts";
import type { Expression } from "./types.ts";

export function whole(value: bigint): Expression {
  return { kind: "number", value: toRational(value) };
}

export function negated(value: Expression): Expression {
  if (value.kind === "number") return { kind: "number", value: negate(value.value) };
  return { kind: "multiply", left: whole(-1n), right: value };
}

export const INFINITY: Expression = { kind: "symbol", name: "infinity" };
