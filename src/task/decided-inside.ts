// Which tasks are decided in the graded program's own process, where the program can bend the verdict: checks that
// reach into the program's modules (unittest with mocks, pytest), as in BigCodeBench. Such grades tell how honest programs
// do; as rewards they would teach to forge them, so nothing learns from them unless it is allowed.
import { usageError } from "../base/errors.ts";
import type { CodeTests, GradedTask } from "./types.ts";

const REACHES_INSIDE = /\b(unittest|pytest|mock|patch|__main__|globals|sys\.modules)\b/;

/** By the check alone, never by the program. */
export const isCheckedInside = ({ language, check = "" }: Pick<CodeTests, "language" | "check">) =>
  language === "python" && REACHES_INSIDE.test(check);

export const isDecidedInside = ({ decidedIn, tests }: Pick<GradedTask, "decidedIn" | "tests">) =>
  decidedIn === "program" || (tests !== undefined && isCheckedInside(tests));

/** For whoever makes rewards of grades. */
export function refuseDecidedInside(
  tasks: readonly Pick<GradedTask, "id" | "decidedIn" | "tests">[],
  isAllowed: boolean | undefined,
): void {
  const inside = isAllowed ? [] : tasks.filter(isDecidedInside);
  if (inside.length === 0) return;
  throw usageError(
    `${inside.length} of ${tasks.length} tasks (such as "${inside[0]!.id}") are checked in the program's own process, where a program can forge its grade, and grades are rewards here. Leave them out, or allow them with --allow-inside-grades`,
  );
}
