import { describe, expect, it } from "vitest";
import type { ErrorCode } from "../../base/error-codes.ts";
import { TuttiError } from "../../base/errors.ts";
import { registerSecret } from "../../base/redact.ts";
import { toOpenAIError } from "./openai-error.ts";

describe("an error in OpenAI's shape", () => {
  it.each<[ErrorCode, number, string, string | null]>([
    ["bad-request", 400, "invalid_request_error", null],
    ["usage", 400, "invalid_request_error", null],
    ["content-filter", 400, "invalid_request_error", "content_filter"],
    ["auth", 401, "invalid_request_error", "invalid_api_key"],
    ["forbidden", 403, "invalid_request_error", "forbidden"],
    ["unknown-model", 404, "invalid_request_error", "model_not_found"],
    ["not-found", 404, "invalid_request_error", "not_found"],
    ["conflict", 409, "invalid_request_error", "conflict"],
    ["too-large", 413, "invalid_request_error", "request_too_large"],
    ["invalid-output", 422, "invalid_request_error", "invalid_output"],
    ["rate-limited", 429, "requests", "rate_limit_exceeded"],
    ["budget-spent", 429, "insufficient_quota", "insufficient_quota"],
    ["provider-error", 502, "server_error", "provider_error"],
    ["stream-cut", 502, "server_error", "stream_cut"],
    ["worker-fault", 502, "server_error", "worker_fault"],
    ["worker-auth", 502, "server_error", "worker_auth"],
    ["bad-response", 502, "server_error", "bad_response"],
    ["overloaded", 503, "server_error", "server_is_overloaded"],
    ["unreachable", 503, "server_error", "server_is_overloaded"],
    ["timeout", 504, "server_error", "timeout"],
  ])("%s → %d", (code, status, type, shown) => {
    // The status a worker's provider gave must not decide what our client sees.
    const error = new TuttiError(code, "It failed.", { status: 418 });
    expect(toOpenAIError(error)).toEqual({
      status,
      body: { error: { message: "It failed.", type, param: null, code: shown } },
    });
  });

  it("names the field to blame", () => {
    const error = new TuttiError("bad-request", "No.", { param: "messages[0].role" });
    expect(toOpenAIError(error).body.error.param).toBe("messages[0].role");
  });

  it("hides what is internal", () => {
    const { status, body } = toOpenAIError(
      new TuttiError("journal-damaged", "/var/lib/x: page 7", { status: 400 }),
    );
    expect(status).toBe(500);
    expect(body.error).toMatchObject({ type: "server_error", code: "internal_error" });
    expect(body.error.message).toMatch(/request id/);
    expect(JSON.stringify(body)).not.toContain("page 7");
  });

  it("shows no key", () => {
    registerSecret("a-registered-secret");
    const message = 'Worker "a/b": key a-registered-secret or sk-1234567890abcdef was refused.';
    const text = JSON.stringify(toOpenAIError(new TuttiError("worker-auth", message)).body);
    expect(text).not.toMatch(/a-registered-secret|sk-1234/);
    expect(text).toContain("a/b");
  });
});
