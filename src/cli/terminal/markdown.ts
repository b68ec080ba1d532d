// Markdown as it arrives → styled text for a terminal. Our own, because it must write while the answer is still being
// written: what can be shown is shown at once, and only what is not decided yet (a marker, a table) is kept back. Lines
// are not broken here: the terminal does that, so a window may be resized. What is no Markdown stays as it is.
// Covered: headings, bold, italics, code, lists, quotes, rules, links, fenced code, tables. Control characters must be
// out already (sanitise.ts).

import { toTableLines } from "./markdown-table.ts";
import type { Style } from "./style.ts";

export interface MarkdownWriter {
  push(text: string): string;
  /** What was kept back, once the text is over. */
  end(): string;
}

/** A marker that is not closed after so many characters is just a character. */
const LONGEST_SPAN = 400;
/** More is needed to tell what a line is: "   10. ", "###### ", "```". */
const LONGEST_START = 12;
const FENCE = /^ {0,3}(```+|~~~+)\s*([\w+#.-]*)/;
const UNDECIDED = /^\s*(?:#{0,6}|[-*+]|\d{1,3}[.)]?|>|`{1,2}|~{1,2}|[-*_]{1,2})?$/;

export function createMarkdownWriter(style: Style, columns: () => number): MarkdownWriter {
  let buffer = "";
  /** Its fence, inside of a block of code. */
  let fence: string | undefined;
  let table: string[] = [];
  /** Inside of a line whose beginning has been written. */
  let isInline = false;
  /** The character before what is read now, in this line. */
  let before = "";
  let paint: (text: string) => string = (text) => text;

  function readLine(isLast: boolean): string | undefined {
    const end = buffer.indexOf("\n");
    const isWhole = end >= 0 || isLast;
    const line = end < 0 ? buffer : buffer.slice(0, end);
    if (fence !== undefined) return isWhole ? takeLine(end, codeLine(line)) : undefined;
    if (isInline) return readInline(end, isLast);
    if (/^\s*\|/.test(line) || (table.length > 0 && line.trim().includes("|"))) {
      if (!isWhole) return undefined;
      table.push(line);
      return takeLine(end, "", false) + (isLast && end < 0 ? flushTable() : "");
    }
    if (table.length > 0 && (isWhole || line.length > 0)) return flushTable();
    if (!isWhole && (UNDECIDED.test(line) || /^\s*(?:```|~~~)/.test(line) || line.trim() === ""))
      return line.length > LONGEST_START ? startInline(line) : undefined;
    const opened = FENCE.exec(line);
    if (opened) {
      if (!isWhole) return undefined;
      fence = opened[1]!;
      return takeLine(end, style.dim(`┌─${opened[2] ? ` ${opened[2]}` : ""}`));
    }
    if (isWhole && /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/.test(line))
      return takeLine(end, style.dim("─".repeat(Math.min(columns(), 40))));
    if (!isWhole && /^\s*[-*_]+$/.test(line)) return undefined;
    return startInline(line);
  }

  /** The beginning of a line says how the rest is written. */
  function startInline(line: string): string {
    isInline = true;
    before = "";
    paint = (text) => text;
    const heading = /^ {0,3}(#{1,6})\s+/.exec(line);
    if (heading) {
      paint = (text) => style.bold(heading[1]!.length < 3 ? style.cyan(text) : text);
      return skip(heading[0], "");
    }
    const bullet = /^(\s*)[-*+]\s+/.exec(line);
    if (bullet) return skip(bullet[0], `${bullet[1]}${style.dim("•")} `);
    const quoted = /^\s*>\s?/.exec(line);
    if (quoted) {
      paint = style.dim;
      return skip(quoted[0], style.dim("│ "));
    }
    return "";
  }

  function skip(start: string, written: string): string {
    buffer = buffer.slice(start.length);
    return written;
  }

  function readInline(end: number, isLast: boolean): string | undefined {
    const line = end < 0 ? buffer : buffer.slice(0, end);
    const isWhole = end >= 0 || isLast;
    const { written, rest } = writeSpans(line, isWhole, before, paint, style);
    before = line.slice(0, line.length - rest.length).at(-1) ?? before;
    if (end >= 0) {
      isInline = false;
      buffer = buffer.slice(end + 1);
      return `${written}\n`;
    }
    buffer = rest;
    return written === "" ? undefined : written;
  }

  function codeLine(line: string): string {
    if (fence !== undefined && line.trim().startsWith(fence) && /^[`~\s]*$/.test(line)) {
      fence = undefined;
      return style.dim("└─");
    }
    return `${style.dim("│")} ${line}`;
  }

  function takeLine(end: number, written: string, hasBreak = true): string {
    buffer = end < 0 ? "" : buffer.slice(end + 1);
    return written + (hasBreak && end >= 0 ? "\n" : "");
  }

  function flushTable(): string {
    const lines = toTableLines(table, columns(), style);
    table = [];
    return lines.map((line) => `${line}\n`).join("");
  }

  function read(isLast: boolean): string {
    let written = "";
    while (buffer !== "" || (isLast && table.length > 0)) {
      if (buffer === "") return written + flushTable();
      const piece = readLine(isLast);
      if (piece === undefined) break;
      written += piece;
    }
    return written;
  }

  return {
    push(text) {
      buffer += text;
      return read(false);
    },
    end() {
      const written = read(true);
      return fence === undefined
        ? written
        : `${written}${written.endsWith("\n") ? "" : "\n"}${style.dim("└─")}`;
    },
  };
}

// ---- Inside of a line ----------------------------------------------------------------------------

const SPANS: { pattern: RegExp; write(match: RegExpExecArray, style: Style): string }[] = [
  { pattern: /^(`+)(.+?)\1(?!`)/, write: ([, , code], style) => style.cyan(code!.trim()) },
  { pattern: /^\*\*(?=\S)(.+?\S|\S)\*\*/, write: ([, text], style) => style.bold(text!) },
  { pattern: /^__(?=\S)(.+?\S|\S)__(?!\w)/, write: ([, text], style) => style.bold(text!) },
  { pattern: /^\*(?=[^\s*])(.+?[^\s*]|[^\s*])\*(?!\*)/, write: ([, text], style) => style.italic(text!) },
  { pattern: /^_(?=[^\s_])(.+?[^\s_]|[^\s_])_(?!\w)/, write: ([, text], style) => style.italic(text!) },
  {
    pattern: /^\[([^\]\n]+)\]\((\S+?)\)/,
    write: ([, text, url], style) => (text === url ? text! : `${text} ${style.dim(`(${url})`)}`),
  },
];
const MARKER = /[`*_[]/;

/** As much of a line as can be written now, and what must wait for the end of a span. */
function writeSpans(
  line: string,
  isWhole: boolean,
  first: string,
  paint: (text: string) => string,
  style: Style,
): { written: string; rest: string } {
  let written = "";
  let rest = line;
  let before = first;
  const take = (length: number, styled: string) => {
    written += styled;
    before = rest[length - 1] ?? before;
    rest = rest.slice(length);
  };
  while (rest !== "") {
    const at = rest.search(MARKER);
    if (at !== 0) {
      const length = at < 0 ? rest.length : at;
      take(length, paint(rest.slice(0, length)));
      continue;
    }
    // snake_case and 2*3*4 are no emphasis; code may stand anywhere.
    const canOpen = rest[0] === "`" || !/\w/.test(before) || rest.startsWith("**");
    const found = canOpen ? findSpan(rest) : undefined;
    // A closing marker at the very end may be the first half of a longer one.
    if (found && (isWhole || found.match[0].length < rest.length)) {
      take(found.match[0].length, paint(found.span.write(found.match, style)));
      continue;
    }
    if (!isWhole && canOpen && rest.length < LONGEST_SPAN && mayOpen(rest)) break;
    const marker = /^(?:`+|\*+|_+|\[)/.exec(rest)![0];
    take(marker.length, paint(marker));
  }
  return { written, rest };
}

function findSpan(text: string) {
  for (const span of SPANS) {
    const match = span.pattern.exec(text);
    if (match) return { span, match };
  }
  return undefined;
}

/** A marker before a space opens nothing. */
function mayOpen(text: string): boolean {
  return !/^(?:\*+|_+)\s/.test(text);
}
