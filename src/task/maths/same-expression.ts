// When two expressions are equal: at several seeded points they have the same value. Exact arithmetic
// decides wherever it reaches; for polynomials, fractions and square roots it always does, and two
// different ones agreeing at every point by accident is less likely than one in a million.

import { hashSeed } from "../../base/random.ts";
import { type ApproximatePoint, evaluateApproximate, size } from "./evaluate-approximate.ts";
import { type ExactPoint, evaluateExact } from "./evaluate-exact.ts";
import { type Rational, toRational } from "./rational.ts";
import { isSame, type Surd } from "./surd.ts";
import { type Expression, partsOf } from "./types.ts";

/** Positive ones first; variables are negative in the last ones. */
const POSITIVE_POINTS = 4;
const POINTS = 6;
/** Relative: two numbers that agree in ten digits. */
const TOLERANCE = 1e-10;
/** What cancelling leaves of the parts of a sum. */
const NOISE = 1e-13;
const PRIMES = [
  2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97,
];

export function sameExpression(a: Expression, b: Expression): boolean {
  if (a === b || print(a) === print(b)) return true;
  let isDecided = false;
  for (let round = 0; round < POINTS; round++) {
    const verdict = compareAt(a, b, round);
    if (verdict === "different") return false;
    if (verdict === "same") isDecided = true;
  }
  return isDecided;
}

/** The values of both expressions stand in one ratio that is not 0 at all points: the same equation. */
export function isMultiple(a: Expression, b: Expression): boolean {
  const point = toPoint(0);
  const [first, second] = [evaluateExact(a, point), evaluateExact(b, point)];
  const [top, bottom] = [first?.get(1n), second?.get(1n)];
  if (first?.size !== 1 || second?.size !== 1 || !top || !bottom) return sameExpression(a, b);
  const scaled = (value: Expression, { numerator, denominator }: Rational): Expression => ({
    kind: "multiply",
    left: { kind: "number", value: toRational(denominator, numerator) },
    right: value,
  });
  return sameExpression(scaled(a, top), scaled(b, bottom));
}

/** The value of an expression without variables, where it is a real number. */
export function toReal(expression: Expression): number | undefined {
  const value = evaluateApproximate(expression, toPoint(0));
  return value && value.im === 0 && Number.isFinite(value.re) ? value.re : undefined;
}

function compareAt(a: Expression, b: Expression, round: number): "same" | "different" | "unknown" {
  const point = toPoint(round);
  const isNegative = round >= POSITIVE_POINTS;
  const exact = bothExact(a, b, point);
  // √x·√y = √(xy) and ln x² = 2 ln x hold for positive numbers, which is all that is meant.
  if (isNegative && point.leftReals) return "unknown";
  if (exact) return isSame(...exact) ? "same" : "different";
  const [left, right] = [evaluateApproximate(a, point), evaluateApproximate(b, point)];
  if (!left || !right || (isNegative && point.leftReals)) return "unknown";
  const [leftSize, rightSize] = [size(left), size(right)];
  const isOneMissing = Number.isFinite(leftSize) !== Number.isFinite(rightSize);
  if (!Number.isFinite(leftSize) || !Number.isFinite(rightSize)) {
    return isOneMissing && !isNegative ? "different" : "unknown";
  }
  const difference = size({ re: left.re - right.re, im: left.im - right.im });
  const allowed = Math.max(TOLERANCE * Math.max(leftSize, rightSize), NOISE * point.scale);
  return difference <= allowed ? "same" : "different";
}

function bothExact(a: Expression, b: Expression, point: ExactPoint): [Surd, Surd] | undefined {
  const left = evaluateExact(a, point);
  const right = left && evaluateExact(b, point);
  return right && [left, right];
}

/** A variable has the same value at the same point, whatever expression it stands in. */
function toPoint(round: number): ExactPoint & ApproximatePoint {
  const sign = round >= POSITIVE_POINTS ? -1n : 1n;
  const pick = (name: string, salt: string) =>
    BigInt(PRIMES[hashSeed(name, salt, round) % PRIMES.length] as number);
  return {
    leftReals: false,
    scale: 0,
    valueOf: (name) => {
      const isConstant = name === "infinity" || name === "pi" || name === "e";
      const value = toRational(pick(name, "above") + (isConstant ? 1000n : 0n), pick(name, "below"));
      return sign < 0n && !isConstant ? { ...value, numerator: -value.numerator } : value;
    },
  };
}

/** One text for one tree: what no arithmetic decides is equal only where it is written the same. */
function print(expression: Expression): string {
  if (expression.kind === "number") return `${expression.value.numerator}/${expression.value.denominator}`;
  if (expression.kind === "symbol") return expression.name;
  const head = expression.kind === "call" ? expression.name : expression.kind;
  const sign = expression.kind === "plus-minus" ? expression.sign : "";
  return `${head}${sign}(${partsOf(expression).map(print).join(",")})`;
}
