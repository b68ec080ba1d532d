// The Grader of tasks: each task names how its answer is compared, and this finds who does it.
// Recorded and simulated tasks are graded where they come from.

import { usageError } from "../../base/errors.ts";
import type { PoolMember } from "../../worker/types.ts";
import type { Grade, GradedTask, Grader, GraderName } from "../types.ts";
import { gradeChoice } from "./choice.ts";
import { gradeJson } from "./json.ts";
import { gradeJudge } from "./judge.ts";
import { gradeMaths } from "./maths.ts";
import { gradeNumeric } from "./numeric.ts";
import { gradeText } from "./text.ts";

const NEVER = new AbortController().signal;

interface GradeContext {
  judge: PoolMember | undefined;
  signal: AbortSignal;
}

/** Who grades what. A new grader is a line here and its file. */
const GRADERS: Record<
  GraderName,
  (task: GradedTask, answer: string, context: GradeContext) => Grade | Promise<Grade>
> = {
  choice: gradeChoice,
  maths: gradeMaths,
  text: gradeText,
  numeric: gradeNumeric,
  json: gradeJson,
  judge: (task, answer, { judge, signal }) => gradeJudge(task, answer, judge, signal),
  async code(task, answer, { signal }) {
    // Sandboxes are heavy to load and most sets need none.
    const { gradeCode } = await import("../code/grade-code.ts");
    return gradeCode(task, answer, signal);
  },
  recorded: refuse,
  rehearsal: refuse,
};

export function createGrader({ judge }: { judge?: PoolMember } = {}): Grader {
  return {
    async grade(task, answer, signal = NEVER) {
      signal.throwIfAborted();
      return GRADERS[task.grader](task, answer, { judge, signal });
    },
  };
}

function refuse({ id, grader }: GradedTask): never {
  throw usageError(
    `Task "${id}" has the grader "${grader}": grade it with its recording or its simulated family`,
  );
}
