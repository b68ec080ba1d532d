// Where one Conductor is better than another: by family, in tasks won less tasks lost. A gain in two
// families only is no understanding, and an average does not show it.

import { groupBy, toPairs, toRight } from "./results.ts";
import type { BenchRow } from "./types.ts";

export interface Gain {
  set: string;
  family: string;
  /** Tasks that both were graded on. */
  n: number;
  /** Tasks won less tasks lost; with several seeds their mean. */
  won: number;
}

/** The largest gain first. `own` are the rows of each seed; sets may be mixed in them. */
export function toGains(own: readonly (readonly BenchRow[])[], theirs: readonly BenchRow[]): Gain[] {
  const gains = new Map<string, Gain>();
  const bySet = groupBy(theirs, ({ set }) => set);
  for (const seed of own) {
    for (const [set, rows] of groupBy(seed, (row) => row.set)) {
      for (const [row, other] of toPairs(rows, bySet.get(set) ?? [])) {
        const key = `${set}\n${row.family}`;
        const gain = gains.get(key) ?? { set, family: row.family, n: 0, won: 0 };
        gains.set(key, gain);
        gain.n += 1 / own.length;
        gain.won += (toRight(row) - toRight(other)) / own.length;
      }
    }
  }
  return [...gains.values()]
    .map((gain) => ({ ...gain, n: Math.round(gain.n), won: clean(gain.won) }))
    .sort((a, b) => b.won - a.won || (`${a.set}/${a.family}` < `${b.set}/${b.family}` ? -1 : 1));
}

export interface Concentration {
  /** Tasks won less tasks lost, over all families. */
  net: number;
  /** Over the families with a gain only. */
  gross: number;
  /** What the best few account for. */
  best: number;
}

/** How much of a gain comes from its best few families. */
export function concentrationOf(gains: readonly Gain[], count: number): Concentration {
  const sum = (some: readonly Gain[]) => clean(some.reduce((total, { won }) => total + won, 0));
  const positive = gains.filter(({ won }) => won > 0).sort((a, b) => b.won - a.won);
  return { net: sum(gains), gross: sum(positive), best: sum(positive.slice(0, count)) };
}

/** Thirds add up to 0.9999999. */
function clean(value: number): number {
  return Math.round(value * 1e9) / 1e9 + 0;
}
