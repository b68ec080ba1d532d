// From what a Conductor wrote to a workflow, or to the reason why it is none. Never throws, and takes time
// linear in the text: a text is scanned once, and at most four times more where its quotes are ambiguous.
//
// Where we leave the authors' parser: the last match counts and not the first, nothing inside a string is a
// label, and backticks inside strings stay. What stands before the last `</think>` is reasoning; it is read
// only when no list at all follows, for then the answer was written there by mistake.

import { type FoundList, type Scan, scanBareArrays, scanLists } from "./scan.ts";
import { fromLists, fromObjects, holdsSteps, isLastThing, type Selection, selectLists } from "./shape.ts";
import type { ParseOptions, ParseResult, WorkflowError, WorkflowErrorCode } from "./types.ts";
import { validateWorkflow } from "./validate.ts";

const END_OF_REASONING = "</think";

const ILL_WRITTEN: ReadonlySet<WorkflowErrorCode> = new Set([
  "nothing-found",
  "missing-list",
  "cut-off",
  "bad-list",
  "unequal-lengths",
]);

export function parseWorkflow(text: string, options: ParseOptions): ParseResult {
  if (typeof text !== "string") return reject("nothing-found", "There is no text to read a workflow from");
  const reasoningEnd = text.lastIndexOf(END_OF_REASONING);
  const scan = scanLists(text, "plain");
  const result = read(text, scan, reasoningEnd, options);
  // Another reading may only mend what was written badly, never what was meant wrongly.
  return result.ok || !ILL_WRITTEN.has(result.error.code)
    ? result
    : readAgain(text, scan, result, reasoningEnd, options);
}

function readAgain(
  text: string,
  scan: Scan,
  first: ParseResult & { ok: false },
  reasoningEnd: number,
  options: ParseOptions,
): ParseResult {
  let { error } = first;
  if (scan.sawInnerQuote) {
    const again = read(text, scanLists(text, "inner-quotes"), reasoningEnd, options);
    if (again.ok) return again;
  }
  if (scan.sawLabelLine) {
    const lines = scanLists(text, "label-lines");
    const again = read(text, lines, reasoningEnd, options);
    // If more follows, the lists may as well stand inside a subtask, where nothing counts.
    const last = { ...lines, lists: lines.lists.slice(-3) };
    if (again.ok && isLastThing(text, last.lists.at(-1)) && read(text, last, -1, options).ok) return again;
    // It knows better where a string was not closed that hides the lists after it.
    if (!again.ok && (error.code === "missing-list" || again.error.code === "cut-off")) error = again.error;
  }
  if (isInsideList(scan.lists, reasoningEnd) && text.indexOf(END_OF_REASONING) === reasoningEnd) {
    // A list that was opened in the reasoning and never closed has swallowed the answer.
    const answer = text.slice(reasoningEnd);
    const again = read(answer, scanLists(answer, "plain"), -1, options);
    if (again.ok) return again;
  }
  if (error.code === "nothing-found" || error.code === "missing-list") {
    const steps = scanBareArrays(text).findLast(
      (list) => Array.isArray(list.value) && holdsSteps(list.value),
    );
    if (steps) return toResult({ type: "steps", steps }, options);
  }
  return { ok: false, error };
}

function read(text: string, { lists }: Scan, reasoningEnd: number, options: ParseOptions): ParseResult {
  // A `</think>` inside a subtask ends no reasoning.
  const answer = isInsideList(lists, reasoningEnd) ? [] : lists.filter((list) => list.start > reasoningEnd);
  return toResult(selectLists(answer.length > 0 ? answer : lists, text), options);
}

function isInsideList(lists: FoundList[], at: number): boolean {
  return at >= 0 && lists.some((list) => list.start < at && at < list.end);
}

function toResult(selection: Selection, options: ParseOptions): ParseResult {
  if (selection.type === "cut") {
    return reject("cut-off", `${selection.list.name} is cut off: the text ends before the list is closed`);
  }
  if (selection.type === "incomplete") return rejectIncomplete(selection.found);
  const unread = findUnread(selection);
  if (unread) return { ok: false, error: unread };
  const shaped =
    selection.type === "steps"
      ? fromObjects(toEntries(selection.steps), options?.workerOf)
      : fromLists(
          toEntries(selection.modelId),
          toEntries(selection.subtasks),
          selection.accessList.value === "all" ? "all" : toEntries(selection.accessList),
          options?.workerOf,
        );
  if (!shaped.ok) return shaped;
  const [first] = shaped.value.steps;
  // There is nothing before the first step, so "all" says no more than []; in a later round, where accepting
  // is allowed, it shows the round before.
  if (first?.access === "all" && !options?.allowEmpty) first.access = [];
  const error = validateWorkflow(shaped.value, options);
  return error ? { ok: false, error } : { ok: true, workflow: shaped.value };
}

function toEntries({ value }: FoundList) {
  return Array.isArray(value) ? value : [];
}

const RIGHT: Record<FoundList["name"], string> = {
  subtasks: "write strings in quotes, with commas between them",
  model_id: "write numbers with commas between them, such as [0, 1]",
  access_list: 'write one entry per step, such as [[], ["all"]]',
  steps: 'write [{ "worker": 0, "subtask": "…", "access": [] }]',
};

function findUnread(selection: Selection & { type: "lists" | "steps" }): WorkflowError | undefined {
  const lists =
    selection.type === "steps"
      ? [selection.steps]
      : [selection.modelId, selection.subtasks, selection.accessList];
  const list = lists.find(({ failure }) => failure !== undefined);
  if (list === undefined) return undefined;
  if (list.failure === "unclosed") {
    const message = `${list.name} is never closed: write its closing bracket before anything else`;
    return { code: "cut-off", message };
  }
  return { code: "bad-list", message: `${list.name} is not a list that can be read: ${RIGHT[list.name]}` };
}

function rejectIncomplete(found: FoundList[]): ParseResult {
  const names = ["model_id", "subtasks", "access_list"];
  const missing = names.filter((name) => !found.some((list) => list.name === name));
  if (missing.length === names.length) {
    return reject("nothing-found", `There is no workflow in the text: write the lists ${names.join(", ")}`);
  }
  const verb = missing.length === 1 ? "is" : "are";
  return reject("missing-list", `${missing.join(" and ")} ${verb} missing: write all of ${names.join(", ")}`);
}

function reject(code: WorkflowErrorCode, message: string): ParseResult {
  return { ok: false, error: { code, message } };
}
