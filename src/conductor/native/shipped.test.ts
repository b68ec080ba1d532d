import { expect, it } from "vitest";
import { findNative, findShipped, toCheckpointName } from "./shipped.ts";

it.each(["", "..", "../models/rehearsal", "a/b", "no-such-model"])("%j is no shipped Conductor", (name) => {
  expect(findShipped(name)).toBeUndefined();
});

it("a folder is what it is, also where it is called like nothing that ships", () => {
  expect(findNative("runs/mine/best")).toBe("runs/mine/best");
});

it("a shipped one is known by its name, wherever the package lies, and found by it", () => {
  const folder = findShipped("conductor")!;
  expect(toCheckpointName(folder)).toBe("conductor");
  expect(findNative("conductor")).toBe(folder);
  expect(findNative(undefined)).toBe(folder);
  // Journals and scripts know the two that there were before.
  for (const former of ["rehearsal", "recordings"]) expect(findNative(former)).toBe(folder);
  expect(toCheckpointName("runs/mine/rehearsal")).toBe("runs/mine/rehearsal");
});
