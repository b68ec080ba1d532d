// Rewards a second through OpenRLHF's route: 5,000 rollouts on the rehearsal pool (simulated), 256 at a time, every
// tenth sent twice, the server killed and started again in the middle. Each distinct completion must stand in the
// journal exactly once. The peer is the same work without a server: parse, perform and grade in this process.
// Run: npm run build && node speed/rl.mjs [rollouts]
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createRandom } from "../dist/base/random.js";
import { poseRehearsal } from "../dist/environment/export-questions.js";
import { toPrompt } from "../dist/environment/export-rows.js";
import { createQuestionFinder } from "../dist/environment/find-question.js";
import { parseLabel, toLabelText } from "../dist/environment/label.js";
import { renderWorkflow } from "../dist/workflow/render.js";
import { performTexts } from "../dist/world/rollout.js";

const MAIN = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const COUNT = Number(process.argv[2] ?? 5_000);
const AT_ONCE = 256;
const GROUP = 64;
const TRIES = 5;
const folder = mkdtempSync(join(tmpdir(), "tutti-speed-rl-"));

// ---- Rollouts as a policy would write them: one to five steps, 64 of each question, all different -------
const random = createRandom(1);
const { train } = poseRehearsal({ pools: "random", seed: 1, train: Math.ceil(COUNT / GROUP), test: 0 });
const rollouts = Array.from({ length: COUNT }, (_, i) => {
  const posed = train[Math.floor(i / GROUP)];
  const { members } = posed.question.pool;
  const models = [...members.keys()].filter((number) => members[number].worker.kind === "model");
  const steps = Array.from({ length: random.integer(1, 5) }, (_, step) => ({
    worker: random.pick(models),
    subtask: `Attempt ${i}: solve the task${step > 0 ? " and correct what you see" : ""}.`,
    access: step > 0 ? "all" : [],
  }));
  const prompt = `${toPrompt(posed)
    .map(({ role, content }) => `<|im_start|>${role}\n${content}<|im_end|>\n`)
    .join("")}<|im_start|>assistant\n`;
  // One in sixteen is no workflow.
  const completion = i % 16 === 0 ? `Attempt ${i}: I cannot decide.` : renderWorkflow({ steps });
  const label = toLabelText(posed.label);
  return {
    label,
    completion,
    body: JSON.stringify({ query: [`${prompt}${completion}<|im_end|>`], prompts: [prompt], labels: [label] }),
  };
});

// ---- The peer ---------------------------------------------------------------------------------------
async function performAlone() {
  const finder = createQuestionFinder();
  const { signal } = new AbortController();
  for (const { label, completion } of rollouts) {
    const { question, world } = finder.find(parseLabel(label));
    await performTexts({ world, question, texts: [completion], seed: 1, signal });
  }
}
await performAlone(); // also warms the world up
const aloneStarted = performance.now();
await performAlone();
const alone = COUNT / ((performance.now() - aloneStarted) / 1000);

// ---- The server, in a process of its own ------------------------------------------------------------
async function start(port) {
  const args = ["rl", "serve", "--port", String(port), "--run", folder, "--json", "--log", "error"];
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", "pipe", "ignore"] });
  let output = "";
  const url = await new Promise((resolve, reject) => {
    child.stdout.on("data", (text) => {
      output += text;
      const [, found] = /"url": "([^"]+)"/.exec(output) ?? [];
      if (found) resolve(found);
    });
    child.on("exit", () => reject(new Error(`the server ended: ${output}`)));
  });
  return { child, url };
}
async function end({ child }, signal) {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill(signal);
  await ended;
}

let server = await start(0);
const port = new URL(server.url).port;
let cut = 0;
/** As OpenRLHF does it: five tries, a second apart. */
async function ask(body) {
  for (let attempt = 1; ; attempt++) {
    try {
      const response = await fetch(`${server.url}/rl/openrlhf`, { method: "POST", body });
      const text = await response.text();
      if (!/^\{"rewards":\[\d\.\d\],"scores":\[\d\.\d\]\}$/.test(text)) throw new Error(`no reward: ${text}`);
      return text;
    } catch (error) {
      cut++;
      if (attempt === TRIES) throw error;
      await delay(1_000);
    }
  }
}

const queue = rollouts.flatMap(({ body }, i) => (i % 10 === 0 ? [body, body] : [body]));
const half = Math.floor(queue.length / 2);
const latencies = [];
let next = 0;
let restartMs = 0;
let restarting;
async function client() {
  while (next < queue.length) {
    const at = next++;
    if (at === half) restarting = restart();
    const started = performance.now();
    await ask(queue[at]);
    latencies.push(performance.now() - started);
  }
}
async function restart() {
  const started = performance.now();
  await end(server, "SIGKILL");
  server = await start(port);
  restartMs = performance.now() - started;
}
await ask(queue[0]); // the world is measured once
const started = performance.now();
await Promise.all(Array.from({ length: AT_ONCE }, client));
await restarting;
const seconds = (performance.now() - started) / 1000;
const health = await (await fetch(`${server.url}/health`)).json();
await end(server, "SIGTERM");

const rows = readFileSync(join(folder, "rollouts.jsonl"), "utf8").trimEnd().split("\n");
const keys = new Set(rows.map((row) => JSON.parse(row).key));
rmSync(folder, { recursive: true, force: true });
const isOnce = rows.length === COUNT && keys.size === COUNT;
latencies.sort((a, b) => a - b);
const rank = (share) => latencies[Math.floor(share * (latencies.length - 1))].toFixed(0);
const rate = (value) => Math.round(value).toLocaleString("en");
console.log(
  `${queue.length.toLocaleString("en")} requests, ${AT_ONCE} at a time, ${COUNT.toLocaleString("en")} distinct completions (simulated pool)`,
);
console.log(
  `performed once each: ${isOnce ? "yes" : "NO"} (${rows.length} rows in the journal, ${keys.size} different)`,
);
console.log(
  `killed and started again in ${(restartMs / 1000).toFixed(1)} s; ${cut} requests were cut and asked again`,
);
console.log(
  `over all          ${rate(queue.length / seconds).padStart(6)} rewards a second, the restart included`,
);
console.log(
  `without restart   ${rate(queue.length / (seconds - restartMs / 1000)).padStart(6)} rewards a second`,
);
console.log(
  `without a server  ${rate(alone).padStart(6)} rollouts a second (parse, perform, grade, in one process)`,
);
console.log(`answers           p50 ${rank(0.5)} ms, p99 ${rank(0.99)} ms, longest ${rank(1)} ms`);
console.log(`failures          ${JSON.stringify(health.failures)}`);
process.exit(isOnce ? 0 : 1);
