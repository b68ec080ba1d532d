// Our errors as OpenAI writes them, for Chat Completions and Responses. Clients decide by status and code
// whether to try again, and a try is a whole team at work, so what cannot get better is said in a way that
// stops them.

import type { ErrorCode } from "../../base/error-codes.ts";
import type { TuttiError } from "../../base/errors.ts";
import { redact } from "../../base/redact.ts";
import { toShownError } from "./shown-error.ts";

export interface OpenAIError {
  message: string;
  type: string;
  param: string | null;
  code: string | null;
}

/** Where OpenAI has a word of its own. Other codes are ours, with underscores. */
const CODES: Partial<Record<ErrorCode, string | null>> = {
  "bad-request": null,
  usage: null,
  auth: "invalid_api_key",
  "unknown-model": "model_not_found",
  "unknown-run": "not_found",
  "run-active": "conflict",
  "run-busy": "conflict",
  "too-large": "request_too_large",
  "context-length": "context_length_exceeded",
  "rate-limited": "rate_limit_exceeded",
  "budget-spent": "insufficient_quota",
  aborted: "cancelled",
  overloaded: "server_is_overloaded",
  unreachable: "server_is_overloaded",
  internal: "internal_error",
};

export function toOpenAIError(error: TuttiError): { status: number; body: { error: OpenAIError } } {
  const { status, code, message } = toShownError(error);
  const shown = CODES[code];
  const param = status < 500 && error.param !== undefined ? redact(error.param) : null;
  return {
    status,
    body: {
      error: {
        message,
        type: toType(code, status),
        param,
        code: shown === undefined ? code.replaceAll("-", "_") : shown,
      },
    },
  };
}

function toType(code: ErrorCode, status: number): string {
  if (code === "rate-limited") return "requests";
  if (code === "budget-spent") return "insufficient_quota";
  return status < 499 ? "invalid_request_error" : "server_error";
}
