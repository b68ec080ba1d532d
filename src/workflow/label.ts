// The names of the lists as models write them, and the way from a name to its value:
// `model_id = [`, `**Sub-tasks:** [`, `"access_list": [`, `model_ids: list[int] = [`, a name above a fence …

import { isLetterAt, isQuoteAt, skipSpace } from "./cursor.ts";

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
const NAME = String.raw`\b(?:model(?:\\?[ _-])?ids?|models?|sub(?:\\?[ _-])?tasks?|access(?:\\?[ _-])?lists?|access|steps|workflow)\b`;
const ANY_NAME = new RegExp(NAME, "gi");
const NAME_HERE = new RegExp(NAME, "iy");
/** Closing quotes, bold, backticks, the bracket of `plan["model_id"] =`, a remark in brackets; then the sign. */
const SEPARATOR = /[\s*\]"'`‘-‟]*(?:\([^()\n]{0,40}\)[\s*\]"'`‘-‟]*)?(?::=|=>|[=:：＝])/y;
/** A name alone on its line, its list on the next. */
const HEADING = /[*`"']{0,3}[ \t]{0,8}\r?\n/y;
const TYPE_HINT = /(?:typing\.)?(?:list|tuple|sequence|array|string|number|int|str)[\w.[\]<>"',| ]{0,80}=/iy;
const FENCE_LANGUAGE = /[\w+-]{0,20}/y;
const ALL = /(["'“”‘’`]?)all["'“”‘’`]?(?![\w"'“”‘’`])/iy;

/** The next label at or after `from`, wherever it stands. */
export function findLabel(text: string, from: number): Label | undefined {
  ANY_NAME.lastIndex = from;
  const match = ANY_NAME.exec(text);
  return match ? toLabel(match[0], match.index) : undefined;
}

/** The label that starts exactly here. */
export function readLabel(text: string, at: number): Label | undefined {
  if (!isLetterAt(text, at)) return undefined;
  NAME_HERE.lastIndex = at;
  const match = NAME_HERE.exec(text);
  return match ? toLabel(match[0], at) : undefined;
}

function toLabel(name: string, start: number): Label {
  const end = start + name.length;
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
  SEPARATOR.lastIndex = label.end;
  const separated = SEPARATOR.test(text);
  let at = SEPARATOR.lastIndex;
  if (separated) {
    at = skipTypeHint(text, skipFences(text, at));
  } else {
    HEADING.lastIndex = label.end;
    if (label.weak || !HEADING.test(text)) return { type: "none", at: label.end };
    at = skipFences(text, HEADING.lastIndex);
  }
  if (text[at] === "[" || text[at] === "(") return { type: "list", at };
  if (at >= text.length) return { type: separated && !label.weak ? "end" : "none", at };
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
