// The face that both kinds of progress share: drawn live on a terminal, or plain lines for a log.

import type { Environment } from "../../config/home.ts";
import type { Run } from "../../perform/run.ts";
import type { RunState } from "../../perform/state.ts";
import type { RunEvent } from "../../store/types.ts";

export interface Output {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
  rows?: number;
}

export interface ViewOptions {
  stdout: Output;
  stderr: Output;
  env: Environment;
  isQuiet?: boolean;
  /** The last lines, instead of the totals and where to read more. */
  toFooter?: (run: Run) => string[];
  now?: () => number;
}

/** Shows one run. Progress is whatever is said before and beside the answer. */
export interface RunProgress {
  notice(text: string): void;
  /** What happened before this process took the run over. */
  prime(state: RunState, nested: ReadonlyMap<string, RunState>): void;
  event(event: RunEvent, state: RunState, nested: ReadonlyMap<string, RunState>): void;
  /** The answer is about to be printed by somebody else. */
  beforeAnswer(state: RunState, event?: Extract<RunEvent, { type: "step-delta" }>): void;
  afterAnswer(state: RunState): void;
  /** Keeps still while a person is asked something. */
  pause(): void;
  resume(): void;
}
