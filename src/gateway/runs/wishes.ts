// What a request may say of the run itself, beside the dialect's own fields: the object `tutti` in its body.
// Nothing here names a file or a Conductor: a client chooses among what the gateway offers, and no more.

import type { Workflow } from "../../workflow/types.ts";
import {
  badRequest,
  type Fields,
  isFields,
  readNumber,
  readOptionalObject,
  wrong,
} from "../dialect/fields.ts";

/** More than a Conductor may write, for votes of many; not so many that performing them is an attack. */
const MOST_STEPS = 32;

export interface Wishes {
  /** The name of a pool in the config, or ids of workers. */
  pool?: string[];
  rounds?: number;
  budgetUsd?: number;
  deadlineMs?: number;
  maxCalls?: number;
  /** Performed instead of what a Conductor would write. Checked by the performer. */
  workflow?: Workflow;
}

export function readWishes(body: Fields): Wishes {
  const fields = readOptionalObject(body, "tutti");
  if (!fields) return {};
  const path = "tutti";
  const rounds = readNumber(fields, "rounds", { min: 1, max: 10, isWhole: true }, path);
  const budgetUsd = readNumber(fields, "budget_usd", { min: 0 }, path);
  const deadlineMs = readNumber(fields, "deadline_ms", { min: 1 }, path);
  const maxCalls = readNumber(fields, "max_calls", { min: 1, isWhole: true }, path);
  const pool = readPool(fields.pool ?? undefined);
  const workflow = fields.workflow ?? undefined;
  if (workflow !== undefined && !isFields(workflow)) throw wrong(workflow, "a workflow", "tutti.workflow");
  const { steps } = workflow ?? {};
  if (Array.isArray(steps) && steps.length > MOST_STEPS)
    throw badRequest(
      `"tutti.workflow" has ${steps.length} steps; ${MOST_STEPS} are allowed.`,
      "tutti.workflow",
    );
  return {
    ...(pool && { pool }),
    ...(rounds !== undefined && { rounds }),
    ...(budgetUsd !== undefined && { budgetUsd }),
    ...(deadlineMs !== undefined && { deadlineMs }),
    ...(maxCalls !== undefined && { maxCalls }),
    ...(workflow !== undefined && { workflow: workflow as unknown as Workflow }),
  };
}

function readPool(value: unknown): string[] | undefined {
  if (value === undefined) return undefined;
  const names = typeof value === "string" ? value.split(",") : value;
  if (
    Array.isArray(names) &&
    names.length > 0 &&
    names.every((name) => typeof name === "string" && name.trim() !== "")
  )
    return names.map((name: string) => name.trim());
  throw wrong(value, "the name of a pool, or a list of workers", "tutti.pool");
}
