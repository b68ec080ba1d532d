// What stands beside the tarball of a release: the bill of materials, the list of licences and the checksums of all.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { toBillOfMaterials } from "./bill-of-materials.mjs";
import { problemsOfLicences, toLicenceList } from "./licence.mjs";
import { importedPackages, shippedPackages } from "./shipped.mjs";

/** What is shipped from a folder with package.json, package-lock.json and the sources of the dashboard. */
export function readShipped(root) {
  const read = (file) => JSON.parse(readFileSync(join(root, file), "utf8"));
  const sources = readdirSync(join(root, "web/src"), { recursive: true })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name))
    .map((name) => readFileSync(join(root, "web/src", name), "utf8"));
  const bundled = [...new Set(sources.flatMap(importedPackages))].sort();
  return { manifest: read("package.json"), shipped: shippedPackages(read("package-lock.json"), bundled) };
}

/** Writes them into `folder`, beside the tarball; gives their names. Throws where a licence is not on the list. */
export function writeArtefacts(root, folder, tarball) {
  const { manifest, shipped } = readShipped(root);
  const problems = problemsOfLicences(shipped.packages);
  if (problems.length > 0) throw new Error(problems.join("; "));
  const base = tarball.replace(/\.tgz$/, "");
  const texts = {
    [`${base}.cdx.json`]: `${JSON.stringify(toBillOfMaterials(manifest, shipped), null, 2)}\n`,
    [`${base}.licences.txt`]: toLicenceList(shipped.packages),
  };
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
  const names = [tarball, ...Object.keys(texts)];
  writeFileSync(join(folder, "SHA256SUMS"), toChecksums(names.map((name) => join(folder, name))));
  return [...names, "SHA256SUMS"];
}

/** As `sha256sum --check` reads it. */
function toChecksums(files) {
  const lines = files.map((file) => {
    const digest = createHash("sha256").update(readFileSync(file)).digest("hex");
    return `${digest}  ${basename(file)}\n`;
  });
  return lines.join("");
}
