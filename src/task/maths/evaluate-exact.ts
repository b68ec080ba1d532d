// The value of an expression without rounding, at a point where every variable is a fraction. π, e and
// ∞ get a seeded fraction as well: no fraction or root makes them equal to anything else, so what holds
// for any such value holds for them. Functions other than roots are left to floating point.

import { ONE, type Rational, toRational } from "./rational.ts";
import {
  addSurds,
  asRational,
  fromRational,
  invertSurd,
  multiplySurds,
  raiseSurd,
  rootOf,
  type Surd,
  wholeRoot,
} from "./surd.ts";
import { type Expression, partsOf } from "./types.ts";

export interface ExactPoint {
  valueOf(name: string): Rational;
  /** Set when a root of a negative number was taken: rules for roots need not hold at such a point. */
  leftReals: boolean;
}

const IMAGINARY: Surd = new Map([[-1n, ONE]]);

/** `undefined` where the value is not a fraction with square roots, does not exist, or is too large. */
export function evaluateExact(expression: Expression, point: ExactPoint): Surd | undefined {
  switch (expression.kind) {
    case "number":
      return fromRational(expression.value);
    case "symbol":
      return expression.name === "i" ? IMAGINARY : fromRational(point.valueOf(expression.name));
    case "call":
      return evaluateCall(expression.name, expression.inputs, point);
    case "plus-minus":
      return undefined;
    default: {
      const left = evaluateExact(expression.left, point);
      const right = left && evaluateExact(expression.right, point);
      if (!right) return undefined;
      if (expression.kind === "add") return addSurds(left, right);
      if (expression.kind === "multiply") return multiplySurds(left, right);
      if (expression.kind === "power") return raise(left, right, point, hasVariable(expression.right));
      const inverse = invertSurd(right);
      return inverse && multiplySurds(left, inverse);
    }
  }
}

/** An exponent with variables or constants in it is no matter for exact numbers: e^x is no power of a fraction. */
function raise(base: Surd, exponent: Surd, point: ExactPoint, isSymbolic: boolean): Surd | undefined {
  const plain = isSymbolic ? undefined : asRational(exponent);
  if (!plain || plain.denominator > 64n) return undefined;
  const root = plain.denominator === 1n ? base : takeRoot(base, Number(plain.denominator), point);
  return root && raiseSurd(root, plain.numerator);
}

function takeRoot(base: Surd, degree: number, point: ExactPoint): Surd | undefined {
  const plain = asRational(base);
  if (!plain || plain.numerator < 0n) point.leftReals = true;
  if (degree === 2) return rootOf(base);
  // Of a negative number other roots are complex by one convention and negative by another.
  if (!plain || plain.numerator < 0n) return undefined;
  const [above, below] = [wholeRoot(plain.numerator, degree), wholeRoot(plain.denominator, degree)];
  return above === undefined || below === undefined ? undefined : fromRational(toRational(above, below));
}

function evaluateCall(name: string, inputs: Expression[], point: ExactPoint): Surd | undefined {
  if (name !== "factorial" && name !== "binom" && name !== "abs") return undefined;
  const values: Rational[] = [];
  for (const input of inputs) {
    const value = evaluateExact(input, point);
    const plain = value && asRational(value);
    // Whether a constant such as π is above or below another number is not known here.
    if (!plain || hasVariable(input)) return undefined;
    values.push(plain);
  }
  const [first, second] = values;
  if (!first) return undefined;
  if (name === "abs") {
    const { numerator, denominator } = first;
    return fromRational(toRational(numerator < 0n ? -numerator : numerator, denominator));
  }
  const n = first.numerator;
  const k = name === "binom" ? second?.numerator : n;
  const isCountable = [first, second ?? ONE].every((value) => value.denominator === 1n);
  if (!isCountable || k === undefined || n < 0n || k < 0n || n > 600n) return undefined;
  if (k > n) return fromRational(toRational(0n));
  return fromRational(toRational(name === "binom" ? falling(n, k) / falling(k, k) : falling(n, n)));
}

/** n · (n − 1) · … with `count` factors. */
function falling(n: bigint, count: bigint): bigint {
  let product = 1n;
  for (let i = 0n; i < count; i++) product *= n - i;
  return product;
}

function hasVariable(expression: Expression): boolean {
  return expression.kind === "symbol" || partsOf(expression).some(hasVariable);
}
