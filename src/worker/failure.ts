// Whatever can go wrong between us and a provider → one TuttiError with a stable code and a short
// message that names the worker. The original error is not kept as `cause`: it carries the whole prompt.

import type { ErrorCode } from "../base/error-codes.ts";
import { isTuttiError, TuttiError, type TuttiErrorOptions } from "../base/errors.ts";
import { isObject } from "../base/fields.ts";
import { redact } from "../base/redact.ts";

const LONGEST_BODY = 200;

/** What the AI SDK's errors have in common; read by shape, so that its packages need not be loaded for it. */
interface SdkError {
  name?: string;
  message?: string;
  statusCode?: number;
  responseBody?: string;
  responseHeaders?: Record<string, string>;
  data?: unknown;
  cause?: unknown;
  code?: unknown;
  type?: unknown;
  error?: unknown;
  response?: { error?: unknown };
}

/** A provider points to another address, or never ends: thrown where nobody knows the worker's name. */
export class Redirected extends Error {
  constructor(status: number, location = "") {
    const to = URL.canParse(location) ? new URL(location).host : "another address";
    super(`it sends us on to ${to} (${status}), and redirects are not followed`);
  }
}
export class EndlessReply extends Error {}

export interface FailureContext {
  workerId: string;
  /** Our caller wants to stop. */
  isAborted: boolean;
  /** A response was on its way: its failure is a broken stream. */
  isStreaming: boolean;
}

export function toWorkerError(error: unknown, context: FailureContext): TuttiError {
  const worker = `Worker "${context.workerId}"`;
  if (context.isAborted) return new TuttiError("aborted", `${worker} was stopped.`);
  if (isTuttiError(error)) return error;
  const failure = (isObject(error) ? error : { message: String(error) }) as SdkError;

  if (failure.statusCode !== undefined && failure.statusCode >= 400)
    return byStatus(worker, failure.statusCode, failure);
  // The AI SDK's packages put these into errors of their own.
  for (const cause of causesOf(failure)) {
    if (cause instanceof Redirected) return redirected(context.workerId, cause);
    if (cause instanceof EndlessReply) return endlessReply(context.workerId);
  }
  switch (failure.name) {
    case "AI_JSONParseError":
    case "AI_TypeValidationError":
    case "AI_EmptyResponseBodyError":
      return badResponse(context.workerId, "what it sent is not what a chat stream looks like");
    case "AI_LoadAPIKeyError":
      return fail("auth", `${worker} has no key`, failure);
    case "AI_UnsupportedFunctionalityError":
    case "AI_InvalidPromptError":
    case "AI_InvalidArgumentError":
      return fail("bad-request", `${worker} cannot do what was asked`, failure);
    case "AI_InvalidResponseDataError":
      return streamCut(context.workerId);
  }
  // A status below 400 with an error means that the body broke off.
  if (failure.statusCode !== undefined) return streamCut(context.workerId);
  if (isNetworkError(failure)) {
    if (context.isStreaming) return streamCut(context.workerId);
    // It had been asked, and may bill what it was asked for.
    if (isBroken(failure))
      return fail("stream-cut", `${worker} broke the connection before it replied`, innermost(failure));
    return fail("unreachable", `${worker} cannot be reached`, innermost(failure));
  }
  if (error instanceof Error) {
    return fail("provider-error", `${worker} failed`, failure, { retryable: context.isStreaming });
  }
  return byErrorObject(worker, failure);
}

export function streamCut(workerId: string): TuttiError {
  const message = `The stream of worker "${workerId}" broke off before it was finished.`;
  return new TuttiError("stream-cut", message);
}

export function badResponse(workerId: string, why: string): TuttiError {
  const message = `Worker "${workerId}" gave a bad response: ${why}.`;
  return new TuttiError("bad-response", redact(message));
}

/** Wherever it points to: a key is sent to the address it was given for, and to no other. */
export function redirected(workerId: string, { message }: Redirected): TuttiError {
  return new TuttiError("bad-response", badResponse(workerId, message).message, { retryable: false });
}

/** `what` it did: by default it wrote on and on. */
export function endlessReply(workerId: string, what = "wrote far more than was asked for"): TuttiError {
  return new TuttiError("endless-reply", `Worker "${workerId}" ${what}, and its reply was cut off there.`);
}

