// So many at once under one name, such as a key's or a run's: whoever wants one more is told so, and waits elsewhere.

import { TuttiError } from "../../base/errors.ts";

const RETRY_MS = 1_000;

export class Places {
  readonly #taken = new Map<string, number>();
  readonly #most: number;
  readonly #what: string;

  /** `what` they are, for the error: "readers of live events of one API key". */
  constructor(most: number, what: string) {
    this.#most = most;
    this.#what = what;
  }

  /** Throws "rate-limited" (429). Call what is returned when it is over; again is no matter. */
  take(name: string): () => void {
    const taken = this.#taken.get(name) ?? 0;
    if (taken >= this.#most)
      throw new TuttiError("rate-limited", `There are ${this.#most} ${this.#what} already.`, {
        retryAfterMs: RETRY_MS,
      });
    this.#taken.set(name, taken + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const left = this.#taken.get(name)! - 1;
      if (left > 0) this.#taken.set(name, left);
      else this.#taken.delete(name);
    };
  }
}
