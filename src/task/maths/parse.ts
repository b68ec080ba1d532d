// A small parser for maths answers, by recursive descent and without eval: lists, relations and
// arithmetic. What it cannot read it refuses as a whole; half-understood answers would make two
// different ones equal.

import { TokenCursor, Unreadable } from "./cursor.ts";
import { readPrimary } from "./parse-primary.ts";
import { tokenise } from "./tokens.ts";
import { type Expression, type MathsValue, negated, type Relation, whole } from "./types.ts";

const RELATIONS = new Set(["=", "<", ">", "≤", "≥", "≠", "∈", "≈"]);
const JOINTS = new Set([",", ";", "or", "and"]);
const HALF_TURN: Expression = { kind: "divide", left: { kind: "symbol", name: "pi" }, right: whole(180n) };

/** The value, or `undefined` where the text is no maths that we know. */
export function parseValue(text: string): MathsValue | undefined {
  const tokens = tokenise(text);
  if (!tokens || tokens.length === 0) return undefined;
  const cursor: TokenCursor = new TokenCursor(
    tokens,
    (isInBraces) => readList(cursor, isInBraces),
    () => readSigned(cursor, readPower),
  );
  try {
    const value = readList(cursor, false);
    return cursor.token ? undefined : value;
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

function readList(cursor: TokenCursor, isInBraces: boolean): MathsValue {
  const items = [readRelation(cursor)];
  let joint: "," | "or" | "and" = ",";
  while (JOINTS.has(cursor.mark)) {
    // "1, 2, or 3": the word after the comma says what the comma means.
    for (let marks = 0; marks < 2 && JOINTS.has(cursor.mark); marks++) {
      if (cursor.mark === "or" || cursor.mark === "and") joint = cursor.mark;
      cursor.at++;
    }
    items.push(readRelation(cursor));
  }
  if (isInBraces) return { kind: "set", items, joint: "{" };
  return items.length === 1 ? (items[0] as MathsValue) : { kind: "set", items, joint };
}

function readRelation(cursor: TokenCursor): MathsValue {
  const sides = [readUnion(cursor)];
  const operators: Relation[] = [];
  while (RELATIONS.has(cursor.mark)) {
    operators.push(cursor.mark as Relation);
    cursor.at++;
    sides.push(readUnion(cursor));
  }
  return operators.length === 0 ? (sides[0] as MathsValue) : { kind: "relation", operators, sides };
}

function readUnion(cursor: TokenCursor): MathsValue {
  const items = [readRatio(cursor)];
  while (cursor.take("∪")) items.push(readRatio(cursor));
  return items.length === 1 ? (items[0] as MathsValue) : { kind: "union", items };
}

function readRatio(cursor: TokenCursor): MathsValue {
  const items = [readSum(cursor)];
  while (cursor.take(":")) items.push(readSum(cursor));
  return items.length === 1 ? (items[0] as MathsValue) : { kind: "ratio", items };
}

function readSum(cursor: TokenCursor): MathsValue {
  let sum = readSigned(cursor, readProduct);
  for (;;) {
    const { mark } = cursor;
    if (mark !== "+" && mark !== "-" && mark !== "±" && mark !== "∓") return sum;
    cursor.at++;
    const left = cursor.toExpression(sum);
    const right = cursor.toExpression(readSigned(cursor, readProduct));
    if (mark === "+") sum = { kind: "add", left, right };
    else if (mark === "-") sum = { kind: "add", left, right: negated(right) };
    else sum = { kind: "plus-minus", sign: mark === "±" ? 1 : -1, left, right };
  }
}

function readSigned(cursor: TokenCursor, read: (cursor: TokenCursor) => MathsValue): MathsValue {
  const { mark } = cursor;
  if (mark !== "+" && mark !== "-" && mark !== "±" && mark !== "∓") return read(cursor);
  cursor.at++;
  const right = cursor.nested(() => cursor.toExpression(readSigned(cursor, read)));
  if (mark === "+") return right;
  return mark === "-"
    ? negated(right)
    : { kind: "plus-minus", sign: mark === "±" ? 1 : -1, left: whole(0n), right };
}

function readProduct(cursor: TokenCursor): MathsValue {
  let product = readPower(cursor);
  for (;;) {
    const { mark } = cursor;
    if (mark === "*" || mark === "/") {
      cursor.at++;
      const right = cursor.toExpression(readSigned(cursor, readPower));
      product = { kind: mark === "*" ? "multiply" : "divide", left: cursor.toExpression(product), right };
    } else if (startsFactor(cursor)) {
      const right = cursor.toExpression(readPower(cursor));
      product = { kind: "multiply", left: cursor.toExpression(product), right };
    } else return product;
  }
}

/** Two numbers side by side are no product: "3 4" is not 12. */
function startsFactor({ token }: TokenCursor): boolean {
  if (token?.type === "mark") return ["(", "{", "⌊", "⌈"].includes(token.mark);
  return token?.type === "symbol" || token?.type === "function";
}

function readPower(cursor: TokenCursor): MathsValue {
  const base = readPostfix(cursor);
  if (!cursor.take("^")) return base;
  const right = cursor.nested(() => cursor.toExpression(readSigned(cursor, readPower)));
  return { kind: "power", left: cursor.toExpression(base), right };
}

function readPostfix(cursor: TokenCursor): MathsValue {
  let value = readPrimary(cursor);
  for (;;) {
    if (cursor.take("!")) value = { kind: "call", name: "factorial", inputs: [cursor.toExpression(value)] };
    else if (cursor.take("%"))
      value = { kind: "divide", left: cursor.toExpression(value), right: whole(100n) };
    else if (cursor.take("°")) {
      value = { kind: "multiply", left: cursor.toExpression(value), right: HALF_TURN };
    } else return value;
  }
}
