import { describe, expect, it } from "vitest";
import { toBenchResult } from "../testing/bench-rows.ts";
import type { EqualSpending } from "./equal.ts";
import { toVerdict } from "./verdict.ts";

const against = [{ conductor: "best-single", difference: 0.05, low: 0.02, high: 0.08, p: 0.01 }];
const single = toBenchResult("best-single", { accuracy: 0.7, costUsd: 0.4, calls: 1, isSimulated: false });
const router = toBenchResult("router", {
  accuracy: 0.75,
  costUsd: 0.2,
  calls: 1,
  isSimulated: false,
  against,
});
const vote = toBenchResult("vote-3", {
  accuracy: 0.758,
  costUsd: 0.9,
  calls: 3,
  isSimulated: false,
  against,
});
const verdictOf = (
  results: ReturnType<typeof toBenchResult>[],
  equal: EqualSpending[] = [],
  perMonth?: number,
) => toVerdict({ results, equal, bestSingle: "large", perMonth });

describe("the verdict of a bench", () => {
  it("says that few tasks give but a hint", () => {
    const few = { ...single, n: 4, low: 0.3, high: 0.95 };
    expect(verdictOf([few])!.sentence).toMatch(/4 test tasks can only give a hint: measure more\.$/);
    expect(verdictOf([{ ...single, low: 0.65, high: 0.75 }])!.sentence).not.toContain("hint");
  });

  it("takes the cheaper of those within a point, and says what it gains and costs", () => {
    const verdict = verdictOf([single, router, vote], [], 50_000)!;
    expect(verdict).toMatchObject({
      ...{ use: "router", bestSingle: "large", usdPerThousand: 200, usdPerMonth: 10_000, perMonth: 50_000 },
      equalCalls: { points: 0.05, low: 0.02, high: 0.08 },
      equalDollars: { points: 0.05 },
    });
    expect(verdict.sentence).toContain(
      "Against the best single model, large (70.0 %): +5.0 [+2.0 … +8.0] points at equal calls",
    );
    expect(verdict.sentence).toContain("$200.00 per 1,000 questions, $10,000.00 a month for 50,000.");
  });

  it("never recommends a simulated verifier, and says what an exact one needs", () => {
    const exact = { ...router, conductor: "verified-cascade" };
    const simulated = { ...router, conductor: "verified-cascade@0.05", accuracy: 0.9 };
    expect(verdictOf([single, simulated])!.use).toBe("large");
    expect(verdictOf([single, exact, simulated])!.sentence).toMatch(
      /^Use verified-cascade: .* needs a verifier that never errs/,
    );
  });

  it("names the worker where nobody is better", () => {
    const verdict = verdictOf([
      single,
      toBenchResult("vote-3", { accuracy: 0.705, costUsd: 2, calls: 3, against }),
    ])!;
    expect(verdict.use).toBe("large");
    expect(verdict.sentence).toContain("Use large alone");
  });

  it("claims nothing at equal calls that was not measured, and no dollars that are not known", () => {
    const verdict = verdictOf([single, { ...vote, accuracy: 0.9, costUsd: undefined }])!;
    expect(verdict).not.toHaveProperty("equalCalls");
    expect(verdict).not.toHaveProperty("usdPerThousand");
    expect(verdict.sentence).toContain("not measured at equal calls (it makes 3.0, the model 1.0)");
    expect(verdict.sentence).toContain("not known here (—)");
    expect(verdict.sentence).not.toContain("$0");
  });

  it("recommends neither an upper bound nor a table that is given the labels", () => {
    const bound = ["oracle", "lookup-category", "random-worker"].map((id) =>
      toBenchResult(id, { accuracy: 1 }),
    );
    expect(verdictOf([single, ...bound])!.use).toBe("large");
  });
});
