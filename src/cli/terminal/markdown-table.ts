// A table of Markdown for a terminal: columns under each other where they fit, as it was written where they do not.

import type { Style } from "./style.ts";
import { padEnd, padStart, widthOf } from "./text-width.ts";

const GAP = "  ";

export function toTableLines(lines: readonly string[], columns: number, style: Style): string[] {
  const [head, rule, ...body] = lines.map(toCells);
  if (!head || !rule?.every((cell) => /^:?-+:?$/.test(cell))) return [...lines];
  const rows = [head, ...body].map((cells) => cells.map(toPlain));
  const widths = head.map((_, at) => Math.max(...rows.map((cells) => widthOf(cells[at] ?? ""))));
  const width = widths.reduce((sum, each) => sum + each + GAP.length, -GAP.length);
  if (width > columns) return [...lines];
  const isRight = rule.map((cell) => /^-+:$/.test(cell));
  const written = rows.map((cells) =>
    widths
      .map((wide, at) => (isRight[at] ? padStart : padEnd)(cells[at] ?? "", wide))
      .join(GAP)
      .trimEnd(),
  );
  return [style.bold(written[0]!), style.dim("─".repeat(width)), ...written.slice(1)];
}

/** A bar may stand in a cell with a backslash before it. */
function toCells(line: string): string[] {
  return line
    .trim()
    .replace(/^\||(?<!\\)\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function toPlain(cell: string): string {
  return cell.replace(/\*\*(.+?)\*\*/g, "$1").replace(/`([^`]+)`/g, "$1");
}
