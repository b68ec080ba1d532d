import { describe, expect, it } from "vitest";
import type { ShadowComparison } from "../../gateway/shadow/compare.ts";
import { toShadowLines } from "./shadow-lines.ts";

const comparison: ShadowComparison = {
  model: "shadow:trinity",
  isSimulated: false,
  pairs: 12,
  agreement: { mean: 0.75, low: 0.4, high: 0.93, compared: 8 },
  costUsd: { original: 0.02, shadow: 0.01, difference: { mean: -0.01, low: -0.012, high: -0.008 } },
  delayMs: { original: 4_000, shadow: 3_000, difference: { mean: -1_000, low: -2_000, high: 500 } },
  calls: { original: 4, shadow: 2, difference: { mean: -2, low: -2.5, high: -1.5 } },
  ratings: { rated: 5, score: { mean: 0.8, low: 0.38, high: 0.96 }, agreedWithGood: 1, agreedWithBad: null },
  leftOut: { running: 0, cut: 2, failed: 1, alone: 0 },
};

describe("tutti runs shadow", () => {
  it("says who did what, how sure that is, and what was left out", () => {
    const lines = toShadowLines({ comparisons: [comparison], runs: 15, isCut: false });
    const text = lines.join("\n");
    expect(lines[0]).toContain("shadow:trinity");
    expect(text).toContain("12 requests answered by both.");
    expect(text).toContain("The same answer in 75 % (40 % to 93 %) of the 8 that can be compared");
    expect(text).toContain(
      "5 originals rated 80 % (38 % to 96 %) on average; the shadow said the same in 100 % of the good ones.",
    );
    expect(text).toContain("Left out: 2 cut by a limit and 1 failed.");
    expect(text).toMatch(/Delay +4\.0 s +3\.0 s +−1\.0 s \(−2\.0 s to \+0\.5 s\)/);
  });

  it("says what is too little to be sure, and how to begin", () => {
    const few = {
      ...comparison,
      agreement: null,
      ratings: null,
      costUsd: { original: 1, shadow: 1, difference: null },
    };
    const text = toShadowLines({ comparisons: [few], runs: 500, isCut: true }).join("\n");
    expect(text).toContain("No answers that can be compared yet");
    expect(text).toMatch(/Cost +\$1\.00 +\$1\.00 +too few/);
    expect(text).toContain("Of the newest 500 shadow runs.");
    expect(toShadowLines({ comparisons: [], runs: 0, isCut: false })[0]).toContain("gateway.shadow");
  });
});
