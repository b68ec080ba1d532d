// Figures and tables as the page of results writes them.

export function toInterval({ figures }, metric) {
  const figure = figures[metric.id];
  if (!figure) return "";
  return `${toFigure(figure.mean, metric)} (${toFigure(figure.low, metric)} – ${toFigure(figure.high, metric)})`;
}

export function toFigure(value, { unit }) {
  if (unit === "points") return (value * 100).toFixed(1);
  return unit === "share" ? value.toFixed(3).replace(/^0\./, ".") : toDollars(value);
}

/** In points, with its interval. */
export function toDifference({ mean, low, high }) {
  const signed = (value) => {
    const points = (value * 100).toFixed(1);
    return Number(points) === 0 ? "0.0" : points.startsWith("-") ? points.replace("-", "−") : `+${points}`;
  };
  return `${signed(mean)} (${signed(low)} … ${signed(high)})`;
}

/** In whole percent, with its interval. */
export function toShare({ mean, low, high }) {
  const whole = (share) => Math.round(share * 100);
  return `${whole(mean)} % (${whole(low)} – ${whole(high)})`;
}

export function toDollars(usd) {
  return `$${Number(usd.toPrecision(3))}`;
}

/** Padded as the formatter wants it. */
export function toTable(columns, rows) {
  const all = [columns, ...rows].map((row) => row.map((text) => String(text).replaceAll("|", "\\|")));
  const widths = columns.map((_, i) => Math.max(3, ...all.map((row) => [...row[i]].length)));
  const pad = (row, fill) => row.map((text, i) => text + fill.repeat(widths[i] - [...text].length));
  const lines = [
    pad(all[0], " "),
    pad(
      columns.map(() => ""),
      "-",
    ),
    ...all.slice(1).map((row) => pad(row, " ")),
  ];
  return lines.map((row) => `| ${row.join(" | ")} |`).join("\n");
}
