import { describe, expect, it } from "vitest";
import { type Settings, toWanted } from "./settings.tsx";

const USUAL: Settings = { model: "tutti", quality: "", rounds: "", budget: "", without: [] };
const WORKERS = ["a/1", "b/2", "c/3"];
const wanted = (change: Partial<Settings>) => toWanted({ ...USUAL, ...change }, WORKERS);

describe("how the next question is asked", () => {
  it("leaves to the gateway what was not chosen", () => {
    expect(wanted({})).toEqual({ model: "tutti" });
    expect(wanted({ budget: "not a number" })).toEqual({ model: "tutti" });
  });

  it("says the quality of a team, which one worker has not", () => {
    expect(wanted({ quality: "high" })).toEqual({ model: "tutti", tutti: { quality: "high" } });
    expect(wanted({ quality: "high", model: "a/1" })).toEqual({ model: "a/1" });
  });

  it("says rounds, budget (also none), and who is left", () => {
    expect(wanted({ rounds: "3", budget: "0", without: ["b/2", "gone/9"] })).toEqual({
      model: "tutti",
      tutti: { rounds: 3, budget_usd: 0, pool: ["a/1", "c/3"] },
    });
  });

  it("asks everybody where nobody is left, and one worker without a pool", () => {
    expect(wanted({ without: WORKERS })).toEqual({ model: "tutti" });
    expect(wanted({ model: "a/1", without: ["b/2"] })).toEqual({ model: "a/1" });
  });
});
