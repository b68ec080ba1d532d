// The one error of the project. Its code is stable and for programs, its message is for people:
// it names the bad value and says what would be right. Limits are results, never errors.

export interface TuttiErrorOptions {
  /** The HTTP status a gateway would answer with, or the one a provider gave us. */
  status?: number;
  /** True where asking the same worker again may help. */
  retryable?: boolean;
  /** How long the other side asked us to wait (`Retry-After`). */
  retryAfterMs?: number;
  /** The field of a request that is to blame. */
  param?: string;
  cause?: unknown;
}

export class TuttiError extends Error {
  override readonly name = "TuttiError";
  readonly code: string;
  readonly status: number;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly param: string | undefined;

  constructor(code: string, message: string, options: TuttiErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.status = options.status ?? 500;
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs;
    this.param = options.param;
  }
}

/** Bad use by the caller: wrong flags, wrong config, an empty question. The command exits with 2. */
export function usageError(message: string, cause?: unknown): TuttiError {
  return new TuttiError("usage", message, { status: 400, cause });
}

export function isTuttiError(value: unknown): value is TuttiError {
  return value instanceof TuttiError;
}
