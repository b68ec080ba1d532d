// When a worker is asked again, and when it is left alone for a while.

import { traitsOf } from "../base/error-codes.ts";
import type { TuttiError } from "../base/errors.ts";

const BASE_MS = 400;

/**
 * How long to wait before asking the same worker again, or undefined for never. `failures` counts
 * those of this worker at this step, this one included. `jitter` is in [0, 1). Beyond `longestMs` it is
 * not waited for.
 */
export function retryDelay(
  error: TuttiError,
  failures: number,
  retries: number,
  jitter: number,
  longestMs: number,
): number | undefined {
  if (!error.retryable || failures > retries) return undefined;
  const backoff = Math.min(8_000, BASE_MS * 2 ** (failures - 1)) * (0.5 + jitter);
  // Never earlier than the provider asked for; a little later, so that parallel steps do not collide again.
  const delay = error.retryAfterMs === undefined ? backoff : error.retryAfterMs + 100 * jitter;
  return delay > longestMs ? undefined : delay;
}

/** closed: it is asked. open: others are preferred until then. trial: the next ask decides. */
export type CircuitState =
  | { state: "closed"; failures: number }
  | { state: "open"; failures: number; openUntil: number }
  | { state: "trial"; failures: number };

/** A circuit has opened, or has closed again after that. */
export interface CircuitChange {
  workerId: string;
  /** 0: it is closed. */
  openMs: number;
}

/**
 * A circuit breaker per worker, shared by all runs of one process: after three failures in a row
 * (or one refused key) others are preferred for half a minute; then one try decides. Of several processes that form
 * one service each tells the others with `onChange`, and `heard` is what they tell.
 */
export class CircuitBreaker {
  readonly #failures = new Map<string, { count: number; openUntil: number }>();
  readonly #now: () => number;
  readonly #threshold: number;
  readonly #coolDownMs: number;
  onChange: ((change: CircuitChange) => void) | undefined;

  constructor(now: () => number = Date.now, threshold = 3, coolDownMs = 30_000) {
    this.#now = now;
    this.#threshold = threshold;
    this.#coolDownMs = coolDownMs;
  }

  isAvailable(workerId: string): boolean {
    return (this.#failures.get(workerId)?.openUntil ?? 0) <= this.#now();
  }

  stateOf(workerId: string): CircuitState {
    const { count: failures, openUntil } = this.#failures.get(workerId) ?? { count: 0, openUntil: 0 };
    if (openUntil === 0) return { state: "closed", failures };
    return openUntil > this.#now() ? { state: "open", failures, openUntil } : { state: "trial", failures };
  }

  succeeded(workerId: string): void {
    const before = this.#failures.get(workerId);
    if (!before) return;
    this.#failures.delete(workerId);
    if (before.openUntil > 0) this.onChange?.({ workerId, openMs: 0 });
  }

  failed(workerId: string, error: TuttiError): void {
    const { opensCircuit } = traitsOf(error.code);
    if (opensCircuit === "never") return;
    const count = (this.#failures.get(workerId)?.count ?? 0) + 1;
    const isOpen = count >= this.#threshold || opensCircuit === "at-once";
    this.#failures.set(workerId, { count, openUntil: isOpen ? this.#now() + this.#coolDownMs : 0 });
    if (isOpen) this.onChange?.({ workerId, openMs: this.#coolDownMs });
  }

  /** Another process has seen it open or close. What failed elsewhere counts as if it had failed here. */
  heard({ workerId, openMs }: CircuitChange): void {
    if (openMs <= 0) return void this.#failures.delete(workerId);
    const count = Math.max(this.#threshold, this.#failures.get(workerId)?.count ?? 0);
    this.#failures.set(workerId, { count, openUntil: this.#now() + openMs });
  }
}
