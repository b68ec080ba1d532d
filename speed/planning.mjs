// How long a plan takes: the forward pass in plain TypeScript beside the engine's graphs, on the same questions in the
// same run. `node speed/planning.mjs [plans]`; needs a build. On a busy machine
// the processor's time says more than the clock's.
import { loadCheckpoint } from "../dist/conductor/native/checkpoint.js";
import { findShipped } from "../dist/conductor/native/shipped.js";
import { settleSize, toPrompt, writePlans } from "../dist/learn/native/stage.js";
import { openEngine } from "../dist/nn/engine.js";
import { ForwardModel } from "../dist/nn/forward/model.js";
import { Model } from "../dist/nn/model.js";
import { median, quantile, world } from "./train/lab.mjs";

const plans = Number(process.argv[2] ?? 100);
const { card, weights, language, choices } = loadCheckpoint(findShipped("conductor"));
const policyOf = (model) => ({ model, language, choices });
const contenders = {
  "plain TypeScript": new ForwardModel(card.shape, weights),
  "onnxruntime-node, 1 thread": new Model(await openEngine({ threads: 1 }), card.shape, weights),
};
const processor = [];
for (const [name, model] of Object.entries(contenders)) {
  const policy = policyOf(model);
  const ms = [];
  let cpu;
  // The first half warms up; the second has other questions, so nothing that was read is remembered.
  for (let number = 0; number < 2 * plans; number++) {
    if (number === plans) cpu = process.cpuUsage();
    const startedAt = performance.now();
    const prompt = settleSize(policy, toPrompt(policy, world.sample(number)), card.cost ?? 0);
    await writePlans(policy, [prompt], { group: 1 });
    if (number >= plans) ms.push(performance.now() - startedAt);
  }
  const { user, system } = process.cpuUsage(cpu);
  const cpuMs = (user + system) / 1000 / plans;
  processor.push(cpuMs);
  const figures = [
    `p50 ${median(ms).toFixed(1)} ms`,
    `p99 ${quantile(ms, 0.99).toFixed(1)} ms`,
    `${cpuMs.toFixed(1)} ms of the processor each`,
  ];
  console.log(`${name.padEnd(28)} ${figures.join("   ")}   ${plans} warm plans`);
}
console.log(`processor time, ours to the engine's: ${(processor[0] / processor[1]).toFixed(2)}`);
