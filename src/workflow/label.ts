// The names of the lists as models write them, and the way from a name to its value:
// `model_id = [`, `**Sub-tasks:** [`, `"access_list": [`, `model_ids: list[int] = [`, a name above a fence …

import { isLetterAt, isQuoteAt, isSpaceAt, isWordAt, skipSpace } from "./cursor.ts";

/** The three lists of the language, and "steps" for a JSON array of step objects. */
export type ListName = "model_id" | "subtasks" | "access_list" | "steps";

export interface Label {
  name: ListName;
  start: number;
  end: number;
  /** Plain words such as "model" and "access" are labels too, but weaker evidence than "model_id". */
  weak: boolean;
}

// Each part of these patterns matches in one way only or is bounded, so none of them backtracks far.
const NAME = String.raw`model(?:\\?[ _-])?ids?|models?|sub(?:\\?[ _-])?tasks?|access(?:\\?[ _-])?lists?|access|steps|workflow`;
const ANY_NAME = new RegExp(NAME, "gi");
const NAME_HERE = new RegExp(NAME, "iy");
const TYPE_HINT = /(?:typing\.)?(?:list|tuple|sequence|array|string|number|int|str)[\w.[\]<>"',| ]{0,80}=/iy;
const REMARK = /\([^()\n]{0,40}\)/y;
const FENCE_LANGUAGE = /[\w+-]{0,20}/y;
const ALL = /(["'“”‘’`]?)all["'“”‘’`]?(?![\w"'“”‘’`])/iy;

/** The next label at or after `from`, wherever it stands. */
export function findLabel(text: string, from: number): Label | undefined {
  ANY_NAME.lastIndex = from;
  for (let match = ANY_NAME.exec(text); match; match = ANY_NAME.exec(text)) {
    const label = toLabel(text, match.index, match[0]);
    if (label) return label;
  }
  return undefined;
}

/** The label that starts exactly here. */
export function readLabel(text: string, at: number): Label | undefined {
  if (!isLetterAt(text, at)) return undefined;
  NAME_HERE.lastIndex = at;
  const match = NAME_HERE.exec(text);
  return match ? toLabel(text, at, match[0]) : undefined;
}

function toLabel(text: string, start: number, name: string): Label | undefined {
  const end = start + name.length;
  if (isWordAt(text, start - 1) || isWordAt(text, end)) return undefined;
  switch (name[0]) {
    case "m":
    case "M": // "models" is longer than "model", but no "model id" is as short
      return { name: "model_id", start, end, weak: name.length < "modelid".length };
    case "a":
    case "A":
      return { name: "access_list", start, end, weak: name.length === "access".length };
    case "w":
    case "W":
      return { name: "steps", start, end, weak: true };
    default:
      return name[1] === "t" || name[1] === "T"
        ? { name: "steps", start, end, weak: true }
        : { name: "subtasks", start, end, weak: false };
  }
}

/** What follows a label: the start of a list, a bare "all", the end of the text, or no value. */
export interface ValueStart {
  type: "list" | "all" | "end" | "none";
  at: number;
}

export function findValue(text: string, label: Label): ValueStart {
  let at = skipDecoration(text, label.end);
  if (text[at] === "(") {
    REMARK.lastIndex = at;
    if (REMARK.test(text)) at = skipDecoration(text, REMARK.lastIndex);
  }
  const separated = isSeparator(text[at]);
  if (separated) {
    at = skipToValue(text, at);
    at = skipTypeHint(text, at);
  } else if (label.weak || !text.slice(label.end, Math.min(at, label.end + 8)).includes("\n")) {
    return { type: "none", at };
  } else {
    // A name alone on its line, its list on the next: a heading.
    at = skipFences(text, at);
  }
  if (at >= text.length) return { type: separated && !label.weak ? "end" : "none", at };
  if (text[at] === "[" || text[at] === "(") return { type: "list", at };
  if (label.name === "access_list" && separated) {
    ALL.lastIndex = at;
    const match = ALL.exec(text);
    if (match && (match[1] !== "" || !label.weak)) return { type: "all", at: ALL.lastIndex };
  }
  return { type: "none", at };
}

/** True where a line begins with a label and its list: the border that "label-lines" believes in. */
export function startsLabelLine(text: string, at: number): boolean {
  for (let tries = 0; tries < 80; tries++, at++) {
    if (text[at] !== " " && text[at] !== "\t" && text[at] !== "*" && !isQuoteAt(text, at)) break;
  }
  const label = readLabel(text, at);
  return label !== undefined && !label.weak && findValue(text, label).type === "list";
}

/** Closing quotes, bold, backticks but no fence, and the bracket of `plan["model_id"] =`. */
function skipDecoration(text: string, at: number): number {
  for (;;) {
    if (text[at] === "`" && text[at + 1] === "`") return at;
    if (!isSpaceAt(text, at) && text[at] !== "*" && text[at] !== "]" && !isQuoteAt(text, at)) return at;
    at++;
  }
}

function isSeparator(character: string | undefined): boolean {
  return character === "=" || character === ":" || character === "：" || character === "＝";
}

function skipToValue(text: string, at: number): number {
  at++;
  // `:=` and `=>`
  if (text[at] === "=" || text[at] === ">") at++;
  return skipFences(text, at);
}

function skipTypeHint(text: string, at: number): number {
  if (!isLetterAt(text, at)) return at;
  TYPE_HINT.lastIndex = at;
  const hint = TYPE_HINT.exec(text)?.[0];
  // Two words with a space between them are prose: "Subtasks: list every x = [1, 2]".
  return hint === undefined || /\w \w/.test(hint) ? at : skipFences(text, at + hint.length);
}

function skipFences(text: string, at: number): number {
  for (;;) {
    at = skipSpace(text, at);
    if (text[at] === "*") {
      at++;
    } else if (text[at] === "`") {
      const from = at;
      while (text[at] === "`") at++;
      if (at - from < 3) continue;
      FENCE_LANGUAGE.lastIndex = at;
      FENCE_LANGUAGE.test(text);
      if (text[FENCE_LANGUAGE.lastIndex] === "\n") at = FENCE_LANGUAGE.lastIndex;
    } else {
      return at;
    }
  }
}
