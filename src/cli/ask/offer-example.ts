// The rehearsal answers only what its simulated world knows. Whoever asks it something else is offered a
// question, ready to paste, that shows what a real run looks like.

import type { Run } from "../../perform/run.ts";
import { textOf } from "../../worker/brief.ts";
import { isSimulated } from "../../worker/kinds.ts";

const LONGEST = 110;

/** Undefined where there is nothing to offer: a real pool, or a question that was understood. */
export async function toOffer(run: Pick<Run, "pool" | "task">): Promise<string | undefined> {
  if (!isSimulated(run.pool)) return undefined;
  const { exampleQuestion, readProblem } = await import("../../rehearsal/questions.ts");
  const asked = run.task.messages.findLast(({ role }) => role === "user");
  const question = asked ? textOf(asked) : "";
  if (readProblem(question)) return undefined;
  // Quotes would need escaping in somebody's shell, and a long text does not invite to try it.
  for (let i = 0; i < 50; i++) {
    const example = exampleQuestion(`${question}${i}`);
    if (example.length <= LONGEST && !/["'`$\\!\n]/.test(example)) return `tutti ask "${example}"`;
  }
  return undefined;
}
