// npm run release -- 0.2.0 [--dry-run]: from a clean main to a commit and an annotated tag. It never publishes and
// never pushes: publishing is publish.mjs, in a CI that can say who it is. Everything is tried on a copy first, with the new version in it; this tree changes only when all of
// it passed, and with --dry-run not at all.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeArtefacts } from "./release/artefacts.mjs";
import { toReleased } from "./release/changelog.mjs";
import { problemsOfPackage } from "./release/package-files.mjs";
import { isNewer, parseVersion, withVersion } from "./release/version.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const USAGE = "npm run release -- VERSION [--dry-run], for example: npm run release -- 0.2.0";

/** What people must put right before a release can begin; told in one line. */
class Refusal extends Error {
  constructor(message, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

const run = (command, args, cwd = ROOT) =>
  execFileSync(command, args, { cwd, encoding: "utf8", maxBuffer: 1e8, stdio: ["ignore", "pipe", "pipe"] });
const git = (...args) => run("git", args).trim();

function readArguments(words) {
  const flags = words.filter((word) => word.startsWith("-"));
  const versions = words.filter((word) => !word.startsWith("-"));
  const unknown = flags.find((flag) => flag !== "--dry-run");
  if (unknown) throw new Refusal(`There is no option ${unknown}. Usage: ${USAGE}`, 2);
  if (versions.length !== 1) throw new Refusal(`One version is needed. Usage: ${USAGE}`, 2);
  const [version] = versions;
  if (!parseVersion(version))
    throw new Refusal(`"${version}" is no version (right would be 0.2.0 or 0.2.0-beta.1).`, 2);
  return { version, isDryRun: flags.length > 0 };
}

/** The texts of the release, or a refusal. */
function prepare(version) {
  const read = (file) => readFileSync(join(ROOT, file), "utf8");
  const manifest = read("package.json");
  const { name, version: current } = JSON.parse(manifest);
  if (!isNewer(version, current)) throw new Refusal(`${version} is not newer than ${current}.`, 2);
  if (git("tag", "--list", `v${version}`) !== "") throw new Refusal(`The tag v${version} exists already.`, 2);
  const branch = git("rev-parse", "--abbrev-ref", "HEAD");
  if (branch !== "main") throw new Refusal(`Releases are made on main, this is ${branch}.`);
  const changes = git("status", "--porcelain").split("\n").filter(Boolean);
  if (changes.length > 0)
    throw new Refusal(`The tree is not clean: ${changes.length} changed, first "${changes[0]}".`);
  const changelog = toReleased(read("CHANGELOG.md"), version, new Date().toISOString().slice(0, 10));
  if (changelog.problem) throw new Refusal(changelog.problem);
  const texts = {
    "package.json": withVersion(manifest, name, current, version),
    "package-lock.json": withVersion(read("package-lock.json"), name, current, version),
    "CHANGELOG.md": changelog.text,
  };
  return { name, texts, notes: changelog.notes };
}

function writeAll(folder, texts) {
  for (const [file, text] of Object.entries(texts)) writeFileSync(join(folder, file), text);
}

/** Builds and packs a copy of HEAD with the new version, and installs the tarball in an empty folder. */
function tryPackage({ name, texts }, version, folder) {
  const copy = join(folder, "copy");
  mkdirSync(copy);
  run("git", ["archive", "--format=tar", "--output", join(folder, "head.tar"), "HEAD"]);
  run("tar", ["-xf", join(folder, "head.tar"), "-C", copy]);
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  writeAll(copy, texts);
  run("npm", ["run", "--silent", "build"], copy);
  const [pack] = JSON.parse(
    run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], copy),
  );
  const problems = problemsOfPackage(pack.files.map(({ path }) => path));
  if (problems.length > 0) throw new Refusal(`The package is wrong: ${problems.join("; ")}.`);
  console.log(`ok   npm pack: ${pack.files.length} files, ${(pack.size / 1e6).toFixed(2)} MB packed`);

  const project = join(folder, "project");
  const flags = ["--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts", "--loglevel=error"];
  run("npm", ["install", "--prefix", project, ...flags, join(folder, pack.filename)], folder);
  const said = run(join(project, "node_modules", ".bin", name), ["--version"], project).trim();
  if (said !== version) throw new Refusal(`The installed command says "${said}" instead of ${version}.`);
  console.log(`ok   installed in an empty folder: ${name} --version prints ${said}`);
  const artefacts = writeArtefacts(copy, folder, pack.filename);
  console.log(`ok   beside it: ${artefacts.slice(1).join(", ")}`);
  return artefacts;
}

/** Writes, commits and tags; puts the files back where the commit is refused. */
function release({ texts, notes }, version) {
  const files = Object.keys(texts);
  try {
    writeAll(ROOT, texts);
    git("commit", "--quiet", "--message", `Release ${version}`, "--", ...files);
  } catch (error) {
    git("checkout", "--quiet", "HEAD", "--", ...files);
    throw error;
  }
  git("tag", "--annotate", `v${version}`, "--cleanup=verbatim", "--message", `${version}\n\n${notes}\n`);
}

const folder = mkdtempSync(join(tmpdir(), "tutti-release-"));
try {
  const { version, isDryRun } = readArguments(process.argv.slice(2));
  const prepared = prepare(version);
  run("npm", ["run", "--silent", "check"]);
  console.log("ok   npm run check");
  const artefacts = tryPackage(prepared, version, folder);
  if (isDryRun) {
    console.log(`${version} can be released. Nothing was changed (--dry-run).`);
  } else {
    release(prepared, version);
    const kept = join(ROOT, "release", version);
    for (const name of artefacts) cpSync(join(folder, name), join(kept, name));
    console.log(`Committed and tagged v${version}; what was tried is in release/${version}. Next, by hand:
  git show v${version}                    read it once more
  git push --follow-tags                  hand it on: the release workflow publishes it with provenance
  To undo before that: git tag --delete v${version} && git reset --hard HEAD~1`);
  }
} catch (error) {
  const output = `${error.stdout ?? ""}${error.stderr ?? ""}`.trim();
  console.error(error instanceof Refusal ? error.message : `${error.message}\n${output}`.trim());
  process.exitCode = error.exitCode ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
