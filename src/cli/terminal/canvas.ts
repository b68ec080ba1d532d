// A sheet of characters to draw boxes and lines on. Lines that meet become the right corner or junction;
// texts lie on top and may be wide or coloured.

import type { Style } from "./style.ts";
import { widthOf } from "./text-width.ts";

const UP = 1;
const DOWN = 2;
const LEFT = 4;
const RIGHT = 8;
const LINES: Record<number, string> = {
  [UP | DOWN]: "│",
  [LEFT | RIGHT]: "─",
  [DOWN | RIGHT]: "╭",
  [DOWN | LEFT]: "╮",
  [UP | RIGHT]: "╰",
  [UP | LEFT]: "╯",
  [UP | DOWN | RIGHT]: "├",
  [UP | DOWN | LEFT]: "┤",
  [DOWN | LEFT | RIGHT]: "┬",
  [UP | LEFT | RIGHT]: "┴",
  [UP | DOWN | LEFT | RIGHT]: "┼",
};
export function createCanvas(height: number) {
  const bits: number[][] = Array.from({ length: height }, () => []);
  const texts: Map<number, { text: string; width: number; style: (text: string) => string }>[] = Array.from(
    { length: height },
    () => new Map(),
  );
  const add = (x: number, y: number, bit: number) => {
    bits[y]![x] = (bits[y]![x] ?? 0) | bit;
  };
  const canvas = {
    down(x: number, y: number) {
      add(x, y, DOWN);
      add(x, y + 1, UP);
    },
    across(from: number, to: number, y: number, isUnder: (x: number) => boolean) {
      for (let x = from; x < to; x++) {
        if (!isUnder(x)) add(x, y, RIGHT);
        if (!isUnder(x + 1)) add(x + 1, y, LEFT);
      }
    },
    box(x: number, y: number, width: number, hasLine: boolean) {
      for (let i = x; i < x + width - 1; i++) {
        for (const row of [y, y + 2]) {
          add(i, row, RIGHT);
          add(i + 1, row, LEFT);
        }
      }
      for (const side of [x, x + width - 1]) {
        canvas.down(side, y);
        canvas.down(side, y + 1);
      }
      if (!hasLine) bits[y + 1]![x + width - 1] = UP | DOWN;
      bits[y + 1]![x] = UP | DOWN;
    },
    put(x: number, y: number, text: string, style: (text: string) => string, width = widthOf(text)) {
      texts[y]!.set(x, { text, width, style });
      return canvas;
    },
    toLines(style: Style): string[] {
      return bits.map((row, y) => {
        const end = Math.max(row.length, ...[...texts[y]!].map(([x, { width }]) => x + width));
        let line = "";
        let run = "";
        for (let x = 0; x < end; ) {
          const placed = texts[y]!.get(x);
          if (placed) {
            line += style.dim(run) + placed.style(placed.text);
            run = "";
          } else run += LINES[row[x] ?? 0] ?? " ";
          x += placed?.width ?? 1;
        }
        return (line + (run.trim() === "" ? "" : style.dim(run.trimEnd()))).trimEnd();
      });
    },
  };
  return canvas;
}
