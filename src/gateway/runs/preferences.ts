// What a request may say of the run itself, beside the dialect's own fields: the object `tutti` in its body.
// Nothing here names a file or a Conductor: a client chooses among what the gateway offers, and no more.

import type { Workflow } from "../../workflow/types.ts";
import type { ObjectReader } from "../http/object-reader.ts";

/** More than a Conductor may write, for votes of many; not so many that performing them is an attack. */
const MOST_STEPS = 32;

export interface RunPreferences {
  /** The name of a pool in the config, or ids of workers. */
  pool?: string[];
  rounds?: number;
  budgetUsd?: number;
  deadlineMs?: number;
  maxCalls?: number;
  /** Performed instead of what a Conductor would write. Checked by the performer. */
  workflow?: Workflow;
}

export function readPreferences(body: ObjectReader): RunPreferences {
  const tutti = body.optionalObject("tutti");
  if (!tutti) return {};
  return {
    pool: readPool(tutti),
    rounds: tutti.number("rounds", { min: 1, max: 10, isWhole: true }),
    budgetUsd: tutti.number("budget_usd", { min: 0 }),
    deadlineMs: tutti.number("deadline_ms", { min: 1 }),
    maxCalls: tutti.number("max_calls", { min: 1, isWhole: true }),
    workflow: readWorkflow(tutti),
  };
}

function readWorkflow(tutti: ObjectReader): Workflow | undefined {
  const workflow = tutti.optionalObject("workflow")?.fields as Workflow | undefined;
  const count = Array.isArray(workflow?.steps) ? workflow.steps.length : 0;
  if (count <= MOST_STEPS) return workflow;
  throw tutti.bad("workflow", `has ${count} steps; ${MOST_STEPS} are allowed.`);
}

function readPool(tutti: ObjectReader): string[] | undefined {
  const value = tutti.value("pool");
  if (value === undefined) return undefined;
  const names: unknown = typeof value === "string" ? value.split(",") : value;
  const isName = (name: unknown): name is string => typeof name === "string" && name.trim() !== "";
  if (Array.isArray(names) && names.length > 0 && names.every(isName))
    return names.map((name) => name.trim());
  throw tutti.wrong("pool", "the name of a pool, or a list of workers");
}
