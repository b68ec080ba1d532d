// Which of the lists in a text are the workflow: the last three that belong together. Reasoning mentions lists,
// drafts come before the final version, explanations after it; what the Conductor wrote last is what counts.

import type { FoundList } from "./scan.ts";

export type Selection =
  | { type: "lists"; modelId: FoundList; subtasks: FoundList; accessList: FoundList }
  | { type: "steps"; steps: FoundList }
  /** A workflow was begun again and the text ended within: what it replaces does not count any more. */
  | { type: "cut"; list: FoundList }
  /** Some list is missing. Empty when there is none at all. */
  | { type: "incomplete"; found: FoundList[] };

type ListGroup = FoundList[];

// Brackets, fences and full stops may follow the last list of a text.
const NOTHING_MORE = /[\s`}).]*$/y;

export function selectLists(lists: FoundList[], text: string): Selection {
  const end = findLastGroup(lists);
  if (end === 0) return selectScattered(lists);
  const last = lists[end - 1]!;
  const group: ListGroup = last.name === "steps" ? [last] : lists.slice(end - 3, end);
  return findRestart(group, lists.slice(end), text) ?? toSelection(group);
}

/** Where the last group ends in `lists` (0 for none): three neighbours with the three names, or one of steps. */
function findLastGroup(lists: FoundList[]): number {
  // The usual order is the strongest evidence. Another order counts only after it, so that a list named
  // again in an explanation is not joined with the lists before it.
  let usual = lists.length;
  while (usual > 0 && !isUsualGroup(lists, usual)) usual--;
  let any = lists.length;
  while (any > usual && !isGroup(lists, any, usual)) any--;
  return any;
}

function isUsualGroup(lists: FoundList[], end: number): boolean {
  if (lists[end - 1]?.name === "steps") return true;
  return (
    lists[end - 3]?.name === "model_id" &&
    lists[end - 2]?.name === "subtasks" &&
    lists[end - 1]?.name === "access_list"
  );
}

function isGroup(lists: FoundList[], end: number, from: number): boolean {
  if (end - 3 < from) return false;
  const [first, second, third] = [lists[end - 3]!.name, lists[end - 2]!.name, lists[end - 1]!.name];
  return first !== second && second !== third && first !== third;
}

/** Three names somewhere, but never side by side: the last of each. */
function selectScattered(lists: FoundList[]): Selection {
  const last = lists.at(-1);
  if (last?.failure === "cut") return { type: "cut", list: last };
  const group = (["model_id", "subtasks", "access_list"] as const)
    .map((name) => lists.findLast((list) => list.name === name))
    .filter((list) => list !== undefined);
  return group.length === 3 ? toSelection(group) : { type: "incomplete", found: group };
}

/**
 * A new version that was begun after a whole one replaces it, even unfinished: the Conductor had changed its
 * mind, and to perform the draft would be to perform what it no longer wants. One list that is named again
 * is no new version, unless it is the one every version starts with.
 */
function findRestart(group: ListGroup, after: FoundList[], text: string): Selection | undefined {
  const last = after.at(-1);
  if (last === undefined) return undefined;
  const startsAnew = after[0]!.name === group[0]!.name;
  if (last.failure === "cut" && (startsAnew || last.name === "steps")) return { type: "cut", list: last };
  const names = new Set(after.map((list) => list.name));
  if (startsAnew && names.size >= 2 && isLastThing(text, last)) return { type: "incomplete", found: after };
  return undefined;
}

/** Nothing follows this list but closing marks. */
export function isLastThing(text: string, list: FoundList | undefined): boolean {
  if (list === undefined) return false;
  NOTHING_MORE.lastIndex = list.end;
  return NOTHING_MORE.test(text);
}

function toSelection(group: ListGroup): Selection {
  const cut = group.find((list) => list.failure === "cut");
  if (cut) return { type: "cut", list: cut };
  if (group.length === 1) return { type: "steps", steps: group[0]! };
  const byName = (name: string) => group.find((list) => list.name === name)!;
  return {
    type: "lists",
    modelId: byName("model_id"),
    subtasks: byName("subtasks"),
    accessList: byName("access_list"),
  };
}
