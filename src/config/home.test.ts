import { chmodSync, mkdtempSync, statSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { closeHome, toStorePath, toTuttiHome } from "./home.ts";

it("keeps its files in TUTTI_HOME, else in the home folder", () => {
  expect(toTuttiHome({ TUTTI_HOME: "/tmp/somewhere" })).toBe("/tmp/somewhere");
  expect(toTuttiHome({})).toBe(join(homedir(), ".tutti"));
});

it.each([
  [undefined, "/tmp/somewhere/journal.db"],
  ["memory", "memory"],
  ["~/runs.db", join(homedir(), "runs.db")],
  ["runs.db", resolve("runs.db")],
  ["postgres://db.example/team", "postgres://db.example/team"],
  ["postgres", "postgresql://me:pw@db.example/team"],
])("the journal of store %s is %s", (store, expected) => {
  const env = { TUTTI_HOME: "/tmp/somewhere", TUTTI_POSTGRES_URL: "postgresql://me:pw@db.example/team" };
  expect(toStorePath(store, env)).toBe(expected);
});

it.each([{}, { TUTTI_POSTGRES_URL: "db.example" }])(
  "a journal in Postgres without its address is refused: %j",
  (env) => {
    expect(() => toStorePath("postgres", env)).toThrow(/Set it: export TUTTI_POSTGRES_URL=postgres:/);
  },
);

it("is closed to other users where it holds nothing but our files, and that is said once", () => {
  const home = mkdtempSync(join(tmpdir(), "tutti-home-"));
  const env = { TUTTI_HOME: home };
  const modeOf = () => statSync(home).mode & 0o777;
  chmodSync(home, 0o755);
  expect(closeHome(env)).toBeUndefined(); // nothing of ours is in it
  for (const name of ["journal.db", "journal.db-wal", "keys.json"]) writeFileSync(join(home, name), "");
  writeFileSync(join(home, "letter.txt"), "");
  expect(closeHome(env)).toBeUndefined(); // somebody else's folder, too
  expect(modeOf()).toBe(0o755);
  const ours = mkdtempSync(join(tmpdir(), "tutti-home-"));
  chmodSync(ours, 0o775);
  writeFileSync(join(ours, "journal.db"), "");
  expect(closeHome({ TUTTI_HOME: ours })).toContain(`Closed ${ours} to other users`);
  expect(statSync(ours).mode & 0o777).toBe(0o700);
  expect(closeHome({ TUTTI_HOME: ours })).toBeUndefined();
  expect(closeHome({ TUTTI_HOME: join(ours, "missing") })).toBeUndefined();
});
