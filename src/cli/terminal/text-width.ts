// How wide a text is in a terminal, and cutting, padding and wrapping by that width: Chinese and emoji take
// two columns, accents none. Styled text is allowed: colour sequences take no room.

import { stripVTControlCharacters } from "node:util";

/** Characters that take two columns, as [from, to]. */
const WIDE: readonly [number, number][] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1b000, 0x1b2ff],
  [0x1f200, 0x1f2ff],
  [0x20000, 0x3fffd],
];
const EMOJI = /\p{Emoji_Presentation}|\ufe0f/u;
const ZERO_WIDTH = /^[\p{M}\p{Cf}\p{Cc}]+$/u;
const ASCII = /^[\x20-\x7e]*$/;

let segmenter: Intl.Segmenter | undefined;
function clustersOf(text: string): Iterable<{ segment: string }> {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter.segment(text);
}

function clusterWidth(cluster: string): number {
  if (ASCII.test(cluster)) return cluster.length;
  if (ZERO_WIDTH.test(cluster)) return 0;
  if (EMOJI.test(cluster)) return 2;
  const code = cluster.codePointAt(0)!;
  return WIDE.some(([from, to]) => code >= from && code <= to) ? 2 : 1;
}

export function widthOf(text: string): number {
  const plain = stripVTControlCharacters(text);
  if (ASCII.test(plain)) return plain.length;
  let width = 0;
  for (const { segment } of clustersOf(plain)) width += clusterWidth(segment);
  return width;
}

/** At most `columns` wide, with "…" where something was cut. Plain text only: style it afterwards. */
export function cut(text: string, columns: number): string {
  if (columns <= 0) return "";
  // No need to measure a megabyte in order to show eighty columns of it.
  const head = text.length > columns * 8 ? text.slice(0, columns * 8) : text;
  if (head === text && widthOf(text) <= columns) return text;
  let kept = "";
  let width = 0;
  for (const { segment } of clustersOf(head)) {
    const wide = clusterWidth(segment);
    if (width + wide > columns - 1) break;
    kept += segment;
    width += wide;
  }
  return `${kept.trimEnd()}…`;
}

/** The end of a text, for a preview of what is being written. */
export function cutStart(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  const clusters = [...clustersOf(text.slice(-columns * 8))];
  let kept = "";
  let width = 1;
  while (clusters.length > 0) {
    const { segment } = clusters.pop()!;
    width += clusterWidth(segment);
    if (width > columns) break;
    kept = segment + kept;
  }
  return `…${kept}`;
}

export function padEnd(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - widthOf(text)));
}

export function padStart(text: string, columns: number): string {
  return " ".repeat(Math.max(0, columns - widthOf(text))) + text;
}

/** Lines of at most `columns`, broken at spaces where there are any. Own line breaks and indents are kept. */
export function wrap(text: string, columns: number): string[] {
  return text
    .replaceAll("\t", "    ")
    .split("\n")
    .flatMap((line) => wrapLine(line, Math.max(columns, 4)));
}

function wrapLine(line: string, columns: number): string[] {
  if (widthOf(line) <= columns) return [line.trimEnd()];
  const lines: string[] = [];
  let current = "";
  let width = 0;
  for (const word of line.split(/(?<=\s)(?=\S)/)) {
    const wide = widthOf(word.trimEnd());
    if (width + wide <= columns) {
      current += word;
      width += widthOf(word);
      continue;
    }
    if (current.trim() !== "") lines.push(current.trimEnd());
    [current, width] = ["", 0];
    for (const { segment } of clustersOf(word)) {
      if (width + clusterWidth(segment) > columns && segment.trim() !== "") {
        lines.push(current);
        [current, width] = ["", 0];
      }
      current += segment;
      width += clusterWidth(segment);
    }
  }
  return current.trim() === "" ? lines : [...lines, current.trimEnd()];
}
