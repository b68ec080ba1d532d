// Chooses the constants of src/trajectory/choose.ts on validation tasks: node experiments/trajectory/tune.mjs NAME=VALUE,VALUE …
// Each value is written into a copy of the built file's constants for one process; no test task is played. Prints the mean
// share of right ends over a row of budgets (those of the workers alone, and half of the strongest's).

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const FILE = new URL("../../dist/trajectory/choose.js", import.meta.url);
const original = readFileSync(FILE, "utf8");
const changes = process.argv.slice(2).map((each) => each.split("="));

function run(name, value) {
  const pattern = new RegExp(`const ${name} = [\\d.]+;`);
  if (name && !pattern.test(original)) throw new Error(`There is no constant ${name}`);
  writeFileSync(FILE, name ? original.replace(pattern, `const ${name} = ${value};`) : original);
  const { stdout, stderr } = spawnSync(process.execPath, [new URL("./score.mjs", import.meta.url).pathname], {
    encoding: "utf8",
  });
  console.log(`${name ?? "as it is"} ${value ?? ""}  ${stdout.trim() || stderr}`);
}

try {
  run();
  for (const [name, values] of changes) for (const value of values.split(",")) run(name, value);
} finally {
  writeFileSync(FILE, original);
}
