// What of an error a client may read, in any dialect: the words of errors we know, without keys; of others
// only that there was one. Apart because every dialect has its own statuses but this must be the same in all.

import type { TuttiError } from "../../base/errors.ts";
import { redact } from "../../base/redact.ts";

/** What a run fails with when nobody of the team replied. */
const OF_WORKERS = new Set([
  "bad-response",
  "conductor-fault",
  "empty-reply",
  "failed",
  "interrupted",
  "nested-failed",
  "no-model",
  "nothing-to-vote",
  "provider-error",
  "stream-cut",
  "unknown-worker",
]);

/**
 * The client did nothing wrong, a worker failed: always a 502, whatever its provider said to us. What a
 * provider says about our keys ("worker-auth") must never look as if it were about the client's.
 */
export function isOfWorkers(code: string): boolean {
  return OF_WORKERS.has(code) || code.startsWith("worker-");
}

/** `isKnown`: the dialect has a status for its code. Other errors are bugs, and stay in the log. */
export function toShownMessage(error: TuttiError, isKnown: boolean): string {
  return isKnown ? redact(error.message) : "Something went wrong here; the request id finds it in the log.";
}
