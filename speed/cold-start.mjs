// Cold start of `tutti ask --help`, beside a Node process that does nothing, in turns.
// Run: npm run build && node speed/cold-start.mjs
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const time = (args) => {
  const started = performance.now();
  execFileSync(process.execPath, args, { stdio: "ignore" });
  return performance.now() - started;
};
const rows = [];
for (let i = 0; i < 15; i++) rows.push([time([main, "ask", "--help"]), time(["-e", "0"])]);
const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
const [ours, node] = [0, 1].map((at) => median(rows.map((row) => row[at])));
console.log(
  `tutti ask --help ${ours.toFixed(0)} ms   node alone ${node.toFixed(0)} ms   ratio ${(ours / node).toFixed(2)}   own part ${(ours - node).toFixed(0)} ms`,
);
