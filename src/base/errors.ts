// The one error of the project. Its code is stable and for programs (base/error-codes.ts says what each one
// means), its message is for people: it names the bad value and says what would be right. Limits are results,
// never errors.

import { type ErrorCode, traitsOf } from "./error-codes.ts";

export interface TuttiErrorOptions {
  /** Only where a provider gave another one than the code's. */
  status?: number;
  /** Only where it is known better than by the code whether asking again may help. */
  retryable?: boolean;
  /** How long the other side asked us to wait (`Retry-After`). */
  retryAfterMs?: number;
  /** The field of a request that is to blame. */
  param?: string;
  cause?: unknown;
}

export class TuttiError extends Error {
  override readonly name = "TuttiError";
  readonly code: ErrorCode;
  readonly status: number;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly param: string | undefined;

  constructor(code: ErrorCode, message: string, options: TuttiErrorOptions = {}) {
    super(message, { cause: options.cause });
    const { status, retryable } = traitsOf(code);
    this.code = code;
    this.status = options.status ?? status;
    this.retryable = options.retryable ?? retryable;
    this.retryAfterMs = options.retryAfterMs;
    this.param = options.param;
  }
}

/** Bad use by the caller: wrong flags, wrong config, an empty question. The command exits with 2. */
export function usageError(message: string, cause?: unknown): TuttiError {
  return new TuttiError("usage", message, { cause });
}

/** Of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function isTuttiError(value: unknown): value is TuttiError {
  return value instanceof TuttiError;
}
