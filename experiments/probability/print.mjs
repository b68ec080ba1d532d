// The results as a Markdown table.

const percent = (value) => (100 * value).toFixed(1);
const signed = (value) => `${value >= 0 ? "+" : "−"}${percent(Math.abs(value))}`;

export function toMarkdown(rows) {
  const head =
    "| set | fitted on | tasks | best single | lookup | neighbours | router | gain over best single | log-loss | oracle |";
  const lines = rows.map(
    ({ set, how, fitted, tasks, single, lookup, neighbours, router, gain, loss, oracle }) =>
      `| ${set} | ${fitted}, ${how} | ${tasks} | ${[single, lookup, neighbours, router].map(percent).join(" | ")} | ${signed(gain.mean)} (${signed(gain.low)} … ${signed(gain.high)}) | ${loss.toFixed(3)} | ${percent(oracle)} |`,
  );
  const curves = rows
    .filter(({ curve }) => curve)
    .map(
      ({ set, curve }) =>
        `${set}: APGR ${curve.apgr.toFixed(3)}, CPT(50 %) ${curve.cpt50.toFixed(1)}, CPT(80 %) ${curve.cpt80.toFixed(1)}`,
    );
  return [head, `|${"---|".repeat(10)}`, ...lines, "", ...curves, ""].join("\n");
}
