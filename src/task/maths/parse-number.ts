// Numbers of several tokens: 3 1/2, 3\frac{1}{2}, and the arguments of \frac12 that are single digits.

import type { TokenCursor } from "./cursor.ts";
import { add, type Rational, toRational } from "./rational.ts";
import type { Token } from "./tokens.ts";

/** Mixed numbers are sums, not products; only plain whole numbers make one. The first is already read. */
export function readMixed(cursor: TokenCursor, value: Rational): Rational {
  const { tokens, at } = cursor;
  if (!isWhole(tokens[at - 1]) || isOperand(tokens[at - 2])) return value;
  const [first, second, third] = [tokens[at], tokens[at + 1], tokens[at + 2]];
  if (isWhole(first) && first.spaced && isMark(second, "/") && isWhole(third)) {
    cursor.at += 3;
    return third.value.numerator === 0n ? cursor.fail() : mixed(value, first.value, third.value);
  }
  if (first?.type !== "function" || first.name !== "frac") return value;
  cursor.at++;
  const above = readPlainArgument(cursor);
  const below = above && readPlainArgument(cursor);
  if (above && below && below.numerator !== 0n) return mixed(value, above, below);
  cursor.at = at;
  return value;
}

/** \frac12 is one half: without braces each argument is one digit. */
export function readFirstDigit(cursor: TokenCursor, token: Token & { type: "number" }): Rational {
  const { digits } = token;
  if (digits.length <= 1 || !/^\d+$/.test(digits)) {
    cursor.at++;
    return token.value;
  }
  const rest = digits.slice(1);
  cursor.tokens[cursor.at] = { ...token, digits: rest, value: toRational(BigInt(rest)) };
  return toRational(BigInt(digits.charAt(0)));
}

/** A number in braces or one digit; other arguments are left alone. */
function readPlainArgument(cursor: TokenCursor): Rational | undefined {
  const { tokens, at, token } = cursor;
  if (token?.type === "number") return token.digits.length <= 2 ? readFirstDigit(cursor, token) : undefined;
  const inner = tokens[at + 1];
  if (!isMark(token, "{") || inner?.type !== "number" || !isMark(tokens[at + 2], "}")) return undefined;
  cursor.at += 3;
  return inner.value;
}

function mixed(value: Rational, above: Rational, below: Rational): Rational {
  const fraction = toRational(above.numerator * below.denominator, above.denominator * below.numerator);
  return add(value, fraction);
}

function isWhole(token: Token | undefined): token is Token & { type: "number" } {
  return token?.type === "number" && /^\d+$/.test(token.digits);
}

function isMark(token: Token | undefined, mark: string): boolean {
  return token?.type === "mark" && token.mark === mark;
}

/** After x, ) or / a whole number does not begin a mixed one. */
function isOperand(token: Token | undefined): boolean {
  return token?.type === "mark"
    ? /^[)\]}!°%/^]$/.test(token.mark)
    : token !== undefined && token.type !== "begin";
}
