// Finds the JSON in a reply that fits a schema, without any limit of time: a schema with patterns, references or much
// of either is a stranger's program, and json-output.ts decides in which thread it runs. Pure.
import { type Schema, Validator } from "@cfworker/json-schema";
import { isObject } from "../base/fields.ts";

/** `isUnchecked`: it is JSON, and whether it fits the schema nobody knows, because checking took too long. */
export type JsonOutput = { ok: true; text: string; isUnchecked?: true } | { ok: false; problem: string };

/** Long lists of what is wrong help nobody: the first few say enough. */
const MOST_PROBLEMS = 3;
/** Prose full of brackets is given up on. */
const MOST_STARTS = 64;

/** Without a schema any object or array will do, as with OpenAI's `json_object`. */
export function readWithSchema(reply: string, schema?: Record<string, unknown>): JsonOutput {
  let problem = "it is not JSON";
  for (const text of candidatesIn(reply)) {
    const parsed = parse(text);
    if (!parsed) continue;
    const found = schema ? checkSchema(parsed.value, schema) : checkShape(parsed.value);
    if (found === undefined) return { ok: true, text };
    problem = found;
  }
  return { ok: false, problem };
}

/** The whole reply, what stands in its code fences, and what begins at its first brackets. */
function* candidatesIn(reply: string): Generator<string> {
  const whole = reply.trim();
  yield whole;
  for (const [, inside = ""] of whole.matchAll(/```[\w-]*\n([^`]*)```/g)) yield inside.trim();
  const openings = /[[{]/g;
  for (let count = 0; count < MOST_STARTS; count++) {
    const start = openings.exec(whole)?.index;
    if (start === undefined) return;
    const end = whole.lastIndexOf(whole[start] === "{" ? "}" : "]");
    if (end > start) yield whole.slice(start, end + 1);
  }
}

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

function checkShape(value: unknown): string | undefined {
  return isObject(value) ? undefined : "it is not a JSON object";
}

const validators = new WeakMap<object, Validator>();

function checkSchema(value: unknown, schema: Record<string, unknown>): string | undefined {
  try {
    let validator = validators.get(schema);
    if (!validator) {
      validator = new Validator(schema as Schema, "2020-12", false);
      validators.set(schema, validator);
    }
    const { valid, errors } = validator.validate(value);
    if (valid) return undefined;
    // The innermost say what is wrong; those around them only that something inside is.
    const deepest = errors.toSorted((a, b) => b.instanceLocation.length - a.instanceLocation.length);
    const lines = deepest
      .slice(0, MOST_PROBLEMS)
      .map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);
    return `it does not match the schema (${lines.join("; ")})`;
  } catch {
    // A schema that cannot be followed (a reference to nowhere, or one that never ends) must not cost the client its answer.
    return undefined;
  }
}
