// Functions with their arguments: \frac, \sqrt[3]{…}, sin² x, log_2 8.

import type { TokenCursor } from "./cursor.ts";
import { readFirstDigit } from "./parse-number.ts";
import { type Expression, type MathsValue, negated, whole } from "./types.ts";

type ReadPrimary = (cursor: TokenCursor) => MathsValue;

export function readFunction(cursor: TokenCursor, name: string, readPrimary: ReadPrimary): Expression {
  const readOne = () => cursor.toExpression(readPrimary(cursor));
  if (name === "frac") {
    return { kind: "divide", left: readArgument(cursor, readOne), right: readArgument(cursor, readOne) };
  }
  if (name === "binom") {
    return { kind: "call", name, inputs: [readArgument(cursor, readOne), readArgument(cursor, readOne)] };
  }
  if (name === "sqrt") return readRoot(cursor, readOne);
  const readScript = () => (cursor.take("{") ? cursor.readClosed("}") : readOne());
  const base = name === "log" && cursor.take("_") ? readScript() : undefined;
  let exponent: Expression | undefined;
  if (cursor.take("^")) exponent = cursor.take("-") ? negated(readScript()) : readScript();
  const input = readInput(cursor, readOne);
  // sin⁻¹ is the inverse function, sin² the square of the value.
  if (exponent && isMinusOne(exponent) && /^(?:sin|cos|tan)$/.test(name)) {
    return { kind: "call", name: `arc${name}`, inputs: [input] };
  }
  const call: Expression = { kind: "call", name, inputs: base ? [input, base] : [input] };
  return exponent ? { kind: "power", left: call, right: exponent } : call;
}

function readArgument(cursor: TokenCursor, readOne: () => Expression): Expression {
  if (cursor.take("{")) return cursor.readClosed("}");
  const { token } = cursor;
  return token?.type === "number" ? { kind: "number", value: readFirstDigit(cursor, token) } : readOne();
}

/** sin(x) or sin 2x: without brackets the input goes on until the next operator, bracket or function. */
function readInput(cursor: TokenCursor, readOne: () => Expression): Expression {
  if (["(", "{", "|"].includes(cursor.mark)) return readOne();
  let input = cursor.toExpression(cursor.readFactor());
  while (cursor.token?.type === "symbol") {
    input = { kind: "multiply", left: input, right: cursor.toExpression(cursor.readFactor()) };
  }
  return input;
}

function readRoot(cursor: TokenCursor, readOne: () => Expression): Expression {
  const degree = cursor.take("[") ? cursor.readClosed("]") : whole(2n);
  // "\sqrt10" is read as people mean it, with the whole number under the root.
  const inner = cursor.take("{") ? cursor.readClosed("}") : readOne();
  return { kind: "power", left: inner, right: { kind: "divide", left: whole(1n), right: degree } };
}

function isMinusOne(value: Expression): boolean {
  return value.kind === "number" && value.value.numerator === -1n && value.value.denominator === 1n;
}
