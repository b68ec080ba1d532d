// The software bill of materials as CycloneDX 1.6. `npm sbom` knows what npm installs, but not what is inside the
// dashboard's bundle, so it is written here. The same lock gives the same text: no clock, no random number. Pure.
import { createHash } from "node:crypto";

export function toBillOfMaterials({ name, version, license, description }, { packages, needs }) {
  const ref = `${name}@${version}`;
  const components = packages.map(toComponent);
  const dependencies = [
    { ref, dependsOn: needs },
    ...packages.map((each) => ({ ref: each.ref, dependsOn: [...new Set(each.needs)] })),
  ];
  const digest = createHash("sha256")
    .update(JSON.stringify([ref, components]))
    .digest("hex");
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${toUuid(digest)}`,
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": ref,
        name,
        version,
        description,
        licenses: [{ license: { id: license } }],
        purl: toPurl(name, version),
      },
    },
    components,
    dependencies,
  };
}

function toComponent({ ref, name, version, licence, integrity, isInstalled }) {
  return {
    type: "library",
    "bom-ref": ref,
    name,
    version,
    scope: "required",
    ...(integrity && { hashes: [toHash(integrity)] }),
    licenses: [/[\s()]/.test(licence) ? { expression: licence } : { license: { id: licence } }],
    purl: toPurl(name, version),
    properties: [{ name: "tutti:shipped", value: isInstalled ? "installed" : "inside dist/web" }],
  };
}

/** "sha512-BASE64", as the lock has it. */
function toHash(integrity) {
  const [, bits, base64] = /^sha(\d+)-(\S+)/.exec(integrity);
  return { alg: `SHA-${bits}`, content: Buffer.from(base64, "base64").toString("hex") };
}

const toPurl = (name, version) => `pkg:npm/${name.replace("@", "%40")}@${version}`;

/** Its version digit says that it is made from a name (5). */
function toUuid(digest) {
  const variant = ((Number.parseInt(digest[16], 16) & 3) | 8).toString(16);
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `5${digest.slice(13, 16)}`,
    `${variant}${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join("-");
}
