// The value of an expression in complex floating point, for what exact arithmetic does not reach:
// logarithms, angles, roots of roots. Sums keep track of how large their parts were, because what is
// left after two large numbers cancel is noise.

import { type Rational, toNumber } from "./rational.ts";
import type { Expression } from "./types.ts";

export interface Complex {
  re: number;
  im: number;
}

export interface ApproximatePoint {
  valueOf(name: string): Rational;
  leftReals: boolean;
  /** The largest part of any sum so far. */
  scale: number;
}

const CONSTANTS: ReadonlyMap<string, Complex> = new Map([
  ["pi", { re: Math.PI, im: 0 }],
  ["e", { re: Math.E, im: 0 }],
  ["i", { re: 0, im: 1 }],
]);

/** `undefined` for functions that are not known. Values that do not exist are NaN. */
export function evaluateApproximate(expression: Expression, point: ApproximatePoint): Complex | undefined {
  switch (expression.kind) {
    case "number":
      return real(toNumber(expression.value));
    case "symbol":
      return CONSTANTS.get(expression.name) ?? real(toNumber(point.valueOf(expression.name)));
    case "plus-minus":
      return undefined;
    case "call": {
      const inputs = expression.inputs.map((input) => evaluateApproximate(input, point));
      return inputs.includes(undefined) ? undefined : call(expression.name, inputs as Complex[], point);
    }
    default: {
      const left = evaluateApproximate(expression.left, point);
      const right = left && evaluateApproximate(expression.right, point);
      if (!right) return undefined;
      if (expression.kind === "multiply") return times(left, right);
      if (expression.kind === "divide") return over(left, right);
      if (expression.kind === "power") return power(left, right, point);
      point.scale = Math.max(point.scale, size(left), size(right));
      return { re: left.re + right.re, im: left.im + right.im };
    }
  }
}

export function size({ re, im }: Complex): number {
  return Math.hypot(re, im);
}

function real(re: number): Complex {
  return { re, im: 0 };
}

function times(a: Complex, b: Complex): Complex {
  if (a.im === 0 && b.im === 0) return real(a.re * b.re);
  return { re: a.re * b.re - a.im * b.im, im: a.re * b.im + a.im * b.re };
}

function over(a: Complex, b: Complex): Complex {
  if (a.im === 0 && b.im === 0) return real(a.re / b.re);
  const square = b.re * b.re + b.im * b.im;
  const product = times(a, { re: b.re, im: -b.im });
  return { re: product.re / square, im: product.im / square };
}

function logarithm(value: Complex, point: ApproximatePoint): Complex {
  if (value.im === 0 && value.re > 0) return real(Math.log(value.re));
  point.leftReals = true;
  return { re: Math.log(size(value)), im: Math.atan2(value.im, value.re) };
}

function exponential({ re, im }: Complex): Complex {
  return im === 0 ? real(Math.exp(re)) : { re: Math.exp(re) * Math.cos(im), im: Math.exp(re) * Math.sin(im) };
}

function power(base: Complex, exponent: Complex, point: ApproximatePoint): Complex {
  const isWhole = exponent.im === 0 && Number.isInteger(exponent.re);
  if (base.im === 0 && exponent.im === 0 && (base.re >= 0 || isWhole)) return real(base.re ** exponent.re);
  if (isWhole && Math.abs(exponent.re) <= 64) {
    let product = real(1);
    for (let i = 0; i < Math.abs(exponent.re); i++) product = times(product, base);
    return exponent.re < 0 ? over(real(1), product) : product;
  }
  if (base.im === 0 && base.re < 0 && exponent.im === 0) {
    point.leftReals = true;
    // Exactly on the axis for square roots, where the logarithm would leave a trace of noise.
    if (exponent.re === 0.5) return { re: 0, im: Math.sqrt(-base.re) };
  }
  return exponential(times(exponent, logarithm(base, point)));
}

const REAL_FUNCTIONS: Record<string, (x: number) => number> = {
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  cot: (x) => 1 / Math.tan(x),
  sec: (x) => 1 / Math.cos(x),
  csc: (x) => 1 / Math.sin(x),
  arcsin: Math.asin,
  arccos: Math.acos,
  arctan: Math.atan,
  sinh: Math.sinh,
  cosh: Math.cosh,
  tanh: Math.tanh,
  floor: Math.floor,
  ceil: Math.ceil,
  factorial: (x) => (Number.isInteger(x) && x >= 0 && x <= 170 ? factorial(x) : Number.NaN),
};

function call(name: string, inputs: Complex[], point: ApproximatePoint): Complex | undefined {
  const [first, second] = inputs;
  if (!first) return undefined;
  if (name === "abs") return real(size(first));
  if (name === "exp") return exponential(first);
  if (name === "ln") return logarithm(first, point);
  // Without a base "log" is the decimal one.
  if (name === "log") return over(logarithm(first, point), logarithm(second ?? real(10), point));
  const compute = Object.hasOwn(REAL_FUNCTIONS, name) ? REAL_FUNCTIONS[name] : undefined;
  if (!compute || first.im !== 0) return undefined;
  if (/^(?:sin|cos|tan|cot|sec|csc)$/.test(name)) point.scale = Math.max(point.scale, 1, Math.abs(first.re));
  return real(compute(first.re));
}

function factorial(n: number): number {
  let product = 1;
  for (let i = 2; i <= n; i++) product *= i;
  return product;
}
