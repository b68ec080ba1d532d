// Exact fractions of whole numbers of any size. The denominator is positive and the fraction reduced,
// so two equal numbers have equal parts.

export interface Rational {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

export const ZERO: Rational = { numerator: 0n, denominator: 1n };
export const ONE: Rational = { numerator: 1n, denominator: 1n };

/** The denominator must not be 0. */
export function toRational(numerator: bigint, denominator = 1n): Rational {
  const divisor = greatestCommonDivisor(numerator, denominator) * (denominator < 0n ? -1n : 1n);
  return { numerator: numerator / divisor, denominator: denominator / divisor };
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  let [left, right] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (right !== 0n) [left, right] = [right, left % right];
  return left;
}

/** "12", "0.75", ".5", "1.5e-3". Exponents over 400 are refused: they are no answer, and cost time. */
export function parseDecimal(text: string): Rational | undefined {
  const parts = /^(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/.exec(text);
  const [whole = "", fraction = "", exponent = "0"] = parts?.slice(1) ?? [];
  if (whole + fraction === "" || Math.abs(Number(exponent)) > 400) return undefined;
  const shift = Number(exponent) - fraction.length;
  const digits = BigInt(whole + fraction);
  return shift >= 0 ? toRational(digits * 10n ** BigInt(shift)) : toRational(digits, 10n ** BigInt(-shift));
}

/** 0.1(6): "0", "1", "6" is 1/6. */
export function parseRepeating(whole: string, fixed: string, repeated: string): Rational {
  const nines = 10n ** BigInt(repeated.length) - 1n;
  const scale = 10n ** BigInt(fixed.length);
  const digits = BigInt(`0${whole}${fixed}`) * nines + BigInt(repeated);
  return toRational(digits, scale * nines);
}

export function add(a: Rational, b: Rational): Rational {
  const numerator = a.numerator * b.denominator + b.numerator * a.denominator;
  return toRational(numerator, a.denominator * b.denominator);
}

export function multiply(a: Rational, b: Rational): Rational {
  return toRational(a.numerator * b.numerator, a.denominator * b.denominator);
}

export function negate(a: Rational): Rational {
  return { numerator: -a.numerator, denominator: a.denominator };
}

/** Rounded to a floating-point number, also where both parts are too large for one. */
export function toNumber({ numerator, denominator }: Rational): number {
  const direct = Number(numerator) / Number(denominator);
  if (Number.isFinite(direct) && direct !== 0) return direct;
  if (numerator === 0n) return 0;
  const size = (value: bigint) => value.toString(2).length;
  const shift = BigInt(Math.max(0, Math.min(size(numerator), size(denominator)) - 128));
  return Number(numerator >> shift) / Number(denominator >> shift);
}
