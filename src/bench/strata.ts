// Results over several sets together. Tasks are resampled within each set, never across them, so that how many
// tasks a set has is not random. A set may count as one whatever its size, or each task the same.

import { hashSeed } from "../base/random.ts";
import { drawMeans, interval, meanOf, type PairedDifference, twoSided } from "../base/statistics.ts";

/** sets: each set counts the same; tasks: each task does. */
type Weighing = "sets" | "tasks";

interface StrataOptions {
  seed: number;
  weigh: Weighing;
  resamples?: number;
}

/** Mean with its 95 % interval; `p` is that of a mean of 0, which only means something for differences. */
export function stratifiedMean(
  strata: readonly (readonly number[])[],
  { seed, weigh, ...rest }: StrataOptions,
): PairedDifference {
  const filled = strata.filter(({ length }) => length > 0);
  if (filled.length === 0) throw new RangeError("A mean over sets needs one set with a task or more");
  const total = filled.reduce((sum, { length }) => sum + length, 0);
  const weights = filled.map(({ length }) => (weigh === "sets" ? 1 / filled.length : length / total));
  const resampled = filled.map((values, number) =>
    drawMeans(values, { ...rest, seed: hashSeed(seed, number) }),
  );
  const means = resampled[0]!
    .map((_, i) => resampled.reduce((sum, each, s) => sum + weights[s]! * each[i]!, 0))
    .sort();
  const mean = filled.reduce((sum, values, s) => sum + weights[s]! * meanOf(values), 0);
  return { mean, ...interval(means), p: twoSided(means) };
}

/** Of a − b over the same tasks of each set. */
export function stratifiedDifference(
  pairs: readonly { a: readonly number[]; b: readonly number[] }[],
  options: StrataOptions,
): PairedDifference {
  const differences = pairs.map(({ a, b }) => {
    if (a.length !== b.length)
      throw new RangeError(`A paired difference needs the same tasks: there are ${a.length} and ${b.length}`);
    return a.map((value, i) => value - b[i]!);
  });
  return stratifiedMean(differences, options);
}
