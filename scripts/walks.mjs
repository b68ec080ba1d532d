// `npm run walks`: the first hour of five kinds of users, in an empty folder with the packed tarball and in a fresh clone.
// Some minutes long, so it is no part of the tests. `-- --only tarball` or `--only clone` takes one of the two.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { fiveKeys } from "../tests/walks/five-keys.mjs";
import { library } from "../tests/walks/library.mjs";
import { live } from "../tests/walks/live.mjs";
import { noKey } from "../tests/walks/no-key.mjs";
import { ownTasks } from "../tests/walks/own-tasks.mjs";
import { startProviders } from "../tests/walks/providers.mjs";
import { research } from "../tests/walks/research.mjs";
import { take, toEnvironment } from "../tests/walks/walk.mjs";
import { hasTmux } from "./terminal/capture.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const { values } = parseArgs({ options: { only: { type: "string" } } });
/** By `du` on Linux: docs/experiments/house/install-size.md says what is in it. */
const MOST_MB = 70;

const base = mkdtempSync(join(tmpdir(), "tutti-walks-"));
/** What npm says on both streams. */
const npm = (args, cwd) => {
  const { status, stdout, stderr } = spawnSync("npm", [...args, "--no-audit", "--no-fund"], {
    cwd,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`npm ${args.join(" ")} ended with ${status}\n${stdout}${stderr}`);
  return `${stdout}${stderr}`;
};

/** Of the machine's own settings npm may warn; of us it may not. */
function checkWarnings(said) {
  const ours = said.split("\n").filter((line) => /^npm warn (?!Unknown (user|env) config)/.test(line));
  if (ours.length > 0) throw new Error(`npm warns when it installs us:\n${ours.join("\n")}`);
}

function installTarball() {
  const folder = join(base, "tarball");
  mkdirSync(folder);
  execFileSync("npm", ["pack", "--silent", "--pack-destination", base], {
    cwd: ROOT,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const tarball = readdirSync(base).find((name) => name.endsWith(".tgz"));
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
  checkWarnings(npm(["install", join(base, tarball)], folder));
  const [size] = execFileSync("du", ["-sm", join(folder, "node_modules")], { encoding: "utf8" }).split("\t");
  console.log(`  node_modules: ${size} MB`);
  if (Number(size) > MOST_MB) throw new Error(`node_modules has ${size} MB, more than ${MOST_MB}`);
  npm(["install", "--save-dev", "typescript", "@types/node@20"], folder);
  return { folder, hasEngine: false };
}

function installClone() {
  const folder = join(base, "clone");
  execFileSync("git", ["clone", "--quiet", ROOT, folder], { stdio: "inherit" });
  npm(["install"], folder);
  return { folder, hasEngine: true };
}

const providers = await startProviders();
try {
  for (const [name, install] of Object.entries({ tarball: installTarball, clone: installClone })) {
    if (values.only !== undefined && values.only !== name) continue;
    console.log(name);
    const { folder, hasEngine } = install();
    const place = { cwd: folder, env: toEnvironment(join(base, `${name}-home`)) };
    await take(noKey(), place);
    if (hasTmux()) await live(place);
    else console.log("  – on a terminal: skipped, tmux is not installed");
    await take(fiveKeys(folder, providers.port), place);
    await take(ownTasks(folder), place);
    await take(library(folder), place);
    await take(research({ hasEngine }), place);
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  providers.close();
  rmSync(base, { recursive: true, force: true });
}
