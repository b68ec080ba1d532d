// A workflow of three waves whose steps take 200 ms each: how far from the critical path of 600 ms?
// The peer is the same in bare promises, in the same run. Run: npm run build && node speed/critical-path.mjs
import { setTimeout as delay } from "node:timers/promises";
import { createTutti } from "../dist/index.js";

const STEP_MS = 200;
const worker = {
  id: "slow",
  kind: "model",
  async *ask(_, signal) {
    await delay(STEP_MS, undefined, { signal });
    yield { type: "text-delta", text: "done" };
    const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0 };
    yield { type: "finish", usage, reason: "stop" };
  },
};
const step = (access) => ({ worker: 0, subtask: "wait", access });
// Three at once, then two that see them, then the last one: six steps, three waves.
const workflow = { steps: [step([]), step([]), step([]), step([0, 1, 2]), step([0, 1, 2]), step("all")] };
const tutti = createTutti({ workers: [{ worker, price: { inputUsd: 0, outputUsd: 0 } }], store: "memory" });

async function bare() {
  await Promise.all([delay(STEP_MS), delay(STEP_MS), delay(STEP_MS)]);
  await Promise.all([delay(STEP_MS), delay(STEP_MS)]);
  await delay(STEP_MS);
}
async function time(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
const ask = () => tutti.ask("wait", { workflow });

await ask();
const rows = [];
for (let i = 0; i < 5; i++) rows.push([await time(ask), await time(bare)]);
const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
const [ours, theirs] = [0, 1].map((at) => median(rows.map((row) => row[at])));
const over = (ms) =>
  `${ms.toFixed(1)} ms (+${((ms / (3 * STEP_MS) - 1) * 100).toFixed(2)} % over ${3 * STEP_MS} ms)`;
console.log(`Tutti          ${over(ours)}`);
console.log(`bare promises  ${over(theirs)}`);
console.log(`ratio          ${(ours / theirs).toFixed(4)}`);
await tutti.close();
