// Dependencies point one way: a folder of src/ imports only itself and folders that stand before it.
// No barrel files inside, so each import names the file it means.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

// Folders in one line may not import each other. `.` are the files beside the folders.
const ORDER = [
  ["base"],
  ["files", "report", "http", "isolate"],
  ["workflow", "answer", "instruction"],
  ["belief"],
  ["worker", "nn"],
  ["trajectory"],
  ["store"],
  ["conductor"],
  ["perform"],
  ["task"],
  ["calibration"],
  ["rehearsal", "recording", "baseline"],
  ["config"],
  ["durable"],
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

// The dashboard takes what it shows from these rooms, never from the command line; values, unlike types, must run in a
// browser, with all that they import.
const WEB_ROOMS =
  "base report workflow answer belief worker trajectory store perform rehearsal bench learn gateway".split(
    " ",
  );
const web = resolve(root, "../web/src");

for (const entry of readdirSync(web, { recursive: true })) {
  if (!/\.tsx?$/.test(entry) || /\.test\.tsx?$/.test(entry)) continue;
  for (const { target, isType } of importsOf(join(web, entry))) {
    if (!target.startsWith(root)) continue;
    if (!WEB_ROOMS.includes(roomOf(target)))
      problems.push(
        `web/src/${entry} imports ${relative(root, target)}: the dashboard may not depend on "${roomOf(target)}"`,
      );
    const way = isType ? undefined : wayToNode(target);
    if (way) problems.push(`web/src/${entry} imports what needs Node: ${way.join(" → ")}`);
  }
}

function importsOf(file) {
  const text = readFileSync(file, "utf8");
  return [...text.matchAll(/(?:import|export)(?<type> type)?\b[^;"]*?"(?<path>[^"]+)"/g)].map(
    ({ groups }) => ({
      target: groups.path.startsWith(".") ? resolve(dirname(file), groups.path) : groups.path,
      isType: groups.type !== undefined,
    }),
  );
}

function wayToNode(file, seen = new Set()) {
  seen.add(file);
  for (const { target, isType } of importsOf(file)) {
    if (isType || seen.has(target)) continue;
    if (target.startsWith("node:")) return [relative(root, file), target];
    const way = target.startsWith(root) ? wayToNode(target, seen) : undefined;
    if (way) return [relative(root, file), ...way];
  }
  return undefined;
}

if (problems.length > 0) {
  console.error([...new Set(problems)].join("\n"));
  process.exit(1);
}
