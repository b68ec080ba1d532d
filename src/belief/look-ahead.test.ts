import { describe, expect, it } from "vitest";
import { valueAsks } from "./look-ahead.ts";
import { type Dependence, hear, NOTHING_SAID, toCurve } from "./posterior.ts";

const dependence: Dependence = { difficulty: 0, coincidence: () => 0.1 };
const candidate = (worker: number, probability: number, price = 0.01) => ({
  worker,
  curve: toCurve(probability, 0),
  price,
});
const options = (depth: number) => ({ dependence, depth, width: 4 });

describe("looking ahead", () => {
  it("values a first ask by the probability of its worker", () => {
    const [best, second] = valueAsks(NOTHING_SAID, [candidate(0, 0.6), candidate(1, 0.8)], options(1));
    expect([best!.candidate.worker, second!.candidate.worker]).toEqual([1, 0]);
    expect(best!.value).toBeCloseTo(0.8, 6);
  });

  it("asks the cheaper one where the better one is not worth its price", () => {
    const [best] = valueAsks(NOTHING_SAID, [candidate(0, 0.7, 0.01), candidate(1, 0.75, 0.2)], options(1));
    expect(best!.candidate.worker).toBe(0);
  });

  it("gives no value to somebody who cannot change the mind of anybody", () => {
    const said = hear(NOTHING_SAID, 0, toCurve(0.95, 0), 0, dependence);
    const [weak] = valueAsks(said, [candidate(1, 0.3)], options(1));
    expect(weak!.value).toBeCloseTo(0.95, 6);
  });

  it("sees that two who agree can overrule one, which one ask alone cannot", () => {
    const said = hear(NOTHING_SAID, 0, toCurve(0.7, 0), 0, dependence);
    const others = [candidate(1, 0.65, 0.001), candidate(2, 0.65, 0.001)];
    const byOne = valueAsks(said, others, options(1))[0]!.value;
    const byTwo = valueAsks(said, others, options(2))[0]!.value;
    expect(byTwo).toBeGreaterThan(byOne + 0.01);
  });

  it("never values an ask below stopping, its own price aside", () => {
    let posterior = NOTHING_SAID;
    for (const [worker, group] of [0, 1, 0, 2].entries())
      posterior = hear(posterior, worker, toCurve(0.6, 0), group, dependence);
    for (const { value } of valueAsks(posterior, [candidate(7, 0.1), candidate(8, 0.9)], options(2)))
      expect(value).toBeGreaterThanOrEqual(
        valueAsks(posterior, [candidate(9, 0.005)], options(1))[0]!.value - 1e-9,
      );
  });
});
