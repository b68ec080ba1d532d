// Workflows as people write them: YAML (or JSON) with steps that name a worker, a subtask and what it sees, or the lists
// of the Conductor's language. Workers may be named by id; whether they are in the pool is seen when the pool is there.

import { parse } from "yaml";
import { z } from "zod";
import { usageError } from "../base/errors.ts";
import { isObject } from "../base/fields.ts";
import { didYouMean } from "../base/suggest.ts";
import { parseWorkflow } from "../workflow/parse.ts";
import type { Access, NamedWorkflow } from "../workflow/types.ts";

/** The language stops at five; whoever writes by hand may want a longer chain. */
const MOST_STEPS = 20;

const stepSchema = z.strictObject({
  /** For `sees` of later steps. */
  name: z.string().min(1).optional(),
  /** Its id, its model's name where only one worker has it, or its number in the pool from 0. */
  worker: z.union([z.int().min(0), z.string().trim().min(1)]),
  subtask: z.string().trim().min(1, "must say what the worker is to do"),
  /** none, all, or earlier steps: by their names, or by their numbers counted from 1. */
  sees: z.union([z.enum(["none", "all"]), z.array(z.union([z.int().min(1), z.string().min(1)]))]).optional(),
});

export const writtenWorkflowSchema = z.strictObject({
  description: z.string().optional(),
  steps: z.array(stepSchema).min(1).max(MOST_STEPS),
});

export type WrittenWorkflow = z.output<typeof writtenWorkflowSchema>;

/** Positions instead of names and numbers from 1. Without `sees` the last step sees all, the others nothing. */
export function toNamedWorkflow({ steps }: WrittenWorkflow): NamedWorkflow {
  return {
    steps: steps.map(({ worker, subtask, sees }, position) => {
      const whenUnsaid = position === steps.length - 1 && position > 0 ? "all" : "none";
      return { worker, subtask, access: toAccess(sees ?? whenUnsaid, steps, position) };
    }),
  };
}

function toAccess(
  sees: NonNullable<WrittenWorkflow["steps"][number]["sees"]>,
  steps: WrittenWorkflow["steps"],
  position: number,
): Access {
  if (sees === "none") return [];
  if (sees === "all") return position === 0 ? [] : "all";
  const earlier = steps.slice(0, position).flatMap(({ name }) => name ?? []);
  const positions = sees.map((seen) => {
    const at = typeof seen === "number" ? seen - 1 : steps.findIndex(({ name }) => name === seen);
    if (at >= 0 && at < position) return at;
    const right =
      position === 0
        ? "the first step sees nothing"
        : `write none, all, numbers from 1 to ${position}${earlier.length > 0 ? `, or ${earlier.join(", ")}` : ""}`;
    const hint = typeof seen === "string" ? didYouMean(seen, earlier) : "";
    throw usageError(
      `step ${position + 1} sees ${JSON.stringify(seen)}, which is no earlier step: ${right}.${hint}`,
    );
  });
  return [...new Set(positions)].sort((a, b) => a - b);
}

/** `name` is for messages: the file, or what it is saved as. */
export function parseWrittenWorkflow(text: string, name: string): NamedWorkflow {
  const written = readYaml(text);
  if (written === undefined) return parseLists(text, name);
  const parsed = writtenWorkflowSchema.safeParse(written);
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!;
    throw usageError(`${name} is not a workflow: ${toPlace(path)}${message} (docs/workflows.md)`);
  }
  try {
    return toNamedWorkflow(parsed.data);
  } catch (error) {
    throw usageError(`${name} is not a workflow: ${(error as Error).message}`, error);
  }
}

/** "steps.1.worker" → "step 2, worker: ". */
function toPlace(path: readonly PropertyKey[]): string {
  const [first, position, field] = path;
  if (first !== "steps" || typeof position !== "number") return path.length > 0 ? `${path.join(".")}: ` : "";
  return `step ${position + 1}${field === undefined ? "" : `, ${String(field)}`}: `;
}

const LONGEST_COMPARED = 50_000;

/** Undefined where it is not steps in YAML: steps with `access` are those of the Conductor's language. */
function readYaml(text: string): unknown {
  let value: unknown;
  try {
    // To look for names that are there twice compares each with every other.
    value = parse(text, { maxAliasCount: 0, uniqueKeys: text.length < LONGEST_COMPARED });
  } catch {
    return undefined;
  }
  if (!isObject(value) || !Array.isArray(value.steps)) return undefined;
  return value.steps.some((step) => isObject(step) && "access" in step) ? undefined : value;
}

/** Names get numbers beyond every pool until they are put back. */
const NAMED = 1_000_000;

function parseLists(text: string, name: string): NamedWorkflow {
  const names: string[] = [];
  const workerOf = (worker: string) => (worker === "" ? undefined : NAMED + names.push(worker) - 1);
  const parsed = parseWorkflow(text, { workers: Number.MAX_SAFE_INTEGER, workerOf });
  if (!parsed.ok) throw usageError(`${name} is not a workflow: ${parsed.error.message}`);
  return {
    steps: parsed.workflow.steps.map((step) => ({
      ...step,
      worker: names[step.worker - NAMED] ?? step.worker,
    })),
  };
}
