// Figures as Markdown. Part of experiments/rehearsal.mjs.

export const percent = (share) => (100 * share).toFixed(1);
export const points = (share) => `${share >= 0 ? "+" : "−"}${Math.abs(100 * share).toFixed(1)}`;
export const two = (value) => value.toFixed(2);
export const within = ({ low, high }) => `${percent(low)} … ${percent(high)}`;
export const difference = ({ mean, low, high }) => `${points(mean)} (${points(low)} … ${points(high)})`;

export function table(titles, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [line(titles), line(titles.map((_, i) => (i === 0 ? "---" : "--:"))), ...rows.map(line), ""];
}

export function heading(text) {
  return [`## ${text} (simulated)`, ""];
}
