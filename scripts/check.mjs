// npm run check: types, lint and format, dependency direction, dead code, the results page, licences, all at the same time.
import { spawn } from "node:child_process";

const checks = [
  ["types", "tsc", ["--noEmit"]],
  ["types of the dashboard", "tsc", ["--noEmit", "-p", "web"]],
  ["lint and format", "biome", ["check", "--error-on-warnings", "."]],
  ["dependency direction", "node", ["scripts/check-direction.mjs"]],
  ["dead code", "knip", []],
  ["results page", "node", ["scripts/results.mjs", "--check"]],
  ["licences", "node", ["scripts/licences.mjs"]],
];

const run = ([name, command, args]) =>
  new Promise((done) => {
    const started = performance.now();
    let output = "";
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.on("data", (chunk) => (output += chunk));
    child.stderr.on("data", (chunk) => (output += chunk));
    child.on("close", (code) => {
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      console.log(`${code === 0 ? "ok  " : "FAIL"} ${name} (${seconds} s)`);
      if (code !== 0) console.log(output);
      done(code === 0);
    });
  });

const results = await Promise.all(checks.map(run));
process.exit(results.every(Boolean) ? 0 : 1);
