// What of an error a client may read, in any dialect: status, code and words of errors that are for clients,
// without keys; of others only that there was one. Apart because this must be the same in all dialects.

import { type ErrorCode, traitsOf } from "../../base/error-codes.ts";
import type { TuttiError } from "../../base/errors.ts";
import { shorten } from "../../base/format.ts";
import { redact } from "../../base/redact.ts";

/** What a provider or a client wrote may be in it: enough to understand it, not all of it. */
const LONGEST_MESSAGE = 2_000;

interface ShownError {
  status: number;
  code: ErrorCode;
  message: string;
}

/** The status is the code's own: what a worker's provider said to us is not about the client's request. */
export function toShownError({ code, message }: TuttiError): ShownError {
  const { isShown, status } = traitsOf(code);
  if (isShown) return { status, code, message: shorten(redact(message), LONGEST_MESSAGE) };
  const hidden = "Something went wrong here; the request id finds it in the log.";
  return { status: 500, code: "internal", message: hidden };
}
