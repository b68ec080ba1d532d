// Whether a reply holds, by something other than another opinion: tests that are run, a schema, arithmetic.

import type { Task } from "../../worker/types.ts";

export interface Verification {
  /** Undefined: nothing could be said. That is no refusal. */
  holds: boolean | undefined;
  /** For people and for whoever is asked next. */
  why: string;
}

export interface Verifier {
  /** What it checks by, for people: "tests", "schema", "arithmetic". */
  readonly name: string;
  /** May throw and may take its time: whoever asks it (verifier-worker.ts) bounds both. */
  verify(task: Task, reply: string, signal: AbortSignal): Promise<Verification>;
}
