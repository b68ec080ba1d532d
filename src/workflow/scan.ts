// Finds every list that a text names, in one pass from left to right. A list that could be read is passed over
// as a whole, so a label inside one of its strings is never taken for a list. After a list that could not be
// read the scan goes on where reading stopped: no part of the text is read twice, which keeps it linear.

import { type Cursor, type CursorFailure, type CursorReading, createCursor, skipSpace } from "./cursor.ts";
import { findLabel, findValue, type ListName } from "./label.ts";
import { type Literal, readList } from "./literal.ts";

export interface FoundList {
  name: ListName;
  /** From the label to the end of the list, or to where reading it stopped. */
  start: number;
  end: number;
  /** "all" is a bare "all" for every step. Absent where reading failed. */
  value?: Literal[] | "all";
  failure?: CursorFailure;
}

// The workflow is among the last lists. Forgetting the first of very many keeps hostile texts cheap.
const MAX_LISTS = 256;

export interface Scan {
  lists: FoundList[];
  sawInnerQuote: boolean;
  sawLabelLine: boolean;
}

export function scanLists(text: string, reading: CursorReading): Scan {
  const cursor = createCursor(text, reading);
  const lists: FoundList[] = [];
  for (let label = findLabel(text, 0); label; label = findLabel(text, cursor.at)) {
    const value = findValue(text, label);
    cursor.at = label.end;
    if (lists.length === MAX_LISTS) lists.splice(0, MAX_LISTS / 2);
    if (value.type === "list") {
      const list = readNamedList(cursor, label.name, label.start, value.at);
      if (list) lists.push(list);
    } else if (value.type === "all") {
      cursor.at = value.at;
      lists.push({ name: label.name, start: label.start, end: value.at, value: "all" });
    } else if (value.type === "end") {
      cursor.at = text.length;
      lists.push({ name: label.name, start: label.start, end: text.length, failure: "cut" });
    }
  }
  return { lists, sawInnerQuote: cursor.sawInnerQuote, sawLabelLine: cursor.sawLabelLine };
}

/** Arrays of objects that no label announces, for a text that is nothing but `[{"worker": 0, …}]`. */
export function scanBareArrays(text: string): FoundList[] {
  const cursor = createCursor(text, "plain");
  const lists: FoundList[] = [];
  for (let open = text.indexOf("[", 0); open >= 0; open = text.indexOf("[", cursor.at)) {
    cursor.at = open + 1;
    const list = readNamedList(cursor, "steps", open, open);
    if (list) lists.push(list);
    if (lists.length === MAX_LISTS) lists.splice(0, MAX_LISTS / 2);
  }
  return lists;
}

/** Undefined where the bracket at `open` begins no list of this name. */
function readNamedList(cursor: Cursor, name: ListName, start: number, open: number): FoundList | undefined {
  const { text } = cursor;
  if (!isPlausible(text, name, open)) return undefined;
  cursor.at = open;
  cursor.textOnly = name === "subtasks";
  const value = readList(cursor);
  cursor.at = Math.max(cursor.at, open + 1);
  const end = cursor.at;
  if (value === undefined) return { name, start, end, value, failure: cursor.failure };
  return isEnumeration(text, open, end, value) ? undefined : { name, start, end, value, failure: undefined };
}

/** Placeholders such as [...] and [<ids>], and lists of steps that hold no objects, are talk about lists. */
function isPlausible(text: string, name: ListName, open: number): boolean {
  const at = skipSpace(text, open + 1);
  if (name === "steps")
    return text[at] === "]" || (text[at] === "{" && text[at + 1] !== "[" && text[at + 1] !== "{");
  return text[at] !== "." && text[at] !== "…" && text[at] !== "<";
}

/** "Subtasks: (1) solve, (2) check" is prose, not a tuple. */
function isEnumeration(text: string, open: number, end: number, value: Literal[]): boolean {
  if (text[open] !== "(" || value.length !== 1 || text[end - 2] === ",") return false;
  const [only] = value;
  return typeof only === "number" || (typeof only === "object" && only !== null && "word" in only);
}
