// Tables for a terminal of a given width: columns give way in an order, nothing is broken into two lines. Pure.

import { PLAIN, type Style } from "./style.ts";
import { cut, padEnd, padStart, widthOf } from "./text-width.ts";

export interface Column {
  title: string;
  align?: "right";
  /** May be narrowed down to this many columns when the table is too wide; the widest goes first. */
  min?: number;
  /** Is narrowed before the others, and left out altogether, from the right, where that is not enough. */
  isOptional?: boolean;
  style?: (text: string, row: number) => string;
}

const GAP = 2;

/** Lines of a table with a dim heading, at most `width` wide. Columns without any content are left out. */
export function toTable(
  columns: readonly Column[],
  rows: readonly string[][],
  width: number,
  style: Style = PLAIN,
): string[] {
  const widths = toWidths(columns, rows, width);
  const toLine = (cells: readonly string[], row: number) => {
    const shown = columns.flatMap((column, i) => {
      if (widths[i] === 0) return [];
      const text = cut(cells[i] ?? "", widths[i]!);
      const padded = column.align === "right" ? padStart(text, widths[i]!) : padEnd(text, widths[i]!);
      return [row >= 0 && column.style ? column.style(padded, row) : padded];
    });
    return shown.join(" ".repeat(GAP)).trimEnd();
  };
  const titles = columns.map(({ title }) => title);
  return [style.dim(toLine(titles, -1)), ...rows.map(toLine)];
}

/** The width of each column; 0 leaves it out. */
function toWidths(columns: readonly Column[], rows: readonly string[][], width: number): number[] {
  const natural = columns.map(({ title }, i) => {
    const cells = rows.map((row) => widthOf(row[i] ?? ""));
    return cells.some((wide) => wide > 0) ? Math.max(widthOf(title), ...cells) : 0;
  });
  for (;;) {
    const widths = [...natural];
    if (shrink(widths, columns, width, (column) => column.isOptional === true)) return widths;
    const last = columns.findLastIndex((column, i) => column.isOptional && natural[i]! > 0);
    if (last < 0) {
      shrink(widths, columns, width, () => true);
      return widths;
    }
    natural[last] = 0;
  }
}

function shrink(
  widths: number[],
  columns: readonly Column[],
  width: number,
  may: (column: Column) => boolean,
): boolean {
  for (;;) {
    const total = widths.reduce((sum, wide) => sum + (wide > 0 ? wide + GAP : 0), -GAP);
    if (total <= width) return true;
    let widest = -1;
    for (const [i, column] of columns.entries()) {
      const isShrinkable = may(column) && column.min !== undefined && widths[i]! > column.min;
      if (isShrinkable && (widest < 0 || widths[i]! > widths[widest]!)) widest = i;
    }
    if (widest < 0) return false;
    widths[widest]!--;
  }
}
