// How long a plan takes: the forward pass in plain TypeScript beside the engine's graphs, on the same questions in the
// same run. `node speed/planning.mjs [plans]`; needs a build. The ratio says more than the milliseconds on a busy machine.
import { loadCheckpoint } from "../dist/conductor/native/checkpoint.js";
import { findShipped } from "../dist/conductor/native/shipped.js";
import { settleSize, toPrompt, writePlans } from "../dist/learn/native/stage.js";
import { openEngine } from "../dist/nn/engine.js";
import { ForwardModel } from "../dist/nn/forward/model.js";
import { Model } from "../dist/nn/model.js";
import { median, quantile, world } from "./train/lab.mjs";

const plans = Number(process.argv[2] ?? 100);
const { card, weights, language, choices } = loadCheckpoint(findShipped("rehearsal"));
const policyOf = (model) => ({ model, language, choices });
const contenders = {
  "plain TypeScript": new ForwardModel(card.shape, weights),
  "onnxruntime-node, 1 thread": new Model(await openEngine({ threads: 1 }), card.shape, weights),
};
const medians = [];
for (const [name, model] of Object.entries(contenders)) {
  const policy = policyOf(model);
  const ms = [];
  // The first half warms up; the second has other questions, so nothing that was read is remembered.
  for (let number = 0; number < 2 * plans; number++) {
    const startedAt = performance.now();
    const prompt = settleSize(policy, toPrompt(policy, world.sample(number)), card.cost ?? 0);
    await writePlans(policy, [prompt], { group: 1 });
    if (number >= plans) ms.push(performance.now() - startedAt);
  }
  medians.push(median(ms));
  const figures = [`p50 ${median(ms).toFixed(1)} ms`, `p99 ${quantile(ms, 0.99).toFixed(1)} ms`];
  console.log(`${name.padEnd(28)} ${figures.join("   ")}   ${plans} warm plans`);
}
console.log(`ratio of the medians, ours to the engine's: ${(medians[0] / medians[1]).toFixed(2)}`);
