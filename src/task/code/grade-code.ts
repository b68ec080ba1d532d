// Grades programs by running them: all tests of the task must pass. Nothing that is printed in the sandbox
// is taken for a verdict.
import { isTuttiError, usageError } from "../../base/errors.ts";
import { isCheckedInside } from "../decided-inside.ts";
import { chooseSandbox, describeMissing } from "../sandbox/sandbox.ts";
import type { ProgramOptions } from "../sandbox/types.ts";
import type { Grade, GradedTask } from "../types.ts";
import { type CodeFailure, type CodeJob, gradeCases } from "./cases.ts";
import { gradeCheck } from "./check.ts";
import { extractCode } from "./extract.ts";

const CASE_TIMEOUT_MS = 10_000;

export interface GradeCodeOptions {
  /** "quickjs" grades JavaScript without starting any process, and leaves Python ungraded. */
  engine?: ProgramOptions["engine"];
}

export async function gradeCode(
  task: GradedTask,
  answer: string,
  signal?: AbortSignal,
  options: GradeCodeOptions = {},
): Promise<Grade> {
  const { tests } = task;
  if (tests === undefined)
    throw usageError(`Task "${task.id}" has no tests; a code task needs cases or a check`);
  const { language, style, entry = "", check = "", timeoutMs = CASE_TIMEOUT_MS } = tests;
  const source = extractCode(answer, language);
  if (source === undefined) return { score: 0, why: "there is no program in the answer" };
  const sandbox = await chooseSandbox(language, options.engine);
  if (typeof sandbox === "object")
    return { score: 0, why: describeMissing(language, sandbox), ungraded: true };

  const before = definesFunction(task.prompt, entry) ? task.prompt : "";
  const job: CodeJob = {
    ...{ language, style, entry, check, timeoutMs, signal, before, engine: sandbox },
    // Some models go on where the prompt stopped, inside the function.
    source: before !== "" && /^[ \t]/.test(source) ? `${before.trimEnd()}\n${source}` : source,
    cases: tests.cases ?? [],
  };
  const failure = await gradeJob(job);
  const isInside = isCheckedInside(job);
  const where = isInside ? "; checked in the program's own process" : "";
  const decided = { sandbox, decidedIn: isInside ? ("program" as const) : undefined };
  if (failure === undefined) return { score: 1, why: `passed ${describeTests(job)}${where}`, ...decided };
  return { score: 0, why: failure.why + where, ...decided, ungraded: failure.isUngraded };
}

/** Without a pattern made from the task's own text, which may come from anywhere. No name: any function. */
function definesFunction(prompt: string, name: string): boolean {
  return prompt.split("\n").some((line) => {
    const definition = line.trimStart().replace(/^async /, "");
    return (
      definition.startsWith(`def ${name}`) && (name === "" || !/^\w/.test(definition.slice(4 + name.length)))
    );
  });
}

async function gradeJob(job: CodeJob): Promise<CodeFailure> {
  try {
    return (
      (job.cases.length > 0 ? await gradeCases(job) : undefined) ??
      (job.check ? await gradeCheck(job) : undefined)
    );
  } catch (error) {
    if (!isTuttiError(error) || error.code !== "sandbox-failed") throw error;
    return { why: error.message, isUngraded: true };
  }
}

function describeTests({ cases, check }: CodeJob): string {
  return [cases.length > 0 && `${cases.length} cases`, check && "its check"].filter(Boolean).join(" and ");
}
