// Before the tests: builds dist, so that tests of the command run what is in src now. Other test runs may be
// using dist at this moment, so it is built beside it, and only files that differ take the place of the old
// ones, each in one step: a command that starts meanwhile never reads half a file.
// Errors of types do not stop the tests, tsc writes its output all the same: `npm run check` checks types.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const BIN = join("cli", "main.js");

export default function build(): void {
  // As deep as dist, so that the paths inside of source maps are the same.
  const fresh = join(ROOT, `dist.${process.pid}`);
  try {
    const args = ["-p", "tsconfig.build.json", "--outDir", fresh, "--declaration", "false"];
    const { status } = spawnSync(join(ROOT, "node_modules/.bin/tsc"), args, { cwd: ROOT, stdio: "inherit" });
    if (status !== 0) console.warn("The build had errors: see npm run check.");
    if (existsSync(join(fresh, BIN))) chmodSync(join(fresh, BIN), 0o755);
    replaceChanged(fresh, join(ROOT, "dist"));
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

export function replaceChanged(from: string, to: string): void {
  if (!existsSync(from)) return;
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const source = join(entry.parentPath, entry.name);
    const target = join(to, source.slice(from.length));
    if (existsSync(target) && readFileSync(target).equals(readFileSync(source))) continue;
    mkdirSync(dirname(target), { recursive: true });
    renameSync(source, target);
  }
}
