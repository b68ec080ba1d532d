// node scripts/sbom.mjs: the software bill of materials of what is shipped, as CycloneDX 1.6 on standard output.
import { fileURLToPath } from "node:url";
import { readShipped } from "./release/artefacts.mjs";
import { toBillOfMaterials } from "./release/bill-of-materials.mjs";

const { manifest, shipped } = readShipped(fileURLToPath(new URL("..", import.meta.url)));
process.stdout.write(`${JSON.stringify(toBillOfMaterials(manifest, shipped), null, 2)}\n`);
