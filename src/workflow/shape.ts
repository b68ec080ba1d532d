// From what was written to what is meant: literals become ids, subtasks and access, and lists become steps.
// Ranges are checked by `validateWorkflow`, for workflows of every origin.

import type { Literal, LiteralFields } from "./literal.ts";
import type { FoundList } from "./scan.ts";
import { show } from "./show.ts";
import type { Access, ParseOptions, Step, Workflow, WorkflowError } from "./types.ts";
import { badAccess } from "./validate.ts";

type Result<T> = { ok: true; value: T } | { ok: false; error: WorkflowError };

type WorkerOf = ParseOptions["workerOf"];

const WORKER_ID = /^(?:(?:model|worker|agent)[ _-]{0,2}(?:id)?[ _:#-]{0,3})?(\d{1,15})(?:\.0+)?$/i;
const POSITION = /^\d{1,15}$/;

const WORKER_KEYS = ["modelid", "model", "worker", "workerid", "agent", "agentid"];
const SUBTASK_KEYS = ["subtask", "subtasks", "task", "instruction"];
const ACCESS_KEYS = ["accesslist", "access"];

/** The three lists, one entry per step each. A bare "all" for access stands for every step. */
export function fromLists(
  modelId: Literal[],
  subtasks: Literal[],
  access: Literal[] | "all",
  workerOf?: WorkerOf,
): Result<Workflow> {
  const lengths = compareLengths(
    modelId.length,
    subtasks.length,
    access === "all" ? undefined : access.length,
  );
  if (lengths) return { ok: false, error: lengths };
  const steps: Step[] = [];
  for (const [position, id] of modelId.entries()) {
    const step = toStep(
      id,
      subtasks[position]!,
      access === "all" ? "all" : access[position]!,
      position,
      workerOf,
    );
    if (!step.ok) return step;
    steps.push(step.value);
  }
  return { ok: true, value: { steps } };
}

/** A JSON array of objects, each with worker, subtask and access. */
export function fromObjects(objects: Literal[], workerOf?: WorkerOf): Result<Workflow> {
  const steps: Step[] = [];
  for (const [position, object] of objects.entries()) {
    if (!isFields(object)) {
      const message = `The step at position ${position} is ${show(object)}: write { "worker", "subtask", "access" }`;
      return { ok: false, error: { code: "bad-list", message } };
    }
    const worker = pick(object, WORKER_KEYS);
    const subtask = pick(object, SUBTASK_KEYS);
    const access = pick(object, ACCESS_KEYS);
    if (worker === undefined || subtask === undefined || access === undefined) {
      const name = worker === undefined ? "worker" : subtask === undefined ? "subtask" : "access";
      const message = `The step at position ${position} has no "${name}": each needs worker, subtask and access`;
      return { ok: false, error: { code: "missing-list", message } };
    }
    const step = toStep(worker, subtask, access, position, workerOf);
    if (!step.ok) return step;
    steps.push(step.value);
  }
  return { ok: true, value: { steps } };
}

/** True for an array whose objects are steps and not anything else in JSON. */
export function holdsSteps(value: Literal[]): boolean {
  return value.some(
    (entry) => isFields(entry) && pick(entry, WORKER_KEYS) !== undefined && pick(entry, SUBTASK_KEYS),
  );
}

function compareLengths(
  ids: number,
  subtasks: number,
  access: number | undefined,
): WorkflowError | undefined {
  const other = subtasks !== ids ? `subtasks has ${subtasks}` : `access_list has ${access}`;
  if (subtasks === ids && (access === undefined || access === ids)) return undefined;
  const entries = ids === 1 ? "1 entry" : `${ids} entries`;
  return {
    code: "unequal-lengths",
    message: `model_id has ${entries} but ${other}: all three lists need one entry per step`,
  };
}

function toStep(
  id: Literal,
  subtask: Literal,
  access: Literal,
  position: number,
  workerOf?: WorkerOf,
): Result<Step> {
  const worker = toWorker(id, workerOf);
  if (worker === undefined) {
    return badEntry(`model_id at position ${position} is ${show(id)}: write the worker's number, such as 0`);
  }
  if (typeof subtask !== "string") {
    return badEntry(`subtasks at position ${position} is ${show(subtask)}: write a string in quotes`);
  }
  const seen = toAccess(access);
  if (seen === undefined) return { ok: false, error: badAccess(access, position) };
  return { ok: true, value: { worker, subtask, access: seen } };
}

function badEntry(message: string): { ok: false; error: WorkflowError } {
  return { ok: false, error: { code: "bad-list", message } };
}

function toWorker(literal: Literal, workerOf?: WorkerOf): number | undefined {
  if (typeof literal === "number") return Number.isInteger(literal) ? literal : undefined;
  const written = toText(literal)?.trim();
  const digits = written === undefined ? undefined : WORKER_ID.exec(written)?.[1];
  if (digits !== undefined) return Number(digits);
  return written === undefined ? undefined : workerOf?.(written);
}

/** Undefined where it is neither "all", nothing, nor a list of positions. A single number is too unclear. */
function toAccess(literal: Literal): Access | undefined {
  if (!Array.isArray(literal)) return toWholeAccess(literal);
  if (literal.length === 0) return [];
  if (literal.length === 1) {
    const whole = toWholeAccess(literal[0]!);
    if (whole !== undefined) return whole;
  }
  const positions = new Set<number>();
  for (const entry of literal) {
    const written = toText(entry)?.trim();
    const position = written !== undefined && POSITION.test(written) ? Number(written) : entry;
    if (typeof position !== "number" || !Number.isInteger(position)) return undefined;
    positions.add(position);
  }
  return [...positions].sort((a, b) => a - b);
}

function toWholeAccess(literal: Literal): "all" | [] | undefined {
  if (literal === null) return [];
  const word = toText(literal)?.trim().toLowerCase();
  return word === "all" ? "all" : word === "none" ? [] : undefined;
}

function toText(literal: Literal): string | undefined {
  if (typeof literal === "string") return literal;
  return typeof literal === "object" && literal !== null && "word" in literal ? literal.word : undefined;
}

function isFields(literal: Literal): literal is LiteralFields {
  return typeof literal === "object" && literal !== null && "fields" in literal;
}

function pick({ fields }: LiteralFields, keys: string[]): Literal | undefined {
  return fields.findLast(([key]) => keys.includes(key))?.[1];
}

// ---- Which lists ---------------------------------------------------------------------------------

// Which of the lists in a text are the workflow: the last three that belong together. Reasoning mentions lists,
// drafts come before the final version, explanations after it; what the Conductor wrote last is what counts.

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
