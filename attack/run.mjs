// npm run attack [-- --only NAME,…] [--json] [--write-docs]: every attack of this folder against the built product, as
// real processes on loopback, one after the other, in at most ten minutes. Prints attack × tries × result.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { agent } from "./tools/http.mjs";
import { endAll } from "./tools/processes.mjs";
import { removeFolders } from "./tools/stage.mjs";
import { toDocs, toLines } from "./tools/table.mjs";

const HERE = import.meta.dirname;
const ROOT = join(HERE, "..");
const ATTACKS = ["kills", "bodies", "budget", "tenancy", "leaks", "forge", "quickjs", "folder", "rl"];
const ALL_MS = 600_000;
/** No attack may take the whole time. */
const ONE_MS = 240_000;

const { values: flags } = parseArgs({
  options: { only: { type: "string" }, json: { type: "boolean" }, "write-docs": { type: "boolean" } },
});

if (!existsSync(join(ROOT, "dist/cli/main.js"))) {
  console.error("There is no dist/cli/main.js: run npm run build first.");
  process.exit(2);
}

const files = [
  ...ATTACKS.map((name) => ({ name, file: join(HERE, `${name}.mjs`) })),
  ...listBlock().map((name) => ({ name: `block/${name}`, file: join(HERE, "block", `${name}.mjs`) })),
];
const wanted = flags.only?.split(",");
const unknown = wanted?.find((name) => !files.some((each) => isNamed(each, name)));
if (unknown !== undefined) {
  console.error(`There is no attack "${unknown}" (there are: ${files.map(({ name }) => name).join(", ")}).`);
  process.exit(2);
}

const results = [];
const until = performance.now() + ALL_MS;
// Whoever stops us must not leave gateways behind.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "uncaughtException", "unhandledRejection"])
  process.once(signal, (why) => {
    console.error(why instanceof Error ? why.stack : `Stopped by ${why}.`);
    void endAll().then(() => {
      removeFolders();
      process.exit(1);
    });
  });
for (const { name, file } of files.filter((each) => !wanted || wanted.some((one) => isNamed(each, one)))) {
  process.stderr.write(`${name} …\n`);
  results.push(await attack(name, file));
  process.stderr.write(`${toLines([results.at(-1)]).at(-1)}\n`);
}
agent.destroy();

writeFileSync(join(HERE, "results.json"), `${JSON.stringify(results, null, 2)}\n`);
if (flags["write-docs"]) {
  const page = join(ROOT, "docs/security.md");
  writeFileSync(page, toDocs(readFileSync(page, "utf8"), results));
}
console.log(flags.json ? JSON.stringify(results, null, 2) : toLines(results).join("\n"));
process.exit(results.every(({ ok }) => ok) ? 0 : 1);

async function attack(name, file) {
  const from = performance.now();
  let timer;
  let told = { name, what: "", tries: 0, ok: false };
  try {
    const { default: module } = await import(file);
    told = { ...told, what: module.what ?? module.name, wanted: module.tries };
    const leftMs = Math.min(ONE_MS, until - performance.now());
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error("its time was over")), Math.max(1, leftMs));
    });
    const outcome = await Promise.race([module.run(), late]);
    Object.assign(told, outcome, { name });
    if (told.tries < module.tries)
      Object.assign(told, { ok: false, result: `${told.result}; too few tries` });
  } catch (error) {
    Object.assign(told, { ok: false, result: `broke: ${error.message}`, details: { stack: error.stack } });
  } finally {
    clearTimeout(timer);
    await endAll();
    removeFolders();
  }
  return { ...told, seconds: Math.round((performance.now() - from) / 100) / 10 };
}

function listBlock() {
  const folder = join(HERE, "block");
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".mjs"))
    .map((name) => name.slice(0, -4))
    .sort();
}

/** "block" names all of its folder. */
function isNamed({ name }, wantedName) {
  return name === wantedName || name.startsWith(`${wantedName}/`);
}
