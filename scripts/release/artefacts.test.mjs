// What stands beside a release, and whether it is published with provenance: everything that needs no network.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { readShipped, writeArtefacts } from "./artefacts.mjs";
import { toBillOfMaterials } from "./bill-of-materials.mjs";
import { isAllowedLicence, problemsOfLicences } from "./licence.mjs";
import { provenanceOf, publishArguments } from "./provenance.mjs";
import { importedPackages, shippedPackages } from "./shipped.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const folders = [];
const createFolder = () => {
  folders.push(mkdtempSync(join(tmpdir(), "tutti-artefacts-")));
  return folders.at(-1);
};
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const LOCK = {
  packages: {
    "": { dependencies: { a: "1" }, devDependencies: { d: "1", e: "1" } },
    "node_modules/a": {
      version: "1.0.0",
      license: "MIT",
      dependencies: { b: "2" },
      integrity: "sha512-AAAA",
    },
    "node_modules/a/node_modules/b": { version: "2.0.0", license: "ISC" },
    "node_modules/b": { version: "1.0.0", license: "ISC" },
    "node_modules/d": { version: "1.0.0", license: "MIT", dependencies: { b: "1" } },
    "node_modules/e": { version: "1.0.0", license: "GPL-3.0-only" },
  },
};

describe("what is shipped", () => {
  it("is what npm installs, each in the version that is found from where it is needed, and what is bundled", () => {
    const { packages, needs } = shippedPackages(LOCK, ["d"]);
    expect(packages.map(({ ref, isInstalled }) => [ref, isInstalled])).toEqual([
      ["a@1.0.0", true],
      ["b@1.0.0", false],
      ["b@2.0.0", true],
      ["d@1.0.0", false],
    ]);
    expect(needs).toEqual(["a@1.0.0", "d@1.0.0"]);
  });

  it("of this repository has the dashboard's packages and no tool", () => {
    const names = readShipped(ROOT).shipped.packages.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["undici", "react-dom", "scheduler", "marked", "zod"]));
    for (const tool of ["vite", "vitest", "typescript", "playwright-core", "fast-check"])
      expect(names).not.toContain(tool);
  });

  it("is found by its imports, whatever their form", () => {
    const text =
      'import a from "one";\nimport "@s/two/x.css";\nawait import("three/y");\nimport b from "./own.ts";\nimport c from "node:fs";';
    expect(importedPackages(text)).toEqual(["one", "@s/two", "three"]);
  });
});

describe("licences", () => {
  it.each(["MIT", "(MIT OR CC0-1.0)", "GPL-3.0-only OR Apache-2.0", "MIT AND ISC"])(
    "%s may be shipped",
    (text) => {
      expect(isAllowedLicence(text)).toBe(true);
    },
  );

  it.each([
    "GPL-3.0-only",
    "MIT AND GPL-3.0-only",
    "SEE LICENSE IN x",
    "UNLICENSED",
    "",
    undefined,
    "(MIT OR (GPL-2.0 AND X))",
  ])("%s is for a person to decide", (text) => {
    expect(isAllowedLicence(text)).toBe(false);
  });

  it("that are not on the list are told with their package", () => {
    expect(problemsOfLicences(shippedPackages(LOCK, ["e"]).packages)).toEqual([
      'e@1.0.0: the licence "GPL-3.0-only" is not on the list',
    ]);
  });

  it("of this repository are all on the list", () => {
    const { status, stderr } = spawnSync(process.execPath, [join(ROOT, "scripts/licences.mjs")], {
      encoding: "utf8",
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });
});

describe("the bill of materials", () => {
  const { manifest, shipped } = readShipped(ROOT);

  it("has each package once, with hash, licence and address, and every dependency is a component", () => {
    const bill = toBillOfMaterials(manifest, shipped);
    const refs = bill.components.map((component) => component["bom-ref"]);
    expect(new Set(refs).size).toBe(refs.length);
    for (const { hashes, licenses, purl } of bill.components) {
      expect(hashes[0]).toMatchObject({ alg: "SHA-512", content: expect.stringMatching(/^[0-9a-f]{128}$/) });
      expect(licenses).toHaveLength(1);
      expect(purl).toMatch(/^pkg:npm\/(%40[\w.-]+\/)?[\w.-]+@\d/);
    }
    for (const { ref, dependsOn } of bill.dependencies)
      for (const each of dependsOn) expect(refs, `${ref} needs ${each}`).toContain(each);
  });

  it("is the same for the same lock, and another one for another lock", () => {
    const [one, two] = [toBillOfMaterials(manifest, shipped), toBillOfMaterials(manifest, shipped)];
    expect(one).toEqual(two);
    expect(one.serialNumber).toMatch(
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    const other = toBillOfMaterials(manifest, shippedPackages(LOCK));
    expect(other.serialNumber).not.toBe(one.serialNumber);
  });
});

describe("beside the tarball", () => {
  it("stand the bill, the list and checksums that fit", () => {
    const folder = createFolder();
    writeFileSync(join(folder, "tutti-9.9.9.tgz"), "not really packed");
    const names = writeArtefacts(ROOT, folder, "tutti-9.9.9.tgz");
    expect(names).toEqual([
      "tutti-9.9.9.tgz",
      "tutti-9.9.9.cdx.json",
      "tutti-9.9.9.licences.txt",
      "SHA256SUMS",
    ]);
    const lines = readFileSync(join(folder, "SHA256SUMS"), "utf8").trim().split("\n");
    const expected = names.slice(0, 3).map((name) => {
      const digest = createHash("sha256")
        .update(readFileSync(join(folder, name)))
        .digest("hex");
      return `${digest}  ${name}`;
    });
    expect(lines).toEqual(expected);
  });
});

describe("provenance", () => {
  const token = { ACTIONS_ID_TOKEN_REQUEST_URL: "https://x", ACTIONS_ID_TOKEN_REQUEST_TOKEN: "t" };
  const own = { repository: { type: "git", url: "git+https://example.org/tutti.git" } };

  it("is given where the CI offers a token and the manifest names its repository", () => {
    expect(provenanceOf(token, own)).toEqual({ isPossible: true });
    expect(provenanceOf({ GITLAB_CI: "true", SIGSTORE_ID_TOKEN: "t" }, own)).toEqual({ isPossible: true });
    expect(publishArguments("x.tgz", { isPossible: true }, "1.0.0")).toEqual([
      "publish",
      "x.tgz",
      "--access",
      "public",
      "--provenance",
    ]);
  });

  it("is not claimed elsewhere, and the reason is told", () => {
    expect(provenanceOf({ CI: "true", ACTIONS_ID_TOKEN_REQUEST_URL: "https://x" }, own)).toMatchObject({
      isPossible: false,
      why: expect.stringContaining("identity token"),
    });
    expect(provenanceOf(token, {})).toMatchObject({
      isPossible: false,
      why: expect.stringContaining('no "repository"'),
    });
    expect(publishArguments("x.tgz", { isPossible: false }, "1.0.0-beta.1")).toEqual([
      "publish",
      "x.tgz",
      "--access",
      "public",
      "--tag",
      "next",
    ]);
  });

  it("is why nothing is published from a machine of one's own", () => {
    const { status, stderr } = spawnSync(process.execPath, [join(ROOT, "scripts/publish.mjs")], {
      encoding: "utf8",
      env: { PATH: process.env.PATH },
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^Not published: There is no CI here/);
  });
});
