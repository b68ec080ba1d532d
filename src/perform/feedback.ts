// What is said of a run after it: checked and bounded here, for the gateway, the command and the library alike.

import { TuttiError, usageError } from "../base/errors.ts";
import { redact } from "../base/redact.ts";
import type { Feedback, FeedbackEvent, Store } from "../store/types.ts";
import { readSigns } from "../trajectory/signs.ts";
import { findRated } from "./rated.ts";
import { type Run, toRun } from "./run.ts";
import { fold } from "./state.ts";

const LONGEST_LABEL = 64;
const LONGEST_COMMENT = 2_000;
/** Of one run: whoever changes their mind says so again, and nobody fills the journal with it. */
const MOST_FEEDBACK = 20;

/** Journals it with the run. `keyId`: who says it, unless that is the owner or an admin. Throws "usage" for what is no feedback, "conflict" where a run has too much of it already. */
export async function addFeedback(
  store: Pick<Store, "append" | "loadRun">,
  runId: string,
  { score, label, comment }: Feedback,
  { keyId, now = Date.now() }: { keyId?: string; now?: number } = {},
): Promise<Run> {
  if (typeof score !== "number" || !(score >= 0 && score <= 1))
    throw usageError(`A score is a number from 0 (useless) to 1 (right), not ${String(score)}.`);
  checkLength("label", label, LONGEST_LABEL);
  checkLength("comment", comment, LONGEST_COMMENT);
  const state = fold(await store.loadRun(runId));
  if (!state) throw new TuttiError("unknown-run", `There is no run ${runId}`);
  if (state.feedback.length >= MOST_FEEDBACK)
    throw new TuttiError("conflict", `Run ${runId} has ${MOST_FEEDBACK} ratings already, and takes no more.`);
  const said = {
    score,
    label: label || undefined,
    // What a client did not want kept is not kept of what is said about it either.
    comment: comment && !state.isStripped && !state.origin?.isPrivate ? redact(comment) : undefined,
  };
  const about = findRated(toRun(state));
  const event: FeedbackEvent = { type: "run-feedback", runId, at: now, ...said, keyId, about };
  await store.append([event]);
  return toRun({ ...state, feedback: [...state.feedback, { ...said, at: now }] });
}

/** What a run tells of itself for certain: tests that its tools ran, JSON that is not as it was asked for. */
export function inferFeedback({ stopReason, task, steps, answerStep }: Run): Feedback | undefined {
  const common = { isInferred: true as const };
  if (stopReason === "invalid-output") return { score: 0, label: "invalid-json", ...common };
  if (stopReason !== "done") return undefined;
  const step = steps.find(({ round, step }) => round === answerStep?.round && step === answerStep.step);
  const { tests, isTestedLast } = readSigns(task.messages, step?.exchanges ?? []);
  // Behind tests that failed an agent may have mended it, behind those that passed it may have broken it.
  return isTestedLast && tests && { score: tests === "passed" ? 1 : 0, label: `tests-${tests}`, ...common };
}

function checkLength(name: string, text: string | undefined, most: number): void {
  if (text !== undefined && text.length > most)
    throw usageError(`The ${name} has ${text.length} characters; ${most} are allowed.`);
}
