// The curves as Markdown. Part of experiments/turns.mjs.

import { AT_CALLS, atCalls, mean } from "./curves.mjs";

export function toMarkdown({ split, sets, together }, families, rules) {
  const lines = [`Split by ${split}. Accuracy in % @ calls.`, ""];
  const row = (cells) => `| ${cells.join(" | ")} |`;
  const head = (cells) => [row(cells), row(cells.map((_, i) => (i === 0 ? "---" : "---:")))];

  lines.push("## Rules", "", ...head(["set (test tasks)", ...rules]));
  for (const { name, tasks, curves } of sets)
    lines.push(
      row([`${name} (${tasks})`, ...rules.map((rule) => (curves[rule] ? point(curves[rule][0]) : "–"))]),
    );

  for (const family of families) {
    lines.push("", `## ${family}: its own points, thriftiest first`, "");
    for (const { name, curves } of sets) lines.push(`- ${name}: ${curves[family].map(point).join(", ")}`);
    lines.push("", `At so many calls at the most`, "", ...head(["set", ...AT_CALLS.map(String)]));
    for (const { name, curves } of sets)
      lines.push(
        row([
          name,
          ...AT_CALLS.map((calls) => {
            const at = atCalls(curves[family], calls);
            return at ? (100 * mean(at.scores)).toFixed(1) : "–";
          }),
        ]),
      );
  }
  for (const { family, atEqualCalls, whereRuleSits, asGoodAs } of together) {
    lines.push(
      "",
      `## ${family} minus a rule, over the sets together (points, 95 %; every set | every task the same)`,
      "",
    );
    lines.push(
      ...head(["rule", ...AT_CALLS.map((calls) => `@ ${calls}`), "where the rule sits", "as good with"]),
    );
    for (const rule of rules) {
      const sits = whereRuleSits.find((each) => each.rule === rule);
      const { share } = asGoodAs.find((each) => each.rule === rule);
      lines.push(
        row([
          rule,
          ...AT_CALLS.map((calls) =>
            interval(atEqualCalls.find((each) => each.rule === rule && each.calls === calls)),
          ),
          `${interval(sits)} @ ${sits.own.toFixed(2)} against ${sits.calls.toFixed(2)}`,
          share === undefined ? "–" : `${Math.round(100 * share)} % of its calls`,
        ]),
      );
    }
  }
  return `${lines.join("\n")}\n`;
}

export const point = ({ accuracy, calls }) => `${(100 * accuracy).toFixed(1)} @ ${calls.toFixed(2)}`;

function interval(difference) {
  if (!difference) return "–";
  const sign = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)}`;
  const tell = ({ points, low, high }) => `${sign(points)} (${sign(low)} … ${sign(high)})`;
  return `${tell(difference)} \\| ${tell(difference.byTask)}`;
}
