// `npm run fuzz -- [--target NAME] [--seconds N] [--seed S]`: every target, or those that are named, within so many seconds
// in all. Prints a line for each; writes inputs that fail into the corpus, and then ends with 1.

import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { addToCorpus } from "./corpus.ts";
import { TARGETS } from "./targets.ts";
import type { Told, WorkerInput } from "./worker.ts";

/** An input that takes longer never ends, for all that anybody would wait. */
const STUCK_MS = 20_000;
const INPUT_BYTES = 1_000_000;

const { values } = parseArgs({
  options: {
    target: { type: "string", multiple: true },
    seconds: { type: "string", default: "60" },
    seed: { type: "string" },
  },
});
const seconds = Number(values.seconds);
const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed);
const wanted = TARGETS.filter(({ name }) => values.target?.includes(name) ?? true);
if (!(seconds > 0) || !Number.isInteger(seed) || wanted.length < (values.target?.length ?? 1)) {
  console.error(
    `--seconds and --seed must be numbers, --target one of ${TARGETS.map(({ name }) => name).join(", ")}`,
  );
  process.exit(2);
}

const endsAt = Date.now() + seconds * 1_000;
let failed = 0;

function report(name: string, { cases, seconds: took, faults }: Told): void {
  console.log(`${name} · ${cases} cases · ${took.toFixed(1)} s · ${faults.length} failures`);
  for (const { input, problem } of faults) {
    const file = addToCorpus(name, Buffer.from(input));
    console.log(`  ${file}\n    ${problem.split("\n").slice(0, 6).join("\n    ")}`);
  }
  failed += faults.length;
}

/** Returns how many were done: all, or those up to one that never ended. */
function runTargets(targets: readonly string[]): Promise<number> {
  const shared = new SharedArrayBuffer(8 + INPUT_BYTES);
  const state = new Int32Array(shared, 0, 2);
  const workerData: WorkerInput = { targets, seed, endsAt, shared };
  return new Promise((resolve, reject) => {
    const worker = new Worker(fileURLToPath(new URL("worker.ts", import.meta.url)), { workerData });
    let done = 0;
    let [before, since] = [-1, performance.now()];
    const watch = setInterval(() => {
      const cases = Atomics.load(state, 0);
      if (cases !== before) [before, since] = [cases, performance.now()];
      else if (cases > 0 && performance.now() - since > STUCK_MS) {
        const input = Buffer.from(new Uint8Array(shared, 8, Atomics.load(state, 1)));
        const problem = `it takes longer than ${STUCK_MS / 1_000} s`;
        report(targets[done++]!, { cases, seconds: STUCK_MS / 1_000, faults: [{ input, problem }] });
        void worker.terminate();
      }
    }, 500);
    worker.on("message", (told: Told) => report(targets[done++]!, told));
    worker.on("error", reject);
    worker.on("exit", () => {
      clearInterval(watch);
      resolve(done);
    });
  });
}

console.log(`seed ${seed}`);
for (let rest = wanted.map(({ name }) => name); rest.length > 0; )
  rest = rest.slice(Math.max(1, await runTargets(rest)));
process.exit(failed === 0 ? 0 : 1);
