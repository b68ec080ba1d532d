import { mkdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createFiles } from "../testing/temporary-files.ts";
import { chooseParent, DiskFolder, toFolderNames } from "./folder.ts";

describe("folders for sets", () => {
  it("are called as the sets are, as far as a file system takes it", () => {
    expect(toFolderNames(["exam-hard", "a b/c", "a b c", "A-B-C"])).toEqual([
      ...["exam-hard", "a-b-c", "a-b-c-2"],
      "A-B-C-3",
    ]);
    expect(toFolderNames(["..", ".", "../../x", "index.html"])).toEqual([
      ...["set", "set-2", "-..-x"],
      "index.html-2",
    ]);
  });

  it("are never the same and never leave the folder", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.oneof(fc.string(), fc.stringMatching(/^[.A-Ba-b/ ]{0,4}$/)), { maxLength: 8 }),
        (sets) => {
          const names = toFolderNames(sets);
          expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(sets.length);
          for (const name of names) expect(name).toMatch(/^[\w-][\w.-]*$/);
        },
      ),
      { seed: 2 },
    );
  });
});

describe("the folder of several benches that nobody named", () => {
  const parts = ["a", "b"].map((name) => ({ name, identity: { set: name, seed: 1 } }));
  const newWish = () => join(createFiles().folder, "wish");
  const begin = (path: string, name: string, seed = 1) =>
    new DiskFolder(join(path, name), { set: name, seed });

  it("is the wish where there is nothing", () => {
    const wish = newWish();
    expect(chooseParent(wish, parts)).toBe(wish);
  });

  it("is gone on with while a set is missing or not finished", () => {
    const wish = newWish();
    begin(wish, "a").write("results.json", "[]");
    expect(chooseParent(wish, parts)).toBe(wish);
    const second = begin(wish, "b");
    expect(chooseParent(wish, parts)).toBe(wish);
    second.write("results.json", "[]");
    expect(chooseParent(wish, parts)).toBe(`${wish}-2`);
  });

  it("is another one where a set has other settings, or where something else lies", () => {
    const wish = newWish();
    begin(wish, "a");
    begin(wish, "b", 2);
    expect(chooseParent(wish, parts)).toBe(`${wish}-2`);
    mkdirSync(`${wish}-2`);
    expect(chooseParent(wish, parts)).toBe(`${wish}-3`);
  });
});
