// npm links the bin to dist/cli/main.js; tsc does not set its executable bit.
import { chmodSync, existsSync } from "node:fs";

const bin = new URL("../dist/cli/main.js", import.meta.url);
if (existsSync(bin)) chmodSync(bin, 0o755);
