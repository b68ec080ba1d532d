// Whether a reply is the JSON that a client asked for. Models wrap it in prose and code fences; what is taken
// is the JSON value itself, exactly as it was written. What a schema may make expensive is done in a thread of its own,
// with one time limit for the whole reply, however many values are in it.
import { createIsolate } from "../isolate/isolate.ts";
import { type JsonOutput, readWithSchema } from "./json-schema.ts";
import type { AnswerJobs } from "./thread.ts";

/** For all of a reply. Ordinary checks take less than a millisecond. */
const MOST_CHECK_MS = 500;
/**
 * Characters of the schema times characters of the reply. Without patterns, references and comparisons of all items
 * with all others each part of a schema meets each part of a value at most once: this is a hundredth of a second.
 */
const MOST_WORK_HERE = 1_000_000;
/** What may take longer than that: patterns (formats are patterns), references that multiply, all pairs of items. */
const COSTLY = /"(?:pattern|patternProperties|format|\$ref|\$dynamicRef|\$recursiveRef|uniqueItems)"\s*:/;

const ANY_JSON = {};

const isolate = createIsolate<AnswerJobs>(new URL("./thread.js", import.meta.url));

/** Never rejects. Without a schema any object or array will do, as with OpenAI's `json_object`. */
export async function readJsonOutput(reply: string, schema?: Record<string, unknown>): Promise<JsonOutput> {
  if (!schema || toWeight(schema) * reply.length <= MOST_WORK_HERE) return readWithSchema(reply, schema);
  const ended = await isolate
    .run("read", { reply, schema }, { timeoutMs: MOST_CHECK_MS })
    .catch(() => undefined);
  // A schema that takes for ever, or a thread that cannot be had, must not cost the client its answer: any JSON will do.
  if (ended?.end === "done") return ended.value;
  const any = readWithSchema(reply, ANY_JSON);
  return any.ok ? { ...any, isUnchecked: true } : any;
}

const weights = new WeakMap<object, number>();

/** Its length as text; without end where it is one of the costly ones. */
function toWeight(schema: Record<string, unknown>): number {
  let weight = weights.get(schema);
  if (weight === undefined) {
    const text = JSON.stringify(schema);
    weight = COSTLY.test(text) ? Number.POSITIVE_INFINITY : text.length;
    weights.set(schema, weight);
  }
  return weight;
}
