// What an event changes in the summary of its run. Pure, and shared by every store, so that a list shows
// the same run in the same way wherever it is kept.

import type { Message } from "../worker/types.ts";
import type { PoolEntry, RunEvent, StopReason } from "./types.ts";

export type SummaryChange =
  | {
      type: "start";
      parentId?: string;
      startedAt: number;
      question: string;
      conductor: string;
      isSimulated: boolean;
    }
  /** Added to what was spent so far: the summary of an interrupted run tells what it has cost. */
  | { type: "spend"; costUsd: number; calls: number }
  /** It goes on after its end. The sums stay. */
  | { type: "resume" }
  /** The sums of the run itself take the place of ours. */
  | { type: "end"; endedAt: number; answer: string; stopReason: StopReason; costUsd: number; calls: number };

export function toSummaryChange(event: RunEvent): SummaryChange | undefined {
  switch (event.type) {
    case "run-start":
      return {
        type: "start",
        parentId: event.parent?.runId,
        startedAt: event.at,
        question: toBeginning(lastUserText(event.task.messages)),
        conductor: event.settings.conductor,
        isSimulated: isSimulated(event.pool),
      };
    case "run-resume":
      return { type: "resume" };
    case "plan-end":
    case "plan-error":
      // The Conductor's calls are counted apart, as in `run-end`.
      return { type: "spend", costUsd: event.spending.costUsd ?? 0, calls: 0 };
    case "step-end":
    case "step-error":
      return { type: "spend", costUsd: event.spending.costUsd ?? 0, calls: event.spending.calls };
    case "run-end":
      return {
        type: "end",
        endedAt: event.at,
        answer: toBeginning(event.answer),
        stopReason: event.stopReason,
        costUsd: event.spent.usd,
        calls: event.spent.calls,
      };
    default:
      return undefined;
  }
}

/** Workers of the rehearsal took part: replies and money are simulated. */
export function isSimulated(pool: readonly Pick<PoolEntry, "id">[]): boolean {
  return pool.some(({ id }) => id.startsWith("rehearsal/"));
}

function lastUserText(messages: Message[]): string {
  const content = messages.findLast((message) => message.role === "user")?.content ?? "";
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** At most 200 characters, without half of a surrogate pair and without the zero character, which ends a text in SQLite. */
function toBeginning(text: string): string {
  return text
    .slice(0, 200)
    .replaceAll("\0", " ")
    .replace(/[\uD800-\uDBFF]$/, "");
}
