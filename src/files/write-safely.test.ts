import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { open, rename, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isTuttiError } from "../base/errors.ts";
import { type WriteSystem, writeFileSafely } from "./write-safely.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tutti-write-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const failure = (code: string) => Object.assign(new Error(`${code}: it failed`), { code });

/** The real file system, with one thing that fails. */
function failingAt(place: "write" | "sync" | "close" | "rename" | "folder", code: string): WriteSystem {
  return {
    unlink,
    rename: async (from, to) => {
      if (place === "rename") throw failure(code);
      await rename(from, to);
    },
    open: async (path, flags) => {
      if (place === "folder" && flags === "r") throw failure(code);
      const file = await open(path, flags);
      return {
        writeFile: async (data) => {
          if (place !== "write") return file.writeFile(data);
          await file.writeFile((data as Uint8Array).subarray(0, 2));
          throw failure(code);
        },
        sync: async () => {
          if (place === "sync") throw failure(code);
          await file.sync();
        },
        close: async () => {
          await file.close();
          if (place === "close") throw failure(code);
        },
      };
    },
  };
}

test("writes a new file, and replaces one, leaving nothing else behind", async () => {
  const path = join(folder, "weights");
  await writeFileSafely(path, Buffer.from("first, the longer one"));
  expect(readFileSync(path, "utf8")).toBe("first, the longer one");
  await writeFileSafely(path, Buffer.from("second"));
  expect(readFileSync(path, "utf8")).toBe("second");
  expect(readdirSync(folder)).toEqual(["weights"]);
});

test.each(["write", "sync", "close", "rename"] as const)(
  "when the disk fills at %s, the old file survives and the draft is removed",
  async (place) => {
    const path = join(folder, "weights");
    writeFileSync(path, "old");
    const error = await writeFileSafely(path, Buffer.from("new"), failingAt(place, "ENOSPC")).catch((e) => e);
    expect(isTuttiError(error) && error.code).toBe("write-failed");
    expect(error.message).toBe(`${path} could not be written: the disk is full.`);
    expect(error.cause.code).toBe("ENOSPC");
    expect(readFileSync(path, "utf8")).toBe("old");
    expect(readdirSync(folder)).toEqual(["weights"]);
  },
);

test("a folder that cannot be synced is no failure: the file is written", async () => {
  const path = join(folder, "weights");
  await writeFileSafely(path, Buffer.from("new"), failingAt("folder", "EISDIR"));
  expect(readFileSync(path, "utf8")).toBe("new");
});

test("an unknown cause is passed on in its own words", async () => {
  const writing = writeFileSafely(join(folder, "weights"), Buffer.from("new"), failingAt("sync", "EWEIRD"));
  await expect(writing).rejects.toThrow(/weights could not be written: EWEIRD: it failed/);
});

test("places that cannot be written to are named with the reason", async () => {
  mkdirSync(join(folder, "taken"));
  writeFileSync(join(folder, "file"), "");
  const write = (path: string) => writeFileSafely(join(folder, path), Buffer.from("new"));
  await expect(write("taken")).rejects.toThrow(/taken could not be written: there is a folder of that name/);
  await expect(write("missing/weights")).rejects.toThrow(/the folder does not exist/);
  await expect(write("file/weights")).rejects.toThrow(/a part of the path is a file/);
  expect(readdirSync(folder).sort()).toEqual(["file", "taken"]);
});

test("two writers at once leave one whole file", async () => {
  const path = join(folder, "weights");
  const texts = ["a".repeat(100_000), "b".repeat(50_000)];
  await Promise.all(texts.map((text) => writeFileSafely(path, Buffer.from(text))));
  expect(texts).toContain(readFileSync(path, "utf8"));
  expect(readdirSync(folder)).toEqual(["weights"]);
});
