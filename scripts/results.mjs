// node scripts/results.mjs                       writes docs/results.md from docs/results/*.json
// node scripts/results.mjs --check               fails where docs/results.md is not what it would write
// node scripts/results.mjs --measure DIR [NAME…] builds and measures claims first, all or these; DIR is the folder of
//                                                recordings; some minutes on a quiet machine, 32 on a very busy one
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { CLAIMS } from "./results/claims.mjs";
import { measureClaim } from "./results/measure.mjs";
import { toPage } from "./results/page.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const file = resolve(root, "docs/results.md");
const [verb, recorded, ...names] = process.argv.slice(2);

if (verb === "--measure") {
  if (recorded === undefined) throw new Error("--measure needs the folder of recordings");
  const unknown = names.find((name) => !CLAIMS.some((claim) => claim.name === name));
  if (unknown !== undefined)
    throw new Error(`no claim "${unknown}" (there are: ${CLAIMS.map(({ name }) => name).join(", ")})`);
  execFileSync(process.execPath, [resolve(root, "scripts/prepare.mjs")], { stdio: "inherit" });
  for (const claim of CLAIMS.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const startedAt = performance.now();
    measureClaim(claim, resolve(recorded), root);
    console.log(`measured ${claim.name} in ${Math.round((performance.now() - startedAt) / 1_000)} s`);
  }
}

const page = toPage(
  root,
  CLAIMS.map(({ name }) => name),
);
if (verb !== "--check") writeFileSync(file, page);
else if (readFileSync(file, "utf8") !== page) {
  console.log("docs/results.md is not what node scripts/results.mjs writes from docs/results: run it");
  process.exit(1);
}
