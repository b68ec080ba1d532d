import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TuttiError } from "../base/errors.ts";
import { CircuitBreaker, retryDelay } from "./retry.ts";

const DOWN = new TuttiError("provider-error", "down", { retryable: true });
const jitters = fc.double({ min: 0, max: 0.999, noNaN: true });

describe("the wait before the same worker is asked again", () => {
  it("is never for what asking again cannot help, nor after all retries", () => {
    const refused = new TuttiError("bad-request", "no");
    expect(retryDelay(refused, 1, 5, 0, Number.POSITIVE_INFINITY)).toBeUndefined();
    expect(retryDelay(DOWN, 3, 2, 0, Number.POSITIVE_INFINITY)).toBeUndefined();
    expect(retryDelay(DOWN, 2, 2, 0, Number.POSITIVE_INFINITY)).toBeGreaterThan(0);
  });

  it("doubles with each failure, up to a bound, and is spread so that parallel steps do not collide", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), jitters, (failures, jitter) => {
        const delay = retryDelay(DOWN, failures, 99, jitter, Number.POSITIVE_INFINITY)!;
        const next = retryDelay(DOWN, failures + 1, 99, jitter, Number.POSITIVE_INFINITY)!;
        expect(next).toBeGreaterThanOrEqual(delay);
        expect(next).toBeLessThanOrEqual(2 * delay);
        expect(delay).toBeGreaterThanOrEqual(200);
        expect(delay).toBeLessThan(12_000);
      }),
      { seed: 1 },
    );
    const spread = new Set([0, 0.3, 0.9].map((jitter) => retryDelay(DOWN, 1, 2, jitter, 1e9)));
    expect(spread.size).toBe(3);
  });

  it("is never shorter than the provider asked for, and hardly longer", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e7 }), jitters, (retryAfterMs, jitter) => {
        const later = new TuttiError("rate-limited", "later", { retryAfterMs });
        const delay = retryDelay(later, 1, 2, jitter, Number.POSITIVE_INFINITY)!;
        expect(delay - retryAfterMs).toBeGreaterThanOrEqual(0);
        expect(delay - retryAfterMs).toBeLessThan(100);
        // Whoever is asked to wait longer than there is time asks somebody else.
        expect(retryDelay(later, 1, 2, jitter, delay)).toBe(delay);
        expect(retryDelay(later, 1, 2, jitter, delay - 0.001)).toBeUndefined();
      }),
      { seed: 2 },
    );
  });
});

describe("the circuit of a worker", () => {
  let now = 0;
  const create = () => {
    now = 1_000;
    return new CircuitBreaker(() => now, 3, 30_000);
  };
  const AUTH = new TuttiError("auth", "refused");

  it("opens after three failures in a row, not after three with a success between", () => {
    const breaker = create();
    breaker.failed("w", DOWN);
    breaker.failed("w", DOWN);
    breaker.succeeded("w");
    breaker.failed("w", DOWN);
    breaker.failed("w", DOWN);
    expect(breaker.stateOf("w")).toEqual({ state: "closed", failures: 2 });
    expect(breaker.isAvailable("w")).toBe(true);
    breaker.failed("w", DOWN);
    expect(breaker.stateOf("w")).toEqual({ state: "open", failures: 3, openUntil: 31_000 });
    expect(breaker.isAvailable("w")).toBe(false);
    expect(breaker.isAvailable("another")).toBe(true);
  });

  it("opens at once when its key is refused", () => {
    const breaker = create();
    breaker.failed("w", AUTH);
    expect(breaker.isAvailable("w")).toBe(false);
  });

  it("is tried after a while: a success closes it, a failure opens it again", () => {
    const breaker = create();
    breaker.failed("w", AUTH);
    now += 30_000;
    expect(breaker.stateOf("w").state).toBe("trial");
    expect(breaker.isAvailable("w")).toBe(true);
    breaker.failed("w", AUTH);
    expect(breaker.stateOf("w").state).toBe("open");
    now += 30_000;
    breaker.succeeded("w");
    expect(breaker.stateOf("w")).toEqual({ state: "closed", failures: 0 });
  });

  it.each(["bad-request", "aborted", "content-filter", "empty-reply"] as const)(
    "says nothing of %s, which is not about the worker",
    (code) => {
      const breaker = create();
      for (let i = 0; i < 10; i++) breaker.failed("w", new TuttiError(code, "x"));
      expect(breaker.stateOf("w")).toEqual({ state: "closed", failures: 0 });
    },
  );
});
