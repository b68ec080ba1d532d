import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createFiles } from "../../testing/temporary-files.ts";
import { readConfigBytes, toDigest } from "./digest.ts";

const { folder, write } = createFiles();
const digestOf = (file: string) => toDigest(readConfigBytes(file));

it.each([
  ["an import", 'import x from "./beside";', 1],
  ["an export", 'export * from "./beside.js";', 1],
  ["a dynamic import", "const x = await import('../NAME/beside.ts');", 1],
  ["a require", "const x = require(`./beside`);", 1],
  ["data that is read", 'readFileSync(new URL("./models.json", import.meta.url))', 1],
  ["a folder", 'import "./parts";', 2],
  ["itself, a package and what is not there", 'import "./tutti.config"; import "yaml"; import "./no";', 0],
])("covers %s", (name, source, files) => {
  const place = name.replaceAll(" ", "-");
  const file = write(`${place}/tutti.config.ts`, source.replace("NAME", place));
  write(`${place}/beside.ts`, "1;");
  write(`${place}/models.json`, "{}");
  write(`${place}/parts/index.mjs`, 'import "../beside";');
  const before = digestOf(file);
  expect(before.files).toBe(files);
  write(`${place}/beside.ts`, "2;");
  write(`${place}/models.json`, "[]");
  expect(digestOf(file).sha256 === before.sha256).toBe(files === 0);
});

it("of data covers the file alone", () => {
  const file = write("data/tutti.config.yaml", 'conductor: "./beside.ts"\n');
  write("data/beside.ts", "1;");
  expect(digestOf(file).files).toBe(0);
});

it("follows a link for the content, and keeps the place where it was found", () => {
  const file = write("linked/real/config.ts", 'import "./part";');
  write("linked/real/part.ts", "1;");
  mkdirSync(join(folder, "linked/clone"));
  const link = join(folder, "linked/clone/tutti.config.ts");
  symlinkSync(file, link);
  expect(readConfigBytes(link)).toMatchObject({ path: link, file });
  expect(digestOf(link).files).toBe(1);
});

it("ends at bounds: size, count, pipes and devices", () => {
  const large = write("large/tutti.config.yaml", "");
  truncateSync(large, 2_000_000);
  expect(() => readConfigBytes(large)).toThrow("has 2000000 bytes");
  const pipe = join(folder, "large/tutti.config.json");
  execFileSync("mkfifo", [pipe]);
  expect(() => readConfigBytes(pipe)).toThrow("is not a file");
  symlinkSync("/dev/zero", join(folder, "large/tutti.config.ts"));
  expect(() => readConfigBytes(join(folder, "large/tutti.config.ts"))).toThrow("is not a file");
  const names = Array.from({ length: 300 }, (_, i) => write(`many/${i}.json`, "{}"));
  const many = names.map((_, i) => `"./${i}.json"`).join();
  expect(() => digestOf(write("many/tutti.config.mjs", many))).toThrow("more than 200 files");
});
