// The fronts as one SVG of small panels: accuracy against calls, a curve for each way of deciding in turns and a point for
// each rule. Part of experiments/turns.mjs.

const [WIDE, HIGH, GAP, TOP] = [250, 170, 46, 60];
const COLOURS = ["#0b7285", "#adb5bd", "#e8590c", "#5f3dc4", "#2b8a3e"];
const MARKS = {
  "best-single": "b",
  "vote-3": "3",
  "vote-5": "5",
  "neighbours-vote-3": "n3",
  "neighbours-vote-5": "n5",
};
const NAMES = { cascade: "c", "ask-until-sure": "u", native: "N", neighbours: "n" };
const MOST_CALLS = 5;

export function drawFronts(sets, families, rules) {
  const columns = 4;
  const [width, height] = [
    columns * (WIDE + GAP) + GAP,
    Math.ceil(sets.length / columns) * (HIGH + GAP + 20) + TOP,
  ];
  const panels = sets.map((set, i) => {
    const x = GAP + (i % columns) * (WIDE + GAP);
    const y = TOP + Math.floor(i / columns) * (HIGH + GAP + 20);
    return `<g transform="translate(${x} ${y})">${drawPanel(set, families, rules)}</g>`;
  });
  const key = families
    .map((name, i) => text(GAP + i * 190, 20, `— ${name}`, `fill="${colourOf(families, name)}"`))
    .join("");
  const marks = Object.entries({ ...MARKS, ...NAMES }).map(([rule, mark]) => `${mark} ${rule}`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11">`,
    `<title>Accuracy against calls of deciding in turns and of rules, by set</title>`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    key,
    text(GAP, 38, `accuracy in % against calls; ${marks.join(", ")}`, 'fill="#495057"'),
    ...panels,
    "</svg>\n",
  ].join("\n");
}

function drawPanel({ name, tasks, curves }, families, rules) {
  const points = rules.filter((rule) => curves[rule]).map((rule) => ({ rule, ...curves[rule][0] }));
  const all = [...points, ...families.flatMap((family) => curves[family])].map(({ accuracy }) => accuracy);
  const [low, high] = [Math.min(...all) - 0.005, Math.max(...all) + 0.005];
  const x = (calls) => ((calls - 0.8) / (MOST_CALLS + 0.4)) * WIDE;
  const y = (accuracy) => HIGH - ((accuracy - low) / (high - low)) * HIGH;
  const at = (point) => `${x(point.calls).toFixed(1)},${y(point.accuracy).toFixed(1)}`;
  return [
    `<rect width="${WIDE}" height="${HIGH}" fill="none" stroke="#ced4da"/>`,
    text(0, -6, `${name} (${tasks})`, 'font-weight="bold"'),
    text(-6, 10, (100 * high).toFixed(0), 'text-anchor="end"'),
    text(-6, HIGH, (100 * low).toFixed(0), 'text-anchor="end"'),
    ...[1, 2, 3, 4, 5].map((calls) =>
      text(x(calls), HIGH + 14, calls, 'text-anchor="middle" fill="#868e96"'),
    ),
    ...families.map(
      (family) =>
        `<polyline fill="none" stroke-width="2" stroke="${colourOf(families, family)}" points="${curves[family].map(at).join(" ")}"/>`,
    ),
    ...points.map((point) =>
      text(
        x(point.calls),
        y(point.accuracy) + 4,
        MARKS[point.rule] ?? NAMES[point.rule],
        'text-anchor="middle" fill="#212529"',
      ),
    ),
  ].join("");
}

function colourOf(families, name) {
  return COLOURS[(families.indexOf(name) + 1) % COLOURS.length];
}

function text(x, y, words, attributes = "") {
  return `<text x="${Math.round(x)}" y="${Math.round(y)}" ${attributes}>${words}</text>`;
}
