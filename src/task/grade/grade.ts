// The Grader of tasks: each task names how its answer is compared, and this finds who does it.
// Recorded and simulated tasks are graded where they come from.

import { usageError } from "../../base/errors.ts";
import type { PoolMember } from "../../worker/types.ts";
import type { Grader } from "../types.ts";
import { gradeChoice } from "./choice.ts";
import { gradeJson } from "./json.ts";
import { gradeJudge } from "./judge.ts";
import { gradeMaths } from "./maths.ts";
import { gradeNumeric } from "./numeric.ts";
import { gradeText } from "./text.ts";

const NEVER = new AbortController().signal;

export function createGrader(options: { judge?: PoolMember } = {}): Grader {
  return {
    async grade(task, answer, signal = NEVER) {
      signal.throwIfAborted();
      switch (task.grader) {
        case "choice":
          return gradeChoice(task, answer);
        case "maths":
          return gradeMaths(task, answer);
        case "text":
          return gradeText(task, answer);
        case "numeric":
          return gradeNumeric(task, answer);
        case "json":
          return gradeJson(task, answer);
        case "judge":
          return gradeJudge(task, answer, options.judge, signal);
        case "code": {
          // Sandboxes are heavy to load and most sets need none.
          const { gradeCode } = await import("../code/grade-code.ts");
          return gradeCode(task, answer, signal);
        }
        default:
          throw usageError(
            `Task "${task.id}" has the grader "${task.grader}", which this grader does not know: grade it with its recording or its simulated family (here: choice, maths, text, numeric, json, judge, code)`,
          );
      }
    },
  };
}
