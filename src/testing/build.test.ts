import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { replaceChanged } from "./build.ts";

const folder = mkdtempSync(join(tmpdir(), "tutti-build-"));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("replaces what has changed as a whole, adds what is new, and leaves the rest untouched", () => {
  const [from, to] = [join(folder, "fresh"), join(folder, "dist")];
  mkdirSync(join(from, "cli"), { recursive: true });
  mkdirSync(to);
  writeFileSync(join(to, "same.js"), "1");
  writeFileSync(join(to, "changed.js"), "old");
  writeFileSync(join(to, "gone.js"), "3");
  writeFileSync(join(from, "same.js"), "1");
  writeFileSync(join(from, "changed.js"), "new");
  writeFileSync(join(from, "cli", "main.js"), "2");
  const fileOf = (name: string) => statSync(join(to, name)).ino;
  const before = { same: fileOf("same.js"), changed: fileOf("changed.js") };
  replaceChanged(from, to);
  const textOf = (name: string) => readFileSync(join(to, name), "utf8");
  expect(["same.js", "changed.js", "gone.js", "cli/main.js"].map(textOf)).toEqual(["1", "new", "3", "2"]);
  expect(fileOf("same.js")).toBe(before.same);
  // Another file in its place: whoever reads the old one reads it to its end.
  expect(fileOf("changed.js")).not.toBe(before.changed);
});

it("leaves all as it was where nothing was built", () => {
  replaceChanged(join(folder, "none"), join(folder, "dist"));
  expect(() => statSync(join(folder, "dist"))).toThrow("ENOENT");
});
