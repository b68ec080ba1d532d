// What can go wrong between the gateway and a provider that it relays to, as our one error.

import { isTuttiError, TuttiError } from "../../base/errors.ts";
import { toWorkerError } from "../../worker/failure.ts";

const TIMEOUTS = new Set(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]);

/** `isStreaming`: the reply had begun. */
export function toRelayError(cause: unknown, workerId: string, isStreaming: boolean): TuttiError {
  if (isTuttiError(cause)) return cause;
  if (TIMEOUTS.has((cause as { code?: string })?.code ?? "")) {
    const what = isStreaming ? "was silent for too long in the middle of its reply" : "did not reply in time";
    return new TuttiError("timeout", `Worker "${workerId}" ${what}.`);
  }
  return toWorkerError(cause, { workerId, isAborted: false, isStreaming });
}

/** The provider said so itself, in an event of its own that was relayed. */
export function failedInside(workerId: string): TuttiError {
  const message = `Worker "${workerId}": its provider failed in the middle of the reply.`;
  return new TuttiError("provider-error", message);
}

/** By our own side: a deadline, a shutdown. */
export function stopped(workerId: string): TuttiError {
  return toWorkerError(undefined, { workerId, isAborted: true, isStreaming: false });
}
