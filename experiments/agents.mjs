// Coding agents through the gateway, each a real program from npm: reads a file, mends it, runs its test, says what it
// did. The provider behind the gateway is a stub (simulated: a script that plays a coding model) that enforces what real
// providers refuse, and bills with prompt caching. Per agent and way: finished or not, turns, requests, cost, cached share.
// Ends with 1 where a loop was not finished, or where one model and tutti-fast differ by more than a tenth in cost. An
// agent that cannot be installed is left out, with the reason.
// Run: npm run build && npm run agents [-- --only codex,claude --ways relay,fast,team --verbose --json]
import { parseArgs } from "node:util";
import { CLIENTS } from "./agents/clients.mjs";
import { install } from "./agents/install.mjs";
import { loop, WAYS } from "./agents/loop.mjs";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    ways: { type: "string" },
    verbose: { type: "boolean" },
    json: { type: "boolean" },
  },
});
const MOST_DIFFERENCE = 0.1;
const names = pick(values.only, CLIENTS, "agent");
const ways = pick(values.ways, WAYS, "way");
const rows = [];
const problems = [];
for (const name of names) {
  const client = CLIENTS[name];
  const { program, reason } = await install(client);
  if (!program) {
    console.error(`${client.title}: left out. ${reason}`);
    continue;
  }
  for (const way of ways) {
    const result = await loop(client, program, way);
    const row = { agent: client.title, version: client.version, way: WAYS[way].title, ...result };
    rows.push(row);
    if (!row.isFinished)
      problems.push(`${row.agent} through ${row.way}: not finished (ended with ${row.code})`);
    for (const refusal of row.refusals)
      problems.push(`${row.agent} through ${row.way}: the provider refused: ${refusal}`);
    if (!values.json) print(row);
    if (values.verbose || !row.isFinished) console.error(row.output.slice(-2_000));
    if (values.verbose) console.table(row.lines);
  }
  compare(client.title);
}
if (values.json)
  console.log(JSON.stringify({ rows: rows.map(({ output: _, lines: __, ...row }) => row), problems }));
for (const problem of problems) console.error(`✗ ${problem}`);
if (rows.length === 0) console.error("No agent could be installed: nothing was tested.");
process.exitCode = problems.length > 0 || rows.length === 0 ? 1 : 0;

function pick(text, table, what) {
  const all = Object.keys(table);
  const wanted = text?.split(",") ?? all;
  const unknown = wanted.find((name) => !all.includes(name));
  if (unknown === undefined) return wanted;
  console.error(`No ${what} "${unknown}" (there are: ${all.join(", ")})`);
  process.exit(2);
}

function compare(agent) {
  const of = (way) => rows.find((row) => row.agent === agent && row.way === WAYS[way].title);
  const [relay, fast] = [of("relay"), of("fast")];
  if (!relay?.isFinished || !fast?.isFinished) return;
  const difference = fast.usd / relay.usd - 1;
  if (Math.abs(difference) > MOST_DIFFERENCE)
    problems.push(
      `${agent}: tutti-fast costs ${(difference * 100).toFixed(0)} % more or less than one model`,
    );
}

function print({ agent, way, isFinished, turns, requests, usd, billedUsd, cachedShare, seconds }) {
  const cells = [
    agent.padEnd(12),
    way.padEnd(11),
    (isFinished ? "finished" : "NOT FINISHED").padEnd(13),
    `${turns} turns`.padStart(9),
    `${requests} requests`.padStart(12),
    `$${usd.toFixed(5)}`.padStart(10),
    `bill $${billedUsd.toFixed(5)}`.padStart(15),
    `${(cachedShare * 100).toFixed(0)} % cached`.padStart(13),
    `${seconds.toFixed(0)} s`.padStart(6),
  ];
  console.log(cells.join(""));
}
