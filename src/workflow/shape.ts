// From what was written to what is meant: literals become ids, subtasks and access, and lists become steps.
// Ranges are checked by `validateWorkflow`, for workflows of every origin.

import type { Literal, LiteralFields } from "./literal.ts";
import { show } from "./show.ts";
import type { Access, Step, Workflow, WorkflowError } from "./types.ts";
import { badAccess } from "./validate.ts";

type Result<T> = { ok: true; value: T } | { ok: false; error: WorkflowError };

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
): Result<Workflow> {
  const lengths = compareLengths(
    modelId.length,
    subtasks.length,
    access === "all" ? undefined : access.length,
  );
  if (lengths) return { ok: false, error: lengths };
  const steps: Step[] = [];
  for (const [position, id] of modelId.entries()) {
    const step = toStep(id, subtasks[position]!, access === "all" ? "all" : access[position]!, position);
    if (!step.ok) return step;
    steps.push(step.value);
  }
  return { ok: true, value: { steps } };
}

/** A JSON array of objects, each with worker, subtask and access. */
export function fromObjects(objects: Literal[]): Result<Workflow> {
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
    const step = toStep(worker, subtask, access, position);
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

function toStep(id: Literal, subtask: Literal, access: Literal, position: number): Result<Step> {
  const worker = toWorker(id);
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

function toWorker(literal: Literal): number | undefined {
  if (typeof literal === "number") return Number.isInteger(literal) ? literal : undefined;
  const written = toText(literal)?.trim();
  const digits = written === undefined ? undefined : WORKER_ID.exec(written)?.[1];
  return digits === undefined ? undefined : Number(digits);
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
