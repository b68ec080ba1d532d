// The innermost rules of the parser: numbers, names, brackets, matrices.

import type { TokenCursor } from "./cursor.ts";
import { readFunction } from "./parse-function.ts";
import { readMixed } from "./parse-number.ts";
import { INFINITY, type MathsValue, negated } from "./types.ts";

export function readPrimary(cursor: TokenCursor): MathsValue {
  const { token } = cursor;
  cursor.at++;
  switch (token?.type) {
    case "number":
      return { kind: "number", value: readMixed(cursor, token.value) };
    case "symbol":
      return readSymbol(cursor, token.name);
    case "function":
      return cursor.nested(() => readFunction(cursor, token.name, readPrimary));
    case "begin":
      return cursor.nested(() => readMatrix(cursor, token.environment));
    case "mark":
      return cursor.nested(() => readBrackets(cursor, token.mark));
    default:
      return cursor.fail();
  }
}

function readSymbol(cursor: TokenCursor, name: string): MathsValue {
  const full = cursor.take("_") ? `${name}_${readSubscript(cursor)}` : name;
  if (full === "reals") return { kind: "group", open: "(", close: ")", items: [negated(INFINITY), INFINITY] };
  if (full === "empty") return { kind: "set", items: [], joint: "{" };
  if (/^[fgh]$/.test(full) && cursor.mark === "(" && !cursor.token?.spaced) {
    cursor.at++;
    const inner = cursor.nested(() => cursor.readList(false));
    cursor.expect(")");
    const inputs = inner.kind === "set" ? inner.items : [inner];
    return { kind: "call", name: full, inputs: inputs.map((input) => cursor.toExpression(input)) };
  }
  return { kind: "symbol", name: full };
}

function readSubscript(cursor: TokenCursor): string {
  const parts: string[] = [];
  const isBraced = cursor.take("{");
  do {
    const { token } = cursor;
    cursor.at++;
    if (token?.type === "number") parts.push(token.digits);
    else if (token?.type === "symbol") parts.push(token.name);
    else if (token?.type === "word") parts.push(token.text);
    else if (token?.type === "mark" && /^[-+,]$/.test(token.mark)) parts.push(token.mark);
    else cursor.fail();
  } while (isBraced && !cursor.take("}"));
  return parts.join("");
}

function readMatrix(cursor: TokenCursor, environment: string): MathsValue {
  if (!/^(?:[pbvBV]?matrix|smallmatrix|array)$/.test(environment)) return cursor.fail();
  const rows: MathsValue[][] = [[]];
  for (;;) {
    rows.at(-1)?.push(cursor.readList(false));
    if (cursor.take("&")) continue;
    // A line break after the last row opens no new one.
    if (!cursor.take("\\\\") || cursor.token?.type === "end") break;
    rows.push([]);
  }
  const end = cursor.token;
  cursor.at++;
  if (end?.type !== "end" || end.environment !== environment) return cursor.fail();
  return { kind: "matrix", rows, isDeterminant: environment === "vmatrix" };
}

function readBrackets(cursor: TokenCursor, open: string): MathsValue {
  if (open === "|") return { kind: "call", name: "abs", inputs: [cursor.readClosed("|")] };
  if (open === "⌊") return { kind: "call", name: "floor", inputs: [cursor.readClosed("⌋")] };
  if (open === "⌈") return { kind: "call", name: "ceil", inputs: [cursor.readClosed("⌉")] };
  if (open === "\\{") {
    if (cursor.take("\\}")) return { kind: "set", items: [], joint: "{" };
    const set = cursor.readList(true);
    cursor.expect("\\}");
    return set;
  }
  if (open === "{") {
    if (cursor.take("}")) return { kind: "set", items: [], joint: "{" };
    const inner = cursor.readList(false);
    cursor.expect("}");
    // Bare braces group in LaTeX; with commas between they are a set in plain writing.
    return inner.kind === "set" && inner.joint === "," ? { ...inner, joint: "{" } : inner;
  }
  return open === "(" || open === "[" ? readGroup(cursor, open) : cursor.fail();
}

function readGroup(cursor: TokenCursor, open: "(" | "["): MathsValue {
  const inner = cursor.readList(false);
  const close = cursor.take(")") ? ")" : cursor.take("]") ? "]" : cursor.fail();
  const isList = inner.kind === "set" && inner.joint === ",";
  if (!isList && open === "(" && close === ")") return inner;
  const items = isList ? inner.items : [inner];
  const isSquare = open === "[" && close === "]";
  return (isSquare ? toMatrix(items) : undefined) ?? { kind: "group", open, close, items };
}

/** [[1, 2], [3, 4]] is a matrix. */
function toMatrix(items: MathsValue[]): MathsValue | undefined {
  const rows: MathsValue[][] = [];
  for (const item of items) {
    if (item.kind !== "group" || item.open !== "[" || item.close !== "]") return undefined;
    if (item.items.length !== (rows[0] ?? item.items).length) return undefined;
    rows.push(item.items);
  }
  return { kind: "matrix", rows, isDeterminant: false };
}
