// The names of the lists as models write them, and the way from a name to its value:
// `model_id = [`, `**Sub-tasks:** [`, `"access_list": [`, `model_ids: list[int] = [`, a name above a fence …

import {
  BACKTICK,
  CLOSE_BRACKET,
  COLON,
  EQUALS,
  isLetter,
  isSpace,
  isWordCharacter,
  NEWLINE,
  OPEN_BRACKET,
  OPEN_PAREN,
  SPACE,
  STAR,
  skipSpace,
  TAB,
} from "./cursor.ts";

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
  if (!isLetter(text.charCodeAt(at))) return undefined;
  NAME_HERE.lastIndex = at;
  const match = NAME_HERE.exec(text);
  return match ? toLabel(text, at, match[0]) : undefined;
}

function toLabel(text: string, start: number, name: string): Label | undefined {
  const end = start + name.length;
  if (isWordCharacter(text.charCodeAt(start - 1)) || isWordCharacter(text.charCodeAt(end))) return undefined;
  const last = name.charCodeAt(name.length - 1) | 32;
  switch (name.charCodeAt(0) | 32) {
    case 109: // m: "models" ends like "model ids", so the length tells them apart
      return { name: "model_id", start, end, weak: name.length <= "models".length && last !== 100 };
    case 97: // a
      return { name: "access_list", start, end, weak: name.length === "access".length };
    case 119: // w
      return { name: "steps", start, end, weak: true };
    default:
      return (name.charCodeAt(1) | 32) === 116
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
  if (text.charCodeAt(at) === OPEN_PAREN) {
    REMARK.lastIndex = at;
    if (REMARK.test(text)) at = skipDecoration(text, REMARK.lastIndex);
  }
  const separated = isSeparator(text.charCodeAt(at));
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
  const code = text.charCodeAt(at);
  if (code === OPEN_BRACKET || code === OPEN_PAREN) return { type: "list", at };
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
    const code = text.charCodeAt(at);
    if (code !== SPACE && code !== TAB && code !== STAR && !isQuoteOrTick(code)) break;
  }
  const label = readLabel(text, at);
  return label !== undefined && !label.weak && findValue(text, label).type === "list";
}

/** Closing quotes, bold, backticks but no fence, and the bracket of `plan["model_id"] =`. */
function skipDecoration(text: string, at: number): number {
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === BACKTICK && text.charCodeAt(at + 1) === BACKTICK) return at;
    if (!isSpace(code) && code !== STAR && code !== CLOSE_BRACKET && !isQuoteOrTick(code)) return at;
    at++;
  }
}

function isSeparator(code: number): boolean {
  return code === EQUALS || code === COLON || code === 0xff1a || code === 0xff1d;
}

function skipToValue(text: string, at: number): number {
  at++;
  // `:=` and `=>`
  const code = text.charCodeAt(at);
  if (code === EQUALS || code === 62) at++;
  return skipFences(text, at);
}

function skipTypeHint(text: string, at: number): number {
  if (!isLetter(text.charCodeAt(at))) return at;
  TYPE_HINT.lastIndex = at;
  const hint = TYPE_HINT.exec(text)?.[0];
  // Two words with a space between them are prose: "Subtasks: list every x = [1, 2]".
  return hint === undefined || /\w \w/.test(hint) ? at : skipFences(text, at + hint.length);
}

function skipFences(text: string, at: number): number {
  for (;;) {
    at = skipSpace(text, at);
    const code = text.charCodeAt(at);
    if (code === STAR) {
      at++;
    } else if (code === BACKTICK) {
      const from = at;
      while (text.charCodeAt(at) === BACKTICK) at++;
      if (at - from < 3) continue;
      FENCE_LANGUAGE.lastIndex = at;
      FENCE_LANGUAGE.test(text);
      if (text.charCodeAt(FENCE_LANGUAGE.lastIndex) === NEWLINE) at = FENCE_LANGUAGE.lastIndex;
    } else {
      return at;
    }
  }
}

function isQuoteOrTick(code: number): boolean {
  return code === 34 || code === 39 || code === BACKTICK || (code >= 0x2018 && code <= 0x201f);
}
