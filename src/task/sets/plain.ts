// Tasks of one's own: rows `{ id?, prompt, answer, choices?, category?, subtask?, grader?, tolerance?,
// tests? }`. Without a grader the answer decides how it is compared.

import { z } from "zod";
import { isObject } from "../../base/fields.ts";
import { badFile, quote } from "../../files/problems.ts";
import type { SourceRow } from "../../files/read-jsonl.ts";
import { type CodeTests, GRADERS, type GraderName } from "../types.ts";
import type { TaskFormat } from "./formats.ts";

const NUMBER = /^[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:e[-+]?\d+)?$/i;

const TESTS = z.strictObject({
  language: z.enum(["python", "javascript"]),
  style: z.enum(["stdin", "function"]),
  entry: z.string().optional(),
  cases: z.array(z.object({ input: z.string(), output: z.string() })).optional(),
  check: z.string().optional(),
  timeoutMs: z.number().positive().optional(),
});

export const PLAIN: TaskFormat = {
  id: "plain",
  title: "Tasks of one's own",
  columns: ["prompt"],
  grader: graderOf,
  fields: {
    id: "id",
    prompt: "prompt",
    answer: "answer",
    choices: "choices",
    category: "category",
    family: "subtask",
    tolerance: toTolerance,
    tests: toTests,
  },
};

function graderOf(row: SourceRow): GraderName {
  const { grader, answer, choices, tests } = row;
  if (grader !== undefined && grader !== null && grader !== "") {
    const known = GRADERS.find((name) => name === grader);
    if (!known) throw badFile(`"grader" must be one of ${GRADERS.join(", ")}, not ${quote(grader)}`);
    if (known === "code" && !tests) throw badFile('the grader "code" needs "tests"');
    return known;
  }
  if (tests) return "code";
  if (choices && (!Array.isArray(choices) || choices.length > 0)) return "choice";
  if (isObject(answer)) return "json";
  const text = String(answer ?? "").trim();
  if (text !== "" && /\d/.test(text) && NUMBER.test(text)) return "numeric";
  return /\\[a-zA-Z]+|^\$.*\$$/.test(text) ? "maths" : "text";
}

/** In CSV it comes as text. */
function toTolerance({ tolerance }: SourceRow): number | undefined {
  if (tolerance === undefined || tolerance === null || tolerance === "") return undefined;
  const value = Number(tolerance);
  if (value >= 0) return value;
  throw badFile(`"tolerance" must be a number from 0, not ${quote(tolerance)}`);
}

function toTests({ tests }: SourceRow): CodeTests | undefined {
  if (tests === undefined || tests === null || tests === "") return undefined;
  let value = tests;
  try {
    if (typeof tests === "string") value = JSON.parse(tests);
  } catch {
    // Said below.
  }
  const parsed = TESTS.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw badFile(
      `"tests" cannot be used: ${["tests", ...(issue?.path ?? [])].join(".")}: ${issue?.message}`,
    );
  }
  const { style, entry, cases, check } = parsed.data;
  if (style === "function" && !entry && !check)
    throw badFile('"tests" of style "function" must name "entry"');
  if (!check && !cases?.length) throw badFile('"tests" must have "cases" or a "check"');
  return parsed.data;
}
