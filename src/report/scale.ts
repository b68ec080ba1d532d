// From values to places in a drawing, and round numbers for the axes.

export type Range = readonly [number, number];

export interface Scale {
  (value: number): number;
  domain: Range;
  /** Where both ends of the domain are drawn. */
  range: Range;
}

export function linearScale(domain: Range, range: Range): Scale {
  const [[low, high], [from, to]] = [domain, range];
  const scale = (value: number) => from + ((value - low) / (high - low || 1)) * (to - from);
  return Object.assign(scale, { domain, range });
}

/** Equal factors are equally far apart. Both ends must be above 0. */
export function logScale(domain: Range, range: Range): Scale {
  const linear = linearScale([Math.log(domain[0]), Math.log(domain[1])], range);
  return Object.assign((value: number) => linear(Math.log(value)), { domain, range });
}

/** Round numbers, about so many units of the drawing apart. */
export function ticksOf(
  { domain: [low, high], range: [from, to] }: Scale,
  apart: number,
  smallest = 0,
): number[] {
  const step = Math.max(smallest, roundUp(((high - low) * apart) / Math.abs(to - from)));
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, i) => (first + i) * step);
}

const FEW_TICKS = 3;

/** 1, 2, 3 and 5 of every power of ten; all digits where these would be too few to read by. */
export function logTicks(scale: Scale): number[] {
  const ticks = digitTicks(scale, [1, 2, 3, 5]);
  return ticks.length >= FEW_TICKS ? ticks : digitTicks(scale, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
}

function digitTicks({ domain: [low, high] }: Scale, digits: readonly number[]): number[] {
  const first = Math.floor(Math.log10(low));
  const powers = Array.from({ length: Math.ceil(Math.log10(high)) - first + 1 }, (_, i) => first + i);
  return powers
    .flatMap((power) => digits.map((digit) => Number((digit * 10 ** power).toPrecision(1))))
    .filter((tick) => tick >= low && tick <= high);
}

/** 1, 2 or 5 with zeros, at least this much. */
export function roundUp(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5].find((digit) => digit * power >= least * (1 - 1e-9)) ?? 10) * power;
}
