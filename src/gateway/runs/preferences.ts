// What a request may say of the run itself, beside the dialect's own fields: the object `tutti` in its body.
// Nothing here names a file or a Conductor: a client chooses among what the gateway offers, and no more. Of every limit
// it may ask for less than the gateway's own, never for more. How long its reply may be is the client's own business: money
// is reserved for it.

import { QUALITIES, type Quality } from "../../base/quality-names.ts";
import { didYouMean } from "../../base/suggest.ts";
import type { TuttiConfig } from "../../config/schema.ts";
import type { Workflow } from "../../workflow/types.ts";
import { LONGEST_NAME, LONGEST_SCHEMA, MOST_POOL_NAMES } from "../access/request-limits.ts";
import type { ObjectReader } from "../http/object-reader.ts";

/** More than a Conductor may write, for votes of many; not so many that performing them is an attack. */
const MOST_STEPS = 32;

export interface RunPreferences {
  /** The name of a pool in the config, or ids of workers. */
  pool?: string[];
  /** How much the answer may take. */
  quality?: Quality;
  rounds?: number;
  budgetUsd?: number;
  deadlineMs?: number;
  maxCalls?: number;
  /** Performed instead of what a Conductor would write. Checked by the performer. */
  workflow?: Workflow;
}

export function readPreferences(body: ObjectReader, { limits }: Pick<TuttiConfig, "limits">): RunPreferences {
  const tutti = body.optionalObject("tutti");
  if (!tutti) return {};
  return {
    pool: readPool(tutti),
    quality: readQuality(tutti),
    rounds: tutti.number("rounds", { min: 1, max: 10, isWhole: true }),
    budgetUsd: tutti.number("budget_usd", { min: 0 }),
    deadlineMs: atMost(tutti.number("deadline_ms", { min: 1 }), limits.deadlineMs),
    maxCalls: atMost(tutti.number("max_calls", { min: 1, isWhole: true }), limits.calls),
    workflow: readWorkflow(tutti),
  };
}

/** What is wanted, within what is allowed; null allows everything. Undefined where nothing is wanted. */
export function atMost(wanted: number | undefined, allowed: number | null): number | undefined {
  return wanted === undefined ? undefined : Math.min(wanted, allowed ?? Number.POSITIVE_INFINITY);
}

function readWorkflow(tutti: ObjectReader): Workflow | undefined {
  const workflow = tutti.optionalObject("workflow")?.fields as Workflow | undefined;
  const count = Array.isArray(workflow?.steps) ? workflow.steps.length : 0;
  if (count > MOST_STEPS) throw tutti.bad("workflow", `has ${count} steps; ${MOST_STEPS} are allowed.`);
  const { length } = JSON.stringify(workflow ?? {});
  if (length <= LONGEST_SCHEMA) return workflow;
  throw tutti.bad("workflow", `has ${length} characters as JSON; ${LONGEST_SCHEMA} are allowed.`);
}

function readQuality(tutti: ObjectReader): Quality | undefined {
  const name = tutti.optionalName("quality");
  const known = QUALITIES.find((quality) => quality === name);
  if (name === undefined || known) return known;
  throw tutti.wrong("quality", `one of ${QUALITIES.join(", ")}.${didYouMean(name, QUALITIES)}`);
}

function readPool(tutti: ObjectReader): string[] | undefined {
  const value = tutti.value("pool");
  if (value === undefined) return undefined;
  const names: unknown = typeof value === "string" ? value.split(",", MOST_POOL_NAMES + 1) : value;
  const isName = (name: unknown): name is string =>
    typeof name === "string" && name.length <= LONGEST_NAME && name.trim() !== "";
  const isList = Array.isArray(names) && names.length > 0 && names.length <= MOST_POOL_NAMES;
  if (isList && names.every(isName)) return names.map((name) => name.trim());
  const most = `of at most ${MOST_POOL_NAMES} names with ${LONGEST_NAME} characters at the most`;
  throw tutti.wrong("pool", `the name of a pool, or a list of workers, ${most}`);
}
