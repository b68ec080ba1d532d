import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { toStorePath, toTuttiHome } from "./home.ts";

it("keeps its files in TUTTI_HOME, else in the home folder", () => {
  expect(toTuttiHome({ TUTTI_HOME: "/tmp/somewhere" })).toBe("/tmp/somewhere");
  expect(toTuttiHome({})).toBe(join(homedir(), ".tutti"));
});

it.each([
  [undefined, "/tmp/somewhere/journal.db"],
  ["memory", "memory"],
  ["~/runs.db", join(homedir(), "runs.db")],
  ["runs.db", resolve("runs.db")],
])("the journal of store %s is %s", (store, expected) => {
  expect(toStorePath(store, { TUTTI_HOME: "/tmp/somewhere" })).toBe(expected);
});
