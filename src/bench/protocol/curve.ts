// The curve of a two-model router: how much of the gap between weak and strong is recovered when the share c of the
// questions with the highest scores goes to the strong model.

import type { Weights } from "./interval.ts";
import type { CurvePoint } from "./types.ts";

export interface CurveInput {
  /** Positions of the questions, highest score first. */
  order: readonly number[];
  scores: ArrayLike<number>;
  outcomes: readonly { weak: number; strong: number }[];
  /** How often each question counts. */
  weights: Weights;
}

export interface RecoveryCurve {
  figures: { apgr: number; cpt50: number; cpt80: number };
  /** At c = 0, 10, … 100 %. */
  deciles: CurvePoint[];
}

const DECILES = 10;

/** Questions of equal score cannot be told apart: between their ends the curve is a straight line. */
export function toRecoveryCurve({ order, scores, outcomes, weights }: CurveInput): RecoveryCurve {
  let [total, gap] = [0, 0];
  for (const question of order) {
    const weight = weights[question]!;
    total += weight;
    gap += weight * (outcomes[question]!.strong - outcomes[question]!.weak);
  }
  const calls = [0];
  const recovered = [0];
  let [count, gained] = [0, 0];
  for (let i = 0; i < order.length; i++) {
    const question = order[i]!;
    count += weights[question]!;
    gained += weights[question]! * (outcomes[question]!.strong - outcomes[question]!.weak);
    const next = order[i + 1];
    if (next !== undefined && scores[next] === scores[question]) continue;
    calls.push(count / total);
    recovered.push(gained / gap);
  }
  const deciles = Array.from({ length: DECILES + 1 }, (_, i) => ({
    calls: i / DECILES,
    recovered: valueAt(calls, recovered, i / DECILES),
  }));
  let area = 0;
  for (let i = 0; i < DECILES; i++) area += (deciles[i]!.recovered + deciles[i + 1]!.recovered) / 2 / DECILES;
  return {
    deciles,
    figures: {
      apgr: area,
      cpt50: firstReaching(calls, recovered, 0.5),
      cpt80: firstReaching(calls, recovered, 0.8),
    },
  };
}

/** Both ascending in `calls`. */
function valueAt(calls: readonly number[], recovered: readonly number[], share: number): number {
  let [low, high] = [0, calls.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (calls[middle]! >= share) high = middle;
    else low = middle + 1;
  }
  if (low === 0) return recovered[0]!;
  const width = calls[low]! - calls[low - 1]!;
  if (width <= 0) return recovered[low]!;
  const part = Math.min(1, (share - calls[low - 1]!) / width);
  return recovered[low - 1]! + part * (recovered[low]! - recovered[low - 1]!);
}

/** Least share of strong calls at which so much is recovered. */
function firstReaching(calls: readonly number[], recovered: readonly number[], wanted: number): number {
  for (let i = 1; i < calls.length; i++) {
    if (recovered[i]! < wanted) continue;
    const rise = recovered[i]! - recovered[i - 1]!;
    const part = rise > 0 ? (wanted - recovered[i - 1]!) / rise : 1;
    return calls[i - 1]! + part * (calls[i]! - calls[i - 1]!);
  }
  return 1;
}
