// How a run's end reads outside: one table for the command (exit code) and the gateway (status, error code). Whether
// there is something to rely on is decided here and nowhere else.

import { type ErrorCode, traitsOf } from "../base/error-codes.ts";
import type { StopReason } from "../store/types.ts";
import type { Run } from "./run.ts";

export interface Ending {
  /** 0: there is an answer, perhaps cut short by a limit. 1: there is none. 130: stopped by the user. */
  exitCode: 0 | 1 | 130;
  /** Of the gateway. A worker's own error may say another one. */
  status: number;
  /** Absent: it is an answer. */
  code?: ErrorCode;
}

const ANSWER: Ending = { exitCode: 0, status: 200 };

function failure(code: ErrorCode, exitCode: Ending["exitCode"] = 1): Ending {
  return { exitCode, status: traitsOf(code).status, code };
}

/** A failure whatever text there is: it is a part of a reply that broke, or of no use. */
function always(code: ErrorCode) {
  return { answered: failure(code), empty: failure(code) };
}

/** The best answer so far is an answer. */
function unless(code: ErrorCode) {
  return { answered: ANSWER, empty: failure(code) };
}

/** "interrupted": it is not over, and nobody performs it. */
export const ENDINGS: Record<StopReason | "interrupted", { answered: Ending; empty: Ending }> = {
  // A model may have nothing to say, or only calls of tools.
  done: { answered: ANSWER, empty: ANSWER },
  "tool-calls": { answered: ANSWER, empty: ANSWER },
  "budget-usd": unless("limit"),
  "budget-calls": unless("limit"),
  "budget-tokens": unless("limit"),
  deadline: unless("timeout"),
  cancelled: { answered: { exitCode: 130, status: 200 }, empty: failure("cancelled", 130) },
  refused: unless("conflict"),
  "worker-failed": unless("worker-fault"),
  "invalid-output": always("invalid-output"),
  "answer-cut": always("stream-cut"),
  failed: always("worker-fault"),
  // What was said before the journal failed is paid for and whole.
  "journal-failed": unless("overloaded"),
  // What is there of it is no answer yet: whoever goes on with it will give one.
  interrupted: always("overloaded"),
};

export function endingOf({ stopReason, hasAnswer }: Pick<Run, "stopReason" | "hasAnswer">): Ending {
  return ENDINGS[stopReason ?? "interrupted"][hasAnswer ? "answered" : "empty"];
}
