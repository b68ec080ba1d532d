// Series of numbers made calmer: means over neighbouring iterations of the same stage, and fewer points than pixels.

export interface Point {
  x: number;
  /** Not a number where nothing was measured. */
  y: number;
}

/** A stage from its first iteration to the first of the next. */
export interface Span {
  stage: string;
  from: number;
  to: number;
}

const SMALLEST_WINDOW = 5;
const WINDOW_SHARE = 1 / 16;
const MOST_BINS = 300;

export function toSpans(iterations: readonly { stage: string; iteration: number }[]): Span[] {
  const spans: Span[] = [];
  for (const { stage, iteration } of iterations) {
    const last = spans.at(-1);
    if (last?.stage === stage) last.to = iteration + 1;
    else spans.push({ stage, from: last?.to ?? iteration, to: iteration + 1 });
  }
  return spans;
}

export function isWithin(x: number, { from, to }: Span): boolean {
  return x >= from && x < to;
}

export function isMeasured({ y }: Point): boolean {
  return Number.isFinite(y);
}

/** Stages differ in what they measure, so a mean never mixes two of them. Points must be in order. */
export function moveMean(points: readonly Point[], spans: readonly Span[]): Point[] {
  const half = Math.floor(Math.max(SMALLEST_WINDOW, points.length * WINDOW_SHARE) / 2);
  return spans.flatMap((span) => {
    const own = points.filter(({ x }) => isWithin(x, span));
    // Running sums: the page is made anew many times while a long training goes on.
    const [sums, counts] = [[0], [0]];
    for (const [i, point] of own.entries()) {
      sums.push(sums[i]! + (isMeasured(point) ? point.y : 0));
      counts.push(counts[i]! + (isMeasured(point) ? 1 : 0));
    }
    return own.map((point, i) => {
      const [from, to] = [Math.max(0, i - half), Math.min(own.length, i + half + 1)];
      const mean = (sums[to]! - sums[from]!) / (counts[to]! - counts[from]!);
      return { x: point.x, y: isMeasured(point) ? mean : point.y };
    });
  });
}

/** The lowest and the highest of neighbouring points: outliers stay visible. */
export function thin(points: readonly Point[]): readonly Point[] {
  if (points.length <= 2 * MOST_BINS) return points;
  const size = Math.ceil(points.length / MOST_BINS);
  return Array.from({ length: Math.ceil(points.length / size) }, (_, bin) => {
    const own = points.slice(bin * size, (bin + 1) * size);
    const measured = own.filter(isMeasured);
    if (measured.length === 0) return own.slice(0, 1);
    const low = measured.reduce((least, point) => (point.y < least.y ? point : least));
    const high = measured.reduce((most, point) => (point.y > most.y ? point : most));
    return low === high ? [low] : low.x < high.x ? [low, high] : [high, low];
  }).flat();
}