function byStatus(worker: string, status: number, failure: SdkError): TuttiError {
  if (status === 401 || status === 403)
    return fail("auth", `${worker}: its key was refused (${status})`, failure, { status });
  if (status === 429) {
    const retryAfterMs = parseRetryAfter(failure.responseHeaders ?? {});
    // In these words, because agents that read a stream learn of it from nothing else.
    const wait = retryAfterMs === undefined ? "" : `, try again in ${Math.ceil(retryAfterMs / 1000)} s`;
    // OpenAI also says 429 when the account is empty: asking again does not fill it.
    const retryable = !/insufficient_quota|billing/i.test(failure.responseBody ?? failure.message ?? "");
    return fail("rate-limited", `${worker} is rate-limited (429${wait})`, failure, {
      status,
      retryable,
      retryAfterMs,
    });
  }
  if (status >= 500 || status === 408) {
    const retryAfterMs = parseRetryAfter(failure.responseHeaders ?? {});
    return fail("provider-error", `${worker}: its provider failed (${status})`, failure, {
      status,
      retryAfterMs,
    });
  }
  const words = `${failure.message ?? ""} ${failure.responseBody ?? ""}`;
  if (status === 413 || isContextError(words))
    return fail("context-length", `${worker}: the prompt is too long for its context`, failure, {
      status: 400,
    });
  return fail("bad-request", `${worker} did not accept the request (${status})`, failure, { status });
}

/** In the words of the providers: no two say it alike. */
const TOO_LONG =
  /context.?(?:length|window|limit|size)|maximum context|prompt is too long|input token count.{0,40}exceeds|maximum number of tokens allowed|too large for model/i;

/** The conversation is longer than the model reads. */
export function isContextError(words: string): boolean {
  return TOO_LONG.test(words);
}

/** An error object inside a stream: `{ message, type, code }` in the dialects of several providers. */
function byErrorObject(worker: string, failure: SdkError): TuttiError {
  const inner = failure.error ?? failure.response?.error;
  if (isObject(inner)) return byErrorObject(worker, inner);
  if (typeof failure.code === "number" && failure.code >= 400 && failure.code < 600) {
    return byStatus(worker, failure.code, failure);
  }
  const kind = `${failure.type ?? ""} ${failure.code ?? ""}`;
  if (/rate_?limit|too_many/i.test(kind)) return byStatus(worker, 429, failure);
  if (/insufficient_quota/i.test(kind))
    return byStatus(worker, 429, { ...failure, responseBody: "insufficient_quota" });
  if (/authentication|permission|invalid_api_key/i.test(kind)) return byStatus(worker, 401, failure);
  if (/invalid_request|invalid_prompt|context_length|not_found/i.test(kind))
    return byStatus(worker, 400, failure);
  return fail("provider-error", `${worker}: its provider failed in the middle of the reply`, failure);
}

function fail(code: ErrorCode, what: string, failure: SdkError, options: TuttiErrorOptions = {}): TuttiError {
  const why = reasonOf(failure);
  return new TuttiError(code, why === "" ? `${what}.` : `${what}: ${why}`, options);
}

/** What the provider said, in one line. A web page says nothing that would help. */
function reasonOf(failure: SdkError): string {
  const body =
    failure.data === undefined ? (failure.responseBody ?? failure.message ?? "") : (failure.message ?? "");
  // Redacted before it is cut: half a key would not be recognised as one.
  const text = /^\s*</.test(body) ? "an HTML page" : redact(body).replace(/\s+/g, " ").trim();
  return text.length > LONGEST_BODY ? `${text.slice(0, LONGEST_BODY - 1)}…` : text;
}

const NETWORK_CODE =
  /^(E[A-Z]{3,}|UND_ERR_[A-Z_]+|CERT_[A-Z_]+|ERR_TLS[A-Z_]*|DEPTH_ZERO[A-Z_]+|SELF_SIGNED[A-Z_]+)$/;

function isNetworkError(failure: SdkError): boolean {
  return causesOf(failure).some(
    ({ code, message }) =>
      (typeof code === "string" && NETWORK_CODE.test(code)) ||
      /^(fetch failed|terminated)$/.test(message ?? ""),
  );
}

/** There was a connection, and somebody closed it. */
function isBroken(failure: SdkError): boolean {
  return causesOf(failure).some(({ code }) => /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/.test(String(code)));
}

/** "fetch failed" says little; "connect ECONNREFUSED 127.0.0.1:8080", deep inside, says all. */
function innermost(failure: SdkError): SdkError {
  const last = causesOf(failure).findLast(({ message, code }) => message || code);
  return { message: last?.message || String(last?.code ?? "") };
}

function causesOf(failure: SdkError): SdkError[] {
  const causes: SdkError[] = [];
  let current: unknown = failure;
  while (isObject(current) && causes.length < 8) {
    causes.push(current as SdkError);
    // Happy-eyeballs connections fail with one error per address.
    current = (current as SdkError).cause ?? (current as { errors?: unknown[] }).errors?.[0];
  }
  return causes;
}

/** `Retry-After` in seconds or as a date, by the clock of whoever said it where that is known, or the exact `retry-after-ms`. */
export function parseRetryAfter(headers: Record<string, string>, now = Date.now()): number | undefined {
  const find = (name: string) => Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  const exact = Number.parseFloat(find("retry-after-ms") ?? "");
  if (exact >= 0) return exact;
  const value = find("retry-after")?.trim();
  if (!value) return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  if (Number.isNaN(date)) return undefined;
  const saidAt = Date.parse(find("date") ?? "");
  return Math.max(0, date - (Number.isNaN(saidAt) ? now : saidAt));
}
