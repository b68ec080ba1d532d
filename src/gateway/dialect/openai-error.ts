// Our errors as OpenAI writes them, for Chat Completions and Responses. Clients decide by status and code
// whether to try again, and a try is a whole team at work, so what cannot get better is said in a way that
// stops them.

import type { TuttiError } from "../../base/errors.ts";
import { redact } from "../../base/redact.ts";
import { isOfWorkers, toShownMessage } from "./shown-error.ts";

export interface OpenAIError {
  message: string;
  type: string;
  param: string | null;
  code: string | null;
}

interface Kind {
  status: number;
  type: string;
  code: string | null;
}

const invalid = (status: number, code: string | null): Kind => ({
  status,
  type: "invalid_request_error",
  code,
});
const server = (status: number, code: string): Kind => ({ status, type: "server_error", code });

const KINDS = new Map<string, Kind>([
  ["bad-request", invalid(400, null)],
  ["usage", invalid(400, null)],
  ["content-filter", invalid(400, "content_filter")],
  ["auth", invalid(401, "invalid_api_key")],
  ["forbidden", invalid(403, "forbidden")],
  ["unknown-model", invalid(404, "model_not_found")],
  ["not-found", invalid(404, "not_found")],
  ["unknown-run", invalid(404, "not_found")],
  ["method-not-allowed", invalid(405, "method_not_allowed")],
  ["conflict", invalid(409, "conflict")],
  ["run-active", invalid(409, "conflict")],
  ["run-busy", invalid(409, "conflict")],
  ["too-large", invalid(413, "request_too_large")],
  ["invalid-output", invalid(422, "invalid_output")],
  ["limit", invalid(422, "limit")],
  ["rate-limited", { status: 429, type: "requests", code: "rate_limit_exceeded" }],
  ["budget-spent", { status: 429, type: "insufficient_quota", code: "insufficient_quota" }],
  ["aborted", server(499, "cancelled")],
  ["cancelled", server(499, "cancelled")],
  ["overloaded", server(503, "server_is_overloaded")],
  ["unreachable", server(503, "server_is_overloaded")],
  ["timeout", server(504, "timeout")],
]);

export function toOpenAIError(error: TuttiError): { status: number; body: { error: OpenAIError } } {
  const known = kindOf(error.code);
  const { status, type, code } = known ?? server(500, "internal_error");
  const message = toShownMessage(error, known !== undefined);
  const param = status < 500 && error.param !== undefined ? redact(error.param) : null;
  return { status, body: { error: { message, type, param, code } } };
}

function kindOf(code: string): Kind | undefined {
  return isOfWorkers(code) ? server(502, code.replaceAll("-", "_")) : KINDS.get(code);
}
