// Colours by number, so that the same worker has the same colour on every page.

const SERIES = 8;

/** For a style: "var(--series-3)". */
export function seriesColour(index: number): string {
  return `var(--series-${((index % SERIES) + SERIES) % SERIES})`;
}

/** What a variable of base.css is at this moment, for a canvas. */
export function cssColour(name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
