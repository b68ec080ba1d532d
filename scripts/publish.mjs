// npm run release:publish [-- --dry-run]: gives the version that is checked out to everybody. Meant for the release
// workflow: from a commit that is tagged with its version, in a CI that offers an identity token, so that npm can sign
// where the package comes from. Elsewhere it says why not, and publishes only with --without-provenance.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeArtefacts } from "./release/artefacts.mjs";
import { problemsOfPackage } from "./release/package-files.mjs";
import { provenanceOf, publishArguments } from "./release/provenance.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const FLAGS = ["--dry-run", "--without-provenance"];

function stop(message, exitCode = 1) {
  console.error(message);
  process.exit(exitCode);
}

const flags = process.argv.slice(2);
const unknown = flags.find((flag) => !FLAGS.includes(flag));
if (unknown !== undefined) stop(`There is no option ${unknown} (there are: ${FLAGS.join(", ")}).`, 2);
const isDryRun = flags.includes("--dry-run");
const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const { version } = manifest;
const run = (command, args) =>
  execFileSync(command, args, {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 1e8,
    stdio: ["ignore", "pipe", "inherit"],
  });

const provenance = provenanceOf(process.env, manifest);
if (!provenance.isPossible && !flags.includes("--without-provenance") && !isDryRun)
  stop(
    `Not published: ${provenance.why} Push the tag v${version}: the release workflow publishes it. Or, if that cannot be, --without-provenance.`,
  );
const tags = run("git", ["tag", "--points-at", "HEAD"]).split("\n");
if (!tags.includes(`v${version}`) && !isDryRun)
  stop(`Not published: this commit has no tag v${version}. Make one with: npm run release -- ${version}`);

const folder = join(ROOT, "release", version);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const [pack] = JSON.parse(run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder]));
const problems = problemsOfPackage(pack.files.map(({ path }) => path));
if (problems.length > 0) stop(`The package is wrong: ${problems.join("; ")}.`);
console.log(`release/${version}: ${writeArtefacts(ROOT, folder, pack.filename).join(", ")}`);

const words = publishArguments(join("release", version, pack.filename), provenance, version);
if (!provenance.isPossible) console.log(`Without provenance: ${provenance.why}`);
if (isDryRun) console.log(`npm ${words.join(" ")}\nNothing was published (--dry-run).`);
else run("npm", words);
