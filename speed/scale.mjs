// What several gateways on one Postgres do: real processes of the built product and a Postgres that writes to the disk as in
// production, all on this machine. In turns: one gateway on a file, one, two and four on Postgres, and bare DBOS with as many
// steps; workers answer at once, in the gateway's own process, so what is measured is ours. Then thousands of runs at once on one
// gateway, with a provider on loopback that takes one to five seconds for each call. Tells who was busy: look there first.
// Needs a build and Debian's postgresql. Run: npm run build && node speed/scale.mjs [--quick] [--json] [--seconds 5] [--rounds 3]
//   [--at-once 5000] [--only throughput,books,slow] [--before DIST] [--write speed/scale/measured.json]
// --before: the built product of another revision, in turns with this one, embedded. --write: what experiments/scale.mjs reads.
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { createJiti } from "jiti";
import { endAll } from "../attack/tools/processes.mjs";
import { measureBooks } from "./scale/books.mjs";
import { printBooks, printSlow, printThroughput, toMeasured } from "./scale/print.mjs";
import { measureSlow } from "./scale/slow.mjs";
import { measureThroughput } from "./scale/throughput.mjs";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean" },
    json: { type: "boolean" },
    seconds: { type: "string" },
    rounds: { type: "string" },
    "at-once": { type: "string" },
    only: { type: "string", default: "throughput,books,slow" },
    before: { type: "string" },
    write: { type: "string" },
  },
});
const seconds = Number(values.seconds ?? (values.quick ? 2 : 5));
const rounds = Number(values.rounds ?? (values.quick ? 1 : 3));
const atOnce = Number(values["at-once"] ?? (values.quick ? 500 : 5_000));
const parts = values.only.split(",");
const wants = (part) => parts.includes(part);

// A file in TypeScript that tests share, read as it is.
const tools = await createJiti(import.meta.url).import("../src/testing/postgres-server.ts");
if (!tools.canStartPostgres()) {
  console.error("This needs Postgres, as apt-get install postgresql brings it.");
  process.exit(2);
}
const postgres = await tools.startPostgres({ isDurable: true });
// Whoever stops us must not leave gateways behind.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => void end(1));

const figures = { at: new Date().toISOString().slice(0, 10), cores: cpus().length };
const say = (text) => process.stderr.write(`${text}\n`);
try {
  if (wants("throughput")) {
    say("throughput …");
    const builds = values.before ? { before: values.before } : {};
    figures.throughput = await measureThroughput({ postgres, seconds, rounds, builds });
    if (!values.json) printThroughput(figures.throughput);
  }
  if (wants("books")) {
    say("what a run takes of Postgres …");
    figures.books = await measureBooks({ postgres, runs: values.quick ? 300 : 1_500 });
    if (!values.json) printBooks(figures.books);
  }
  if (wants("slow")) {
    figures.slow = {};
    for (const [name, server] of Object.entries({ embedded: undefined, postgres })) {
      say(`${atOnce} runs at once, ${name} …`);
      figures.slow[name] = await measureSlow({ postgres: server, atOnce, seconds: seconds * 4 });
      if (!values.json) printSlow(name, figures.slow[name]);
    }
  }
  if (values.json) console.log(JSON.stringify(figures, null, 2));
  if (values.write) writeFileSync(values.write, `${JSON.stringify(toMeasured(figures), null, 2)}\n`);
  await end(0);
} catch (error) {
  console.error(error);
  await end(1);
}

async function end(code) {
  await endAll();
  await postgres.remove();
  process.exit(code);
}
