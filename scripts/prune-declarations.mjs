// After tsc: keeps in dist the declarations that can be reached from the package's `exports` and removes the others,
// which nobody can import.
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const reachable = new Set();

function reach(file) {
  if (reachable.has(file)) return;
  reachable.add(file);
  for (const [, path] of readFileSync(file, "utf8").matchAll(/(?:from|import\()\s*"(\.[^"]+)\.ts"/g))
    reach(resolve(dirname(file), `${path}.d.ts`));
}

for (const { types } of Object.values(exports)) if (types) reach(join(ROOT, types));
for (const name of readdirSync(join(ROOT, "dist"), { recursive: true })) {
  const file = join(ROOT, "dist", name);
  if (name.endsWith(".d.ts") && !reachable.has(file)) rmSync(file);
}
