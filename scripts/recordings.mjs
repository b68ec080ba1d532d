// npm run recordings -- routellm sprout [--out recorded] [--source source] [--offline] [--trust-pickles]: builds public
// recordings from their sources. It fetches what is not in SOURCE/NAME yet, brings it to a layout that `tutti record import`
// reads, and imports it into OUT/NAME. --list says what there is. With --offline it takes what is in SOURCE and fetches nothing.
import { execFileSync } from "node:child_process";
import { createWriteStream, existsSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { fetchAll } from "./recordings/fetch.mjs";
import { SOURCES } from "./recordings/sources.mjs";

const TUTTI = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const USAGE = `npm run recordings -- NAME… [--out recorded] [--source source] [--offline] [--trust-pickles]
  names: ${Object.keys(SOURCES).join(", ")}`;

/** Something that the caller can put right: told in one line. */
class Refusal extends Error {}

async function readTexts({ file, id, text }, folder) {
  const bytes = readFileSync(join(folder, file));
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const found = await parquetReadObjects({ file: buffer, compressors, columns: [id, text] });
  return new Map(found.map((row) => [row[id], row[text]]));
}

/** The rows as a file; the number of them. */
async function writeRows(source, folder, file) {
  const texts = source.texts && (await readTexts(source.texts, folder));
  let count = 0;
  function* lines() {
    for (const row of source.rows(folder, { texts })) {
      count++;
      yield `${JSON.stringify(row)}\n`;
    }
  }
  await pipeline(Readable.from(lines()), createWriteStream(file));
  if (count === 0)
    throw new Refusal(
      `nothing in ${folder} looks as it did when this was written: see scripts/recordings/rows.mjs`,
    );
  console.log(`  ${count.toLocaleString("en")} outcomes`);
}

async function build(name, { out, source: sources, offline, trust }) {
  const source = SOURCES[name];
  const [folder, recording] = [join(sources, name), join(out, name)];
  if (existsSync(recording))
    throw new Refusal(`${recording} is there already: take it away, or name another --out`);
  if (source.needsTrust && !trust)
    throw new Refusal(
      "its files are pickles, which run what their maker wrote: add --trust-pickles if you trust it",
    );
  console.log(`${name} (licence: ${source.licence}${source.measureOnly ? "; measure only" : ""})`);
  if (!offline) await fetchAll(source.fetch, folder);
  else if (!existsSync(folder)) throw new Refusal(`there is no ${folder}, and --offline fetches nothing`);
  for (const [command, ...args] of source.prepare ?? [])
    execFileSync(command, args, { cwd: folder, stdio: "inherit" });
  const table = join(sources, `${name}.jsonl`);
  if (source.rows) await writeRows(source, folder, table);
  const from = source.rows ? [table, "--format", "table"] : [join(folder, source.import.path)];
  const flags = [...from, ...source.import.flags, "--out", recording];
  execFileSync(process.execPath, [TUTTI, "record", "import", ...flags], { stdio: "inherit" });
  if (source.rows) rmSync(table);
}

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      out: { type: "string", default: "recorded" },
      source: { type: "string", default: "source" },
      offline: { type: "boolean", default: false },
      "trust-pickles": { type: "boolean", default: false },
      list: { type: "boolean", default: false },
    },
  });
  const unknown = positionals.find((name) => !Object.hasOwn(SOURCES, name));
  if (unknown !== undefined) throw new Refusal(`there is no recording "${unknown}".\n${USAGE}`);
  if (positionals.length === 0 && !values.list) throw new Refusal(USAGE);
  const [out, source] = [resolve(values.out), resolve(values.source)];
  return { ...values, names: positionals, out, source, trust: values["trust-pickles"] };
}

try {
  const { names, list, ...options } = readArguments();
  if (list)
    for (const [name, { licence }] of Object.entries(SOURCES)) console.log(`${name.padEnd(16)}${licence}`);
  else if (!existsSync(TUTTI)) throw new Refusal("Tutti is not built yet: npm run build");
  for (const name of names) await build(name, options);
} catch (error) {
  // What a child said is on the terminal already.
  console.error(`recordings: ${error.message}`);
  process.exitCode = error instanceof Refusal ? 2 : 1;
}
