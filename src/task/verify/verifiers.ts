// The verifiers that need no model. Each says yes or no only where it is exact, and nothing otherwise.

import { readJsonOutput } from "../../answer/json-output.ts";
import type { CodeTests, Task } from "../../worker/types.ts";
import { checkArithmetic, NOTHING_TO_CHECK } from "./arithmetic.ts";
import type { Verifier } from "./types.ts";

/** The client's JSON schema, or any JSON where it asked for no more. */
export const schemaVerifier: Verifier = {
  name: "schema",
  async verify({ output }, reply) {
    const format = output?.responseFormat;
    if (!format) return { holds: undefined, why: "no JSON was asked for" };
    const read = await readJsonOutput(reply, format.schema);
    if (!read.ok) return { holds: false, why: read.problem };
    if (read.isUnchecked) return { holds: undefined, why: "checking the schema took too long" };
    return { holds: true, why: format.schema ? "it fits the schema" : "it is JSON" };
  },
};

/** Runs the program in the reply, in the sandbox, against tests that the client gave. */
export const testsVerifier: Verifier = {
  name: "tests",
  async verify(task, reply, signal) {
    const { tests } = task;
    if (!tests) return { holds: undefined, why: "there are no tests" };
    const { gradeCode } = await import("../code/grade-code.ts");
    const { score, why, ungraded } = await gradeCode(toGraded(task, tests), reply, signal);
    return { holds: ungraded ? undefined : score >= 1, why };
  },
};

const arithmeticVerifier: Verifier = {
  name: "arithmetic",
  async verify(task, reply) {
    return checkArithmetic(toQuestion(task), reply);
  },
};

/** Undefined where there is nothing to verify a reply with. */
export function findVerifier(task: Task): Verifier | undefined {
  if (task.tests) return testsVerifier;
  if (task.output?.responseFormat) return schemaVerifier;
  return checkArithmetic(toQuestion(task), "").why === NOTHING_TO_CHECK ? undefined : arithmeticVerifier;
}

function toGraded(task: Task, tests: CodeTests) {
  const prompt = toQuestion(task);
  return {
    id: task.id ?? "task",
    set: "",
    category: "",
    family: "",
    prompt,
    answer: "",
    grader: "code" as const,
    tests,
  };
}

/** The last thing the user said. */
function toQuestion({ messages }: Task): string {
  const content = messages.findLast(({ role }) => role === "user")?.content ?? "";
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
