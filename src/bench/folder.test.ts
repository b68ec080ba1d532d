import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toBenchRow } from "../testing/bench-rows.ts";
import { createFiles } from "../testing/temporary-files.ts";
import { chooseParent, DiskFolder, readFolder, toFolderNames } from "./folder.ts";

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

describe("rows on disk", () => {
  const identity = { set: "sums", seed: 1 };

  it("call the family `subtask`, as folders from before do, and are read again as they were", () => {
    const path = join(createFiles().folder, "bench");
    const row = toBenchRow("single", 3, true);
    const first = new DiskFolder(path, identity);
    first.file("rows").append(row);
    first.close();
    expect(JSON.parse(readFileSync(join(path, "rows.jsonl"), "utf8"))).toMatchObject({ subtask: row.family });
    expect(readFolder(path).rows).toEqual([row]);
  });

  it("go on after a kill: a torn end is cut off, half a line in the middle of an old file is passed over", () => {
    const path = join(createFiles().folder, "bench");
    const [one, two, three] = [1, 2, 3].map((i) => toBenchRow("single", i, true));
    const first = new DiskFolder(path, identity);
    first.file("rows").append(one!);
    first.close();
    const { family, ...rest } = two!;
    const file = join(path, "rows.jsonl");
    appendFileSync(file, `{"conductor":"sin\n${JSON.stringify({ ...rest, subtask: family })}\n{"cond`);
    expect(readFolder(path).rows).toEqual([one, two]);
    const second = new DiskFolder(path, identity);
    second.file("rows").append(three!);
    second.close();
    expect(readFolder(path).rows).toEqual([one, two, three]);
    expect(readFileSync(file, "utf8").split("\n")).toHaveLength(5);
  });
});
