// What is wrong with a config, for people: the file and line, the field with its path, what was found,
// what is right, and the nearest right name. All problems at once, one line each.

import { z } from "zod";
import { usageError } from "../base/errors.ts";
import { isObject } from "../base/fields.ts";
import { shorten } from "../base/format.ts";
import { redact } from "../base/redact.ts";
import { didYouMean } from "../base/suggest.ts";
import { isPoolMember, schemas, type TuttiConfig, toWorkerId } from "./schema.ts";

type Path = readonly PropertyKey[];

export interface ConfigSource {
  /** The file, or "the config" in code. */
  name: string;
  /** Where a field stands in the file, from 1. */
  lineOf?: (path: Path) => number | undefined;
}

interface ConfigProblem {
  path: Path;
  text: string;
}

/** Whoever has more wrong than this sees the rest after mending these. */
const MOST_SHOWN = 50;

/** Throws a usage error that names every problem. */
export function parseConfig(input: unknown, source: ConfigSource = { name: "the config" }): TuttiConfig {
  const secrets = findSecrets(input, []);
  const parsed = schemas.config.safeParse(input);
  const problems = [...secrets];
  if (!parsed.success) {
    const wrong = parsed.error.issues.flatMap((issue) => toProblems(issue, input));
    // A key in the wrong place is one problem, not two.
    problems.push(
      ...wrong.filter(({ path }) => !secrets.some((secret) => toText(secret.path) === toText(path))),
    );
  } else if (problems.length === 0) {
    problems.push(...findTwins(parsed.data), ...findLost(parsed.data));
  }
  if (parsed.success && problems.length === 0) return parsed.data;
  const lines = problems.slice(0, MOST_SHOWN).map(({ path, text }) => {
    const line = source.lineOf?.(path);
    return `${source.name}${line === undefined ? "" : `:${line}`}: ${text}`;
  });
  const more = problems.length - lines.length;
  throw usageError([...lines, ...(more > 0 ? [`… and ${more} more`] : [])].join("\n"));
}

function toProblems(issue: z.core.$ZodIssue, input: unknown): ConfigProblem[] {
  const path = issue.path;
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => {
      const field = toText([...path, key]);
      return {
        path: [...path, key],
        text: `unknown field "${shorten(field, 100)}".${didYouMean(key, fieldsAt(path))}`,
      };
    });
  }
  const field = path.length === 0 ? "the config" : toText(path);
  const found = valueAt(input, path);
  if (found === undefined) return [{ path, text: `${field} is missing: ${toRight(issue, path)}` }];
  const values = issue.code === "invalid_value" ? issue.values.map(String) : [];
  const hint = typeof found === "string" ? didYouMean(found, values) : "";
  return [{ path, text: `${field} ${toRight(issue, path)}, but is ${toShown(found)}${hint && `.${hint}`}` }];
}

const KINDS: Record<string, string> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a group of fields",
  record: "a group of fields",
};

