import { expect, it } from "vitest";
import { findNative, findShipped } from "./shipped.ts";

it.each(["", "..", "../models/rehearsal", "a/b", "no-such-model"])("%j is no shipped Conductor", (name) => {
  expect(findShipped(name)).toBeUndefined();
});

it("a folder is what it is, also where it is called like nothing that ships", () => {
  expect(findNative("native:runs/mine/best", "live")).toBe("runs/mine/best");
});
