// Dependencies point one way: a folder of src/ imports only itself and folders that stand before it.
// No barrel files inside, so each import names the file it means.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

// Folders in one line may not import each other. `.` are the files beside the folders.
const ORDER = [
  ["base"],
  ["files", "report", "http"],
  ["workflow", "answer"],
  ["worker", "nn"],
  ["store"],
  ["conductor"],
  ["perform"],
  ["task"],
  ["calibration"],
  ["rehearsal", "recording", "baseline"],
  ["config"],
  ["world"],
  ["bench"],
  ["learn"],
  ["environment"],
  ["tutti"],
  ["gateway"],
  ["index.ts"],
  ["cli"],
];

const root = resolve(import.meta.dirname, "../src");
const rank = new Map(ORDER.flatMap((names, i) => names.map((name) => [name, i])));
const roomOf = (file) => relative(root, file).split("/")[0];
const problems = [];

for (const entry of readdirSync(root, { recursive: true })) {
  const file = join(root, entry);
  if (!entry.endsWith(".ts") || entry.endsWith(".test.ts") || entry.startsWith("testing/")) continue;
  const room = roomOf(file);
  if (!rank.has(room)) problems.push(`src/${room} has no place in ORDER of scripts/check-direction.mjs`);
  if (entry !== "index.ts" && entry.endsWith("/index.ts")) problems.push(`src/${entry} is a barrel file`);
  for (const [, target] of readFileSync(file, "utf8").matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)) {
    const other = roomOf(resolve(dirname(file), target));
    const ok = other === room || rank.get(other) < rank.get(room);
    if (!ok) problems.push(`src/${entry} imports ${target}: "${room}" may not depend on "${other}"`);
  }
}

if (problems.length > 0) {
  console.error([...new Set(problems)].join("\n"));
  process.exit(1);
}