function toRight(issue: z.core.$ZodIssue, path: Path): string {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${KINDS[issue.expected] ?? issue.expected}${schemaAt(path) instanceof z.ZodNullable ? " or null" : ""}`;
    case "too_small":
      return issue.origin === "array" || issue.origin === "string"
        ? "must not be empty"
        : `must be ${issue.inclusive === false ? "more than" : "at least"} ${issue.minimum}`;
    case "too_big":
      return `must be at most ${issue.maximum}`;
    case "invalid_value":
      return `must be one of ${issue.values.join(", ")}`;
    case "invalid_key":
      return "must have a name that is allowed here";
    default:
      return issue.message;
  }
}

// ---- The schema at a path -----------------------------------------------------------------------

function fieldsAt(path: Path): string[] {
  const schema = schemaAt(path);
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/** With defaults and optionals taken off. Workers are checked by a schema of their own. */
function schemaAt(path: Path): unknown {
  const isWorker = path[0] === "workers" && path.length > 1;
  const keys = isWorker ? path.slice(2) : path;
  return keys.reduce(
    (schema: unknown, key) => {
      const holder = schema instanceof z.ZodNullable ? schema.unwrap() : schema;
      return holder instanceof z.ZodObject ? unwrap(holder.shape[String(key)]) : undefined;
    },
    isWorker ? schemas.worker : schemas.config,
  );
}

function unwrap(schema: unknown): unknown {
  const isWrapped =
    schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault;
  return isWrapped ? unwrap(schema.unwrap()) : schema;
}

// ---- Values -------------------------------------------------------------------------------------

function valueAt(input: unknown, path: Path): unknown {
  return path.reduce(
    (value: unknown, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key],
    input,
  );
}

function toShown(value: unknown): string {
  if (typeof value === "string") return `"${redact(value).slice(0, 60)}"`;
  if (Array.isArray(value)) return "a list";
  if (isObject(value)) return "a group of fields";
  return String(value);
}

/** `workers[0].price.inputUsd` */
function toText(path: Path): string {
  return path
    .map((key, i) => (typeof key === "number" ? `[${key}]` : `${i > 0 ? "." : ""}${String(key)}`))
    .join("");
}

/** Keys do not belong in a config: it is shared, committed and shown. The value is never repeated. */
function findSecrets(value: unknown, path: Path): ConfigProblem[] {
  const field = String(path.at(-1) ?? "");
  if (/^(api[-_]?key|(auth[-_]?|access[-_]?)?token|secret|password)$/i.test(field)) return [secretAt(path)];
  if (typeof value === "string") return redact(value) === value ? [] : [secretAt(path)];
  if (Array.isArray(value)) return value.flatMap((item, i) => findSecrets(item, [...path, i]));
  const isPlain = isObject(value) && Object.getPrototypeOf(value) === Object.prototype;
  // Objects that code made (models, workers) are left alone.
  if (!isPlain || "ask" in value || "doStream" in value || "worker" in value) return [];
  return Object.entries(value).flatMap(([key, item]) => findSecrets(item, [...path, key]));
}

function secretAt(path: Path): ConfigProblem {
  const how =
    path[0] === "store"
      ? "Write store: postgres, and put the address into TUTTI_POSTGRES_URL"
      : 'Put it into an environment variable and name that: apiKeyEnv: "OPENAI_API_KEY"';
  return { path, text: `${toText(path)} holds a key, and keys do not belong in a config. ${how}` };
}

function findTwins(config: TuttiConfig): ConfigProblem[] {
  const ids = (config.workers ?? []).map(toWorkerId);
  return ids.flatMap((id, i) => {
    const first = ids.indexOf(id);
    if (first === i) return [];
    const text = `workers[${i}] has the same id "${id}" as workers[${first}]. Give it an id of its own`;
    return [{ path: ["workers", i], text }];
  });
}

/** Names that stand for nobody: a request would find out, perhaps months later. */
function findLost({ workers = [], gateway }: TuttiConfig): ConfigProblem[] {
  const ids = workers.map(toWorkerId);
  const right = `a worker (there are: ${shorten(ids.join(", "), 200) || "none"}) or "provider/model"`;
  const fallbacks = workers.flatMap((entry, i): ConfigProblem[] =>
    (isPoolMember(entry) ? [] : (entry.fallbacks ?? [])).flatMap((name, j) => {
      const path = ["workers", i, "fallbacks", j];
      if (name === ids[i]) return [{ path, text: `${toText(path)} is the worker itself. Name another one` }];
      if (name.includes("/") || ids.includes(name)) return [];
      return [
        { path, text: `${toText(path)} must be ${right}, but is ${toShown(name)}.${didYouMean(name, ids)}` },
      ];
    }),
  );
  const aliases = Object.entries(gateway.aliases).flatMap(([alias, name]): ConfigProblem[] => {
    const path = ["gateway", "aliases", alias];
    if (/\/|^tutti(-|$)/.test(name) || ids.includes(name)) return [];
    const known = ["tutti", "tutti-fast", "tutti-ultra", ...ids];
    const text = `${toText(path)} must be tutti, tutti-fast, tutti-ultra, ${right}, but is ${toShown(name)}.`;
    return [{ path, text: text + didYouMean(name, known) }];
  });
  return [...fallbacks, ...aliases];
}
