// Colours by number, so that the same worker has the same colour on every page.

const SERIES = 8;

/** For a style: "var(--series-3)". */
export function seriesColour(index: number): string {
  return `var(--series-${((index % SERIES) + SERIES) % SERIES})`;
}
