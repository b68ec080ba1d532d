// `npm install` builds dist, and so does npm before `npx tutti` in a clone, every time: it is left as it is where nothing
// that goes into it is newer. It is called `postprepare`, not `prepare`: of a tarball with a `prepare`, npm warns whoever
// installs it, though it would not run there.
import { execSync } from "node:child_process";
import { readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const SOURCES = ["src", "web", "package.json", "tsconfig.json", "tsconfig.build.json"];
const STAMP = at("dist/.built");

/** Of the folders, too: they are newer when a file was taken away. */
function newest(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  const inside = readdirSync(path).filter((name) => name !== "node_modules");
  return Math.max(stat.mtimeMs, ...inside.map((name) => newest(`${path}/${name}`)));
}

const built = statSync(STAMP, { throwIfNoEntry: false })?.mtimeMs ?? 0;
if (Math.max(...SOURCES.map((path) => newest(at(path)))) > built) {
  rmSync(at("dist"), { recursive: true, force: true });
  execSync("npm run -s build", { cwd: at("."), stdio: "inherit" });
  writeFileSync(STAMP, "");
}
