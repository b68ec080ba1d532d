import { describe, expect, it } from "vitest";
import { findBaseline } from "../baseline/all.ts";
import { isSimulatedVerifier, parsePricePoint, toPricePoint } from "./price-point.ts";

describe("a point of a curve, by name", () => {
  it.each([
    ["router@2/usd", { name: "router", point: { type: "per-usd", costPerUsd: 2 } }],
    ["trinity:my@folder@match-best", { name: "trinity:my@folder", point: { type: "match-best" } }],
    ["neighbours@max:0.10usd", { name: "neighbours", point: { type: "max", usd: 0.1 } }],
    ["trinity@0.02", undefined],
    ["router", undefined],
  ])("%s", (id, parsed) => {
    expect(parsePricePoint(id)).toEqual(parsed);
  });

  it.each(["router@/usd", "router@-1/usd", "router@max:manyusd"])("refuses %s with the right forms", (id) => {
    expect(() => parsePricePoint(id)).toThrow(/NAME@2\/usd .* NAME@max:0\.10usd/);
  });

  it.each([
    ["verified-cascade@0.05", true],
    ["verified-cascade@0.05@2/usd", true],
    ["verified-cascade", false],
    ["verified-cascade@2/usd", false],
    ["verified-cascade@match-best", false],
    ["router@2/usd", false],
  ])("%s has a simulated verifier: %s", (id, expected) => {
    expect(isSimulatedVerifier(id)).toBe(expected);
  });

  it("keeps the name that was asked for, and refuses who has no knob", () => {
    const priced = toPricePoint("router@2/usd", findBaseline("router"), { type: "per-usd", costPerUsd: 2 });
    expect(priced.id).toBe("router@2/usd");
    expect(() => toPricePoint("x", findBaseline("random-worker"), { type: "match-best" })).toThrow(
      "no price to set",
    );
  });
});
