// What the answer must satisfy, from files: a JSON schema, tests of a program.

import { readFile, stat } from "node:fs/promises";
import { z } from "zod";
import { usageError } from "../../base/errors.ts";
import { isObject } from "../../base/fields.ts";
import type { Task } from "../../worker/types.ts";

const MOST_BYTES = 1_000_000;

const testsSchema = z
  .strictObject({
    language: z.enum(["python", "javascript"]),
    style: z.enum(["stdin", "function"]),
    entry: z.string().optional(),
    cases: z
      .array(z.strictObject({ input: z.string(), output: z.string() }))
      .max(1000)
      .optional(),
    check: z.string().optional(),
    timeoutMs: z.int().min(1).max(60_000).optional(),
  })
  .refine(({ cases, check }) => (cases?.length ?? 0) > 0 || check, "needs cases or a check")
  .refine(({ style, entry }) => style === "stdin" || entry, '"function" needs the name of it as "entry"');

export interface CheckFlags {
  schema?: string;
  tests?: string;
}

export async function readChecks({ schema, tests }: CheckFlags): Promise<Pick<Task, "output" | "tests">> {
  const checks: Pick<Task, "output" | "tests"> = {};
  if (schema !== undefined) {
    const value = await readJsonFile("--schema", schema);
    if (!isObject(value) || Array.isArray(value))
      throw usageError(`--schema ${schema}: a JSON schema must be an object`);
    checks.output = { responseFormat: { type: "json", schema: value as Record<string, unknown> } };
  }
  if (tests !== undefined) {
    const parsed = testsSchema.safeParse(await readJsonFile("--tests", tests));
    if (!parsed.success) {
      const { path, message } = parsed.error.issues[0]!;
      throw usageError(`--tests ${tests}: ${path.length > 0 ? `"${path.join(".")}": ` : ""}${message}`);
    }
    checks.tests = parsed.data;
  }
  return checks;
}

async function readJsonFile(flag: string, file: string): Promise<unknown> {
  try {
    const { size } = await stat(file);
    if (size > MOST_BYTES) throw new Error(`it has ${size} bytes, at most ${MOST_BYTES} are read`);
    return JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    throw usageError(`${flag} ${file} cannot be read as JSON: ${(error as Error).message}`);
  }
}
