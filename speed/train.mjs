// How fast a Conductor plans and learns here: planning delay, tokens a second of decoding, GFLOPS of the training
// step beside OpenBLAS in the same run, and the time of whole GRPO iterations in the rehearsal (simulated).
// Run: npm run build && node speed/train.mjs [--threads 2] [--quick] [--full]
//   --quick shows that it works; --full really performs 200 iterations, after a warm-up, instead of estimating
//   --checkpoint FOLDER plans with this one; --blas FILE is an OpenBLAS that is not where libraries are
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openEngine } from "../dist/nn/engine.js";
import { weightDims } from "../dist/nn/transformer.js";
import { measureIterations, performIterations } from "./train/iterations.mjs";
import { GROUP, LARGE, QUESTIONS, show, sum } from "./train/lab.mjs";
import { measurePlanning } from "./train/planning.mjs";
import { measureDecodingAndStep } from "./train/step.mjs";

function readOptions() {
  const { values } = parseArgs({
    options: {
      ...{ threads: { type: "string", default: "2" }, blas: { type: "string" } },
      ...{ quick: { type: "boolean", default: false }, full: { type: "boolean", default: false } },
      checkpoint: { type: "string" },
    },
  });
  const threads = Number(values.threads);
  if (!(Number.isInteger(threads) && threads >= 1))
    throw new TypeError(`--threads must be a whole number from 1, not ${values.threads}`);
  return { ...values, threads };
}

const { threads, quick, full, checkpoint, blas } = readOptions();
const [plans, repeats, products, ofEach] = quick ? [10, 1, 3, 1] : [200, 7, 40, 10];
const folder = mkdtempSync(join(tmpdir(), "tutti-speed-"));
try {
  const weights = sum(weightDims(LARGE).map(([, dims]) => dims.reduce((all, dim) => all * dim, 1)));
  show("machine", `${cpus().length} × ${cpus()[0].model}, load ${loadavg()[0].toFixed(1)} at the start`);
  if (quick) show("quick", "too few of everything: these numbers say nothing");
  // First, while the engine is not loaded yet: loading it belongs to the first plan.
  await measurePlanning(plans, checkpoint, folder);
  const engine = await openEngine({ threads });
  show("trained model", `${(weights / 1e6).toFixed(2)} M weights, ${engine.id}`);
  await measureDecodingAndStep(engine, { repeats, threads, products, blas });
  show("GRPO iterations", `${QUESTIONS} questions × ${GROUP} rollouts, rehearsal (simulated)`);
  if (full) await performIterations(threads, folder);
  else await measureIterations(engine, ofEach);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
