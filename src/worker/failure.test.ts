import { describe, expect, it } from "vitest";
import { parseRetryAfter, toWorkerError } from "./failure.ts";

const NOW = Date.parse("2026-11-15T12:00:00Z");

it.each([
  [{ "retry-after": "3" }, 3000],
  [{ "Retry-After": "0.5" }, 500],
  [{ "retry-after": "Sun, 15 Nov 2026 12:00:07 GMT" }, 7000],
  [{ "retry-after": "Sun, 15 Nov 2026 11:00:00 GMT" }, 0],
  // Whoever says it may have another clock.
  [{ "retry-after": "Sun, 15 Nov 2026 12:07:07 GMT", Date: "Sun, 15 Nov 2026 12:07:00 GMT" }, 7000],
  [{ "retry-after": "Sun, 15 Nov 2026 12:00:07 GMT", date: "by and by" }, 7000],
  [{ "retry-after": "9", "retry-after-ms": "1250" }, 1250],
  [{ "retry-after": "soon" }, undefined],
  [{}, undefined],
])("Retry-After %j is %s ms", (headers: Record<string, string>, expected) => {
  expect(parseRetryAfter(headers, NOW)).toBe(expected);
});

describe("error objects inside a stream", () => {
  const context = { workerId: "w", isAborted: false, isStreaming: true };
  it.each([
    [{ type: "rate_limit_error", message: "slow" }, "rate-limited", true],
    [{ type: "insufficient_quota", message: "empty" }, "rate-limited", false],
    [{ type: "authentication_error", message: "who" }, "auth", false],
    [{ code: "context_length_exceeded", message: "long" }, "bad-request", false],
    [{ code: 503, message: "down" }, "provider-error", true],
    [{ type: "error", error: { type: "overloaded_error", message: "busy" } }, "provider-error", true],
    [
      { type: "response.failed", response: { error: { code: "invalid_prompt", message: "no" } } },
      "bad-request",
      false,
    ],
    ["something broke", "provider-error", true],
  ])("%j is %s", (error, code, retryable) => {
    expect(toWorkerError(error, context)).toMatchObject({ code, retryable });
  });
});

it("an error after the caller has stopped is the stopping", () => {
  const context = { workerId: "w", isAborted: true, isStreaming: true };
  expect(toWorkerError(new TypeError("terminated"), context)).toMatchObject({
    code: "aborted",
    retryable: false,
  });
});
