import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createFiles } from "../testing/temporary-files.ts";
import { AppendFile, readAppended } from "./append-file.ts";

const { folder, write } = createFiles();
const check = ({ n }: Record<string, unknown>) =>
  typeof n === "number" ? undefined : '"n" must be a number';

test("wherever a kill cuts the file, whole rows stay and the next one is not glued to a torn one", () => {
  const texts = fc.array(fc.string({ unit: "grapheme", maxLength: 8 }), { minLength: 1, maxLength: 5 });
  let count = 0;
  fc.assert(
    fc.property(texts, fc.double({ min: 0, max: 1, noNaN: true }), (values, share) => {
      const rows = values.map((text, n) => ({ n, text }));
      const whole = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
      const end = Math.floor(share * whole.length);
      const file = write(`cut/${count++}.jsonl`, whole.subarray(0, end));
      // A row counts once all of it but its line end is there.
      const ends = rows.map((_, i) =>
        Buffer.byteLength(
          rows
            .slice(0, i + 1)
            .map((row) => `${JSON.stringify(row)}\n`)
            .join(""),
        ),
      );
      const kept = rows.filter((_, i) => end >= ends[i]! - 1);
      const opened = new AppendFile(file, { check });
      opened.append({ n: 99, text: "next" });
      opened.close();
      expect(readAppended(file)).toEqual([...kept, { n: 99, text: "next" }]);
      expect(readFileSync(file, "utf8").endsWith("\n")).toBe(true);
    }),
    { seed: 3, numRuns: 150 },
  );
});

test("a last line that is JSON but no row is cut off too", () => {
  const file = write("no-row.jsonl", '{"n":1}\n{"m":2}');
  new AppendFile(file, { check }).close();
  expect(readFileSync(file, "utf8")).toBe('{"n":1}\n');
});

test("what cannot be opened says so by name", () => {
  const file = join(folder, "a-folder.jsonl");
  mkdirSync(file);
  expect(() => new AppendFile(file)).toThrow(expect.objectContaining({ code: "cannot-write" }));
  expect(() => new AppendFile(file)).toThrow(`${file} cannot be written: `);
});

test.skipIf(!existsSync("/dev/full"))("a full disk is told with the code that was asked for", () => {
  const file = new AppendFile("/dev/full", { failure: "cache-failed" });
  const message = "/dev/full cannot be written: the disk is full";
  expect(() => file.append({ n: 1 })).toThrow(expect.objectContaining({ code: "cache-failed", message }));
  file.close();
});
