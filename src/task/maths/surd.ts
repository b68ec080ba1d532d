// Exact numbers beyond fractions: sums of fractions times square roots, such as 1/2 + 3√2 − √−1. Their
// form is unique (radicands are free of squares), so equality is certain where floating point would
// guess. Whatever does not fit, or grows too large, is `undefined`: not decided here.

import { add, multiply, negate, ONE, type Rational, toRational, ZERO } from "./rational.ts";

/** Factor by radicand; 1 stands for the fraction itself, −1 for the imaginary unit. No zero factors. */
export type Surd = ReadonlyMap<bigint, Rational>;

const MAX_TERMS = 32;
const MAX_VALUE = 1n << 8192n;
/** Radicands are searched for squares with primes up to here; what is left is small enough to be sure. */
const TRIAL_LIMIT = 1000n;

export function fromRational(value: Rational): Surd {
  return value.numerator === 0n ? new Map() : new Map([[1n, value]]);
}

/** The fraction, where there are no roots. */
export function asRational(value: Surd): Rational | undefined {
  if (value.size === 0) return ZERO;
  return value.size === 1 ? value.get(1n) : undefined;
}

export function isSame(a: Surd, b: Surd): boolean {
  if (a.size !== b.size) return false;
  for (const [radicand, factor] of a) {
    const other = b.get(radicand);
    if (other?.numerator !== factor.numerator || other.denominator !== factor.denominator) return false;
  }
  return true;
}

export function addSurds(a: Surd, b: Surd): Surd | undefined {
  const sum = new Map(a);
  for (const [radicand, factor] of b) include(sum, radicand, factor);
  return bounded(sum);
}

export function multiplySurds(a: Surd, b: Surd): Surd | undefined {
  const product = new Map<bigint, Rational>();
  for (const [left, leftFactor] of a) {
    for (const [right, rightFactor] of b) {
      const root = splitSquare(left * right);
      if (!root) return undefined;
      // √−2 · √−3 is −√6, not √6.
      const sign = left < 0n && right < 0n ? -1n : 1n;
      const factor = multiply(multiply(leftFactor, rightFactor), toRational(sign * root.outside));
      include(product, root.inside, factor);
    }
  }
  return bounded(product);
}

/** 1/(a + b√p): multiplied by a − b√p above and below, one prime after the other. */
export function invertSurd(a: Surd): Surd | undefined {
  let below: Surd = a;
  let above: Surd = fromRational(ONE);
  for (let pass = 0; pass < 8; pass++) {
    const plain = asRational(below);
    if (plain) {
      if (plain.numerator === 0n) return undefined;
      return multiplySurds(above, fromRational(toRational(plain.denominator, plain.numerator)));
    }
    const radicand = [...below.keys()].find((key) => key !== 1n) as bigint;
    const prime = radicand < 0n ? -1n : smallestPrime(radicand);
    const hasPrime = (key: bigint) => (prime < 0n ? key < 0n : key % prime === 0n);
    const conjugate: Surd = new Map(
      [...below].map(([key, factor]) => [key, hasPrime(key) ? negate(factor) : factor]),
    );
    const nextBelow = multiplySurds(below, conjugate);
    const nextAbove = multiplySurds(above, conjugate);
    if (!nextBelow || !nextAbove) return undefined;
    [below, above] = [nextBelow, nextAbove];
  }
  return undefined;
}

export function raiseSurd(base: Surd, exponent: bigint): Surd | undefined {
  if (exponent < 0n) {
    const inverse = invertSurd(base);
    return inverse && raiseSurd(inverse, -exponent);
  }
  if (exponent > 8192n && !(base.size <= 1 && isUnit(base))) return undefined;
  let result: Surd | undefined = fromRational(ONE);
  let square: Surd | undefined = base;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = result && square && multiplySurds(result, square);
    if (!result) return undefined;
    if (rest > 1n) square = square && multiplySurds(square, square);
  }
  return result;
}

/** Of a fraction only: roots within roots are not decided here. */
export function rootOf(value: Surd): Surd | undefined {
  const plain = asRational(value);
  const root = plain && splitSquare(plain.numerator * plain.denominator);
  if (!root) return undefined;
  if (root.outside === 0n) return new Map();
  return new Map([[root.inside, toRational(root.outside, plain.denominator)]]);
}

/** The whole number whose `degree`-th power this is, if there is one. */
export function wholeRoot(value: bigint, degree: number): bigint | undefined {
  if (value < 0n) {
    const positive = degree % 2 === 1 ? wholeRoot(-value, degree) : undefined;
    return positive === undefined ? undefined : -positive;
  }
  // Newton's steps fall towards the root from above.
  let guess = 1n << BigInt(Math.ceil(value.toString(2).length / degree));
  const power = BigInt(degree);
  for (;;) {
    const next = ((power - 1n) * guess + value / guess ** (power - 1n)) / power;
    if (next >= guess) break;
    guess = next;
  }
  return guess ** power === value ? guess : undefined;
}

function include(sum: Map<bigint, Rational>, radicand: bigint, factor: Rational): void {
  const total = add(sum.get(radicand) ?? ZERO, factor);
  if (total.numerator === 0n) sum.delete(radicand);
  else sum.set(radicand, total);
}

function isUnit(value: Surd): boolean {
  const plain = asRational(value);
  return plain?.denominator === 1n && plain.numerator >= -1n && plain.numerator <= 1n;
}

function bounded(value: Surd): Surd | undefined {
  if (value.size > MAX_TERMS) return undefined;
  for (const { numerator, denominator } of value.values()) {
    if (numerator > MAX_VALUE || numerator < -MAX_VALUE || denominator > MAX_VALUE) return undefined;
  }
  return value;
}

/** value = outside² · inside, with no square left inside. */
function splitSquare(value: bigint): { outside: bigint; inside: bigint } | undefined {
  if (value === 0n) return { outside: 0n, inside: 1n };
  if (value > MAX_VALUE || value < -MAX_VALUE) return undefined;
  let rest = value < 0n ? -value : value;
  const whole = wholeRoot(rest, 2);
  if (whole !== undefined) return { outside: whole, inside: value < 0n ? -1n : 1n };
  let outside = 1n;
  let inside = value < 0n ? -1n : 1n;
  for (let prime = 2n; prime <= TRIAL_LIMIT && prime * prime <= rest; prime += prime === 2n ? 1n : 2n) {
    let count = 0;
    for (; rest % prime === 0n; rest /= prime) count++;
    outside *= prime ** BigInt(count >> 1);
    if (count % 2 === 1) inside *= prime;
  }
  const left = wholeRoot(rest, 2);
  if (left !== undefined) return { outside: outside * left, inside };
  // With no prime factor up to the limit, a rest under its cube has at most two: no square can hide.
  return rest < TRIAL_LIMIT ** 3n ? { outside, inside: inside * rest } : undefined;
}

function smallestPrime(value: bigint): bigint {
  for (let prime = 2n; prime * prime <= value; prime += prime === 2n ? 1n : 2n) {
    if (value % prime === 0n) return prime;
  }
  return value;
}
