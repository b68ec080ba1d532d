// The time-outs of one ask: one timer that checks again, not one that is set anew for every piece of text.

import { TuttiError } from "../base/errors.ts";
import type { Timeouts } from "./types.ts";

export interface Watch {
  /** Starts the timer. Rejects when it takes too long, and never resolves. */
  late(): Promise<never>;
  /** Something came. */
  heard(): void;
  /** From the start until the first piece; undefined where none came. */
  firstMs(): number | undefined;
  end(): void;
}

export function createWatch(worker: string, timeouts: Timeouts, now: () => number): Watch {
  const startedAt = now();
  let firstAt: number | undefined;
  let latestAt = startedAt;
  let timer: NodeJS.Timeout | undefined;

  const late = () =>
    new Promise<never>((_, reject) => {
      const check = () => {
        const phase = firstAt === undefined ? timeouts.firstTokenMs : timeouts.idleMs;
        const from = firstAt === undefined ? startedAt : latestAt;
        const leftMs = Math.min(startedAt + timeouts.stepMs, from + phase) - now();
        if (leftMs > 0) {
          // Silence may begin at any time, also while the first token has long to come.
          const nextMs = Math.min(leftMs, timeouts.idleMs);
          timer = nextMs === Number.POSITIVE_INFINITY ? undefined : setTimeout(check, nextMs);
          return;
        }
        const isWhole = now() - startedAt >= timeouts.stepMs;
        const what = isWhole ? "did not finish" : firstAt === undefined ? "did not begin" : "fell silent";
        const message = `${worker} ${what} within ${(isWhole ? timeouts.stepMs : phase) / 1000} s`;
        reject(new TuttiError("timeout", message));
      };
      check();
    });

  return {
    late,
    heard() {
      latestAt = now();
      firstAt ??= latestAt;
    },
    firstMs: () => (firstAt === undefined ? undefined : firstAt - startedAt),
    end: () => clearTimeout(timer),
  };
}
