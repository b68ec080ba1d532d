// How good is P(worker right | question)? Asks once, by the highest probability, on tasks it was not fitted on.
// node experiments/probability.mjs --recorded ../shared/recorded [--part validation] [--set ID …] [--json]
//
// --part validation looks at the validation split, for choosing; the test split (the default) is for the result.
// Covered: one call. Several calls are measured by experiments/turns.mjs.

import { join } from "node:path";
import { parseArgs } from "node:util";
import { isTuttiError } from "../dist/base/errors.js";
import { toMarkdown } from "./probability/print.mjs";
import { measureSet, SETS } from "./probability/sets.mjs";

async function main() {
  const { values } = parseArgs({
    options: {
      recorded: { type: "string", default: "../shared/recorded" },
      part: { type: "string", default: "test" },
      set: { type: "string", multiple: true, default: Object.keys(SETS) },
      json: { type: "boolean", default: false },
    },
  });
  if (!["validation", "test"].includes(values.part))
    throw new TypeError(`--part must be validation or test, not ${values.part}`);
  const unknown = values.set.find((id) => !SETS[id]);
  if (unknown !== undefined)
    throw new TypeError(`No set "${unknown}" (there are: ${Object.keys(SETS).join(", ")})`);
  const rows = [];
  for (const id of values.set) {
    const startedAt = performance.now();
    rows.push(...(await measureSet(join(values.recorded, SETS[id].folder), id, values.part)));
    process.stderr.write(`${id}: ${Math.round((performance.now() - startedAt) / 1000)} s\n`);
  }
  process.stdout.write(values.json ? `${JSON.stringify(rows, null, 2)}\n` : toMarkdown(rows));
}

try {
  await main();
} catch (error) {
  if (!isTuttiError(error) && !(error instanceof TypeError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
