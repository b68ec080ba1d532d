// How fast a Conductor plans and learns here: planning delay, tokens a second of decoding, GFLOPS of the training
// step beside OpenBLAS in the same run, and the time of whole GRPO iterations in the rehearsal (simulated).
// Run: npm run build && node speed/train.mjs [--threads 2] [--quick] [--full]
//   --full really trains 200 iterations, after a warm-up, instead of reckoning from ten of each stage
//   --checkpoint FOLDER plans with this one; --blas FILE is an OpenBLAS that is not installed where libraries are
import { execFileSync } from "node:child_process";
import { setMaxListeners } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { saveCheckpoint } from "../dist/conductor/native/checkpoint.js";
import { Language, LITERALS } from "../dist/conductor/native/language.js";
import { createNativeConductor } from "../dist/conductor/native/native.js";
import { FEATURES } from "../dist/conductor/native/reading.js";
import { findShipped } from "../dist/conductor/native/shipped.js";
import { openTrainingFolder } from "../dist/learn/folder.js";
import { practise } from "../dist/learn/iteration.js";
import { allSubtasks, toVocabulary } from "../dist/learn/phrases.js";
import { toPrompt } from "../dist/learn/policy.js";
import { lotAt } from "../dist/learn/schedule.js";
import { train } from "../dist/learn/train.js";
import { drawWorkflow } from "../dist/learn/warm-up.js";
import { createRehearsalWorld } from "../dist/learn/world-rehearsal.js";
import { shapeOf } from "../dist/nn/batch.js";
import { openEngine } from "../dist/nn/engine.js";
import { Model } from "../dist/nn/model.js";
import { AdamW } from "../dist/nn/optimiser.js";
import { trainTokenizer } from "../dist/nn/tokenizer.js";
import { createWeights, weightDims } from "../dist/nn/transformer.js";
import { createRandom, hashSeed } from "../dist/random.js";
import { toMessages } from "../dist/task/types.js";
import { MAX_STEPS } from "../dist/workflow/types.js";

const { values: options } = parseArgs({
  options: {
    threads: { type: "string", default: "2" },
    quick: { type: "boolean", default: false },
    full: { type: "boolean", default: false },
    checkpoint: { type: "string" },
    blas: { type: "string" },
  },
});
const THREADS = Number(options.threads);
if (!(Number.isInteger(THREADS) && THREADS >= 1))
  throw new TypeError(`--threads must be a whole number from 1, not ${options.threads}`);
const [PLANS, REPEATS, OF_EACH] = options.quick ? [20, 1, 1] : [200, 7, 10];

const QUESTIONS = 8;
const GROUP = 16;
const LENGTH = 48;
const ITERATIONS = 200;
/** As `tutti train` has it. */
const MICRO_BATCH = 4;
const SCHEDULE = { iterations: ITERATIONS, warmUp: 0, supervised: 0, learningRate: 7e-4, exploration: 0.03 };
const { signal } = new AbortController();
setMaxListeners(0, signal);

// ---- What is measured ------------------------------------------------------------------------------
const world = createRehearsalWorld({ seed: 1, pools: "random", calibrationTasks: 60, tune: 400 });
const language = createLanguage();
const toShape = (width, layers) => ({
  ...{ vocabulary: language.vocabulary, width, layers, heads: width / 32, hidden: (width / 3) * 8 },
  features: FEATURES,
});
const LARGE = toShape(192, 4);
const SMALL = toShape(96, 2);

/** As a training makes it. */
function createLanguage() {
  const subtasks = allSubtasks(world.works());
  const texts = [...world.texts(), ...Array(20).fill(subtasks).flat()];
  return new Language(trainTokenizer(texts, { size: 1024, literals: LITERALS }));
}

/**
 * Writes random workflows, with all the work of writing: a model that was not warmed up would write none, and
 * where every group is flat nothing is learned and an iteration takes hardly any time.
 */
class Reciter extends Model {
  #drawn = 0;

  write(prefixes, writing) {
    const random = createRandom(hashSeed("recite", this.#drawn++));
    const works = world.works();
    const texts = prefixes.map(({ slots, start }) => {
      const members = slots.map(([isModel]) => ({ worker: { kind: isModel === 1 ? "model" : "tool" } }));
      const sizes = Array.from({ length: MAX_STEPS }, (_, i) => i + 1);
      const size = sizes.find((each) => language.size(each) === start);
      return Array.from({ length: writing.group }, () => {
        const vocabulary = toVocabulary("", works, "free");
        const drawing = { pool: { members }, vocabulary, handOffs: true, previousSteps: 0, random };
        return language.toTokens(drawWorkflow({ ...drawing, ...(size !== undefined && { size }) }));
      });
    });
    const choose = (_, question, rollout, tokens) => texts[question][rollout][tokens.length] ?? language.end;
    return super.write(prefixes, { ...writing, choose });
  }
}

/**
 * Multiply-adds of the matrix products of a training graph, for Q questions of T tokens of text and S slots
 * (P = T + S), each with R = G · L rows of rollouts; width W, heads of d, MLP of M, V tokens, F figures, Y layers:
 *   forward    Q · [ Y · ((P+R) · (4W² + 3WM)  +  2W · (P² + R·P + R·L)) + (T+R) · WV + (R+S) · W² + RW(S+1) ]
 *   backward   twice that: to each side of every product
 * and, apart, what is written as a product but is none to whoever counts by hand:
 *   positions  Q · Y · 3 · 2 · (P+R) · W · d            turned by a matrix: queries and keys, one way back
 *   look-ups   Q · ((T+R) · VW + 2 · (RSW + SFW))       of embeddings (back), and slots (there and back)
 */
function multiplyAdds(shape, { questions: Q, text: T, slots: S, group, length: L }) {
  const { vocabulary: V, width: W, hidden: M, layers: Y, heads, features: F } = shape;
  const [P, R] = [T + S, group * L];
  const perLayer = (P + R) * (4 * W ** 2 + 3 * W * M) + 2 * W * (P ** 2 + R * P + R * L);
  const forward = Q * (Y * perLayer + (T + R) * W * V + (R + S) * W ** 2 + R * W * (S + 1));
  const positions = Q * Y * 6 * (P + R) * W * (W / heads);
  const lookUps = Q * ((T + R) * V * W + 2 * (R * S * W + S * F * W));
  return { counted: 3 * forward, apart: positions + lookUps };
}

// ---- Measuring -------------------------------------------------------------------------------------
async function time(work) {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}
const at = (list, share) => list.toSorted((a, b) => a - b)[Math.floor(share * (list.length - 1))];
const median = (list) => at(list, 0.5);
const sum = (list) => list.reduce((all, each) => all + each, 0);
const show = (name, text) => console.log(`${name.padEnd(30)} ${text}`);
const ms = (seconds) => `${(seconds * 1000).toFixed(1)} ms`;

/** Nothing where OpenBLAS is not there. */
function measureSgemm() {
  const script = fileURLToPath(new URL("sgemm.py", import.meta.url));
  const args = [
    script,
    String(THREADS),
    String(options.quick ? 5 : 40),
    ...(options.blas ? [options.blas] : []),
  ];
  try {
    const [gflops, ...config] = execFileSync("python3", args, { encoding: "utf8", stdio: "pipe" }).split(" ");
    return { gflops: Number(gflops), config: config.join(" ").trim() };
  } catch (error) {
    // Neither the library nor Python need be there; a wrong product must be told.
    if (error.status !== 3 && error.code !== "ENOENT") throw error;
    return undefined;
  }
}

async function measurePlanning(folder) {
  const name = options.checkpoint ?? (findShipped("rehearsal") ? "models/rehearsal" : "untrained, 96 × 2");
  const checkpoint = options.checkpoint ?? findShipped("rehearsal") ?? (await saveUntrained(folder));
  const requests = Array.from({ length: PLANS + 1 }, (_, number) => {
    const { task, pool } = world.draw(number);
    return {
      ...{ task: { id: task.id, messages: toMessages(task) }, pool, rounds: [], errors: [] },
      ...{ maxSteps: MAX_STEPS, seed: number },
    };
  });
  let conductor;
  const plan = async (request) => {
    for await (const event of conductor.compose(request, signal))
      if (event.type === "plan-end" && event.decision.type !== "workflow") throw new Error(event.text);
  };
  const first = await time(async () => {
    conductor = createNativeConductor({ checkpoint });
    await plan(requests[0]);
  });
  // Pools of one to eight workers and of more are two shapes: both are compiled before it counts.
  for (const request of requests) await plan(request);
  const seconds = [];
  for (const request of requests.slice(1)) seconds.push(await time(() => plan(request)));
  show(
    "planning",
    `p50 ${ms(median(seconds))}   p99 ${ms(at(seconds, 0.99))}   ${PLANS} warm plans, one thread (${name})`,
  );
  show("load and first plan", ms(first));
}

async function saveUntrained(folder) {
  const training = { world: "none", isSimulated: true, command: "speed/train.mjs", seed: 1 };
  const card = {
    ...{ name: "untrained", shape: SMALL, limits: { workers: 64, rounds: 1 }, handOffs: true, about: {} },
    training: { ...training, iterations: 0, engine: "none", date: "2026-01-01" },
  };
  await saveCheckpoint(folder, { card, weights: createWeights(SMALL, 1), language });
  return folder;
}

function sample(random) {
  return (chances) => {
    let left = random.next();
    for (let token = 0; token < chances.length; token++) {
      left -= chances[token];
      // All rollouts are to be of full length.
      if (left < 0 && token !== language.end) return token;
    }
    return 0;
  };
}

async function measureDecoding(model, prefixes) {
  const { start, end } = language;
  const writing = { group: GROUP, length: LENGTH, start, end, choose: sample(createRandom(1)) };
  const compiling = await time(() => model.write(prefixes, writing));
  const seconds = [];
  let written;
  for (let i = 0; i < REPEATS; i++)
    seconds.push(
      await time(async () => {
        written = await model.write(prefixes, writing);
      }),
    );
  const tokens = QUESTIONS * GROUP * LENGTH;
  show(
    "decoding",
    `${Math.round(tokens / median(seconds)).toLocaleString("en")} tokens/s   ${QUESTIONS} × ${GROUP} rollouts of ${LENGTH} in ${median(seconds).toFixed(2)} s (${compiling.toFixed(1)} s with compiling)`,
  );
  return written;
}

async function measureStep(model, prefixes, written) {
  const optimiser = new AdamW(model.weights);
  const scale = 1 / (QUESTIONS * GROUP);
  const rows = prefixes.map((prefix, q) => ({
    prefix,
    lessons: written[q].map(({ tokens, logps }, g) => {
      const weights = new Float32Array(LENGTH).fill(scale);
      return { tokens, logps, weights, advantage: g % 2 ? 0.25 : -0.25, exploration: weights };
    }),
  }));
  const learning = { start: language.start, group: GROUP, textWeight: 0.02 * scale, microBatch: MICRO_BATCH };
  let optimising = 0;
  const step = async () => {
    const { gradients } = await model.learn(rows, { ...learning, objective: { kind: "policy", clip: 0.2 } });
    optimising = await time(() => optimiser.step(gradients, { learningRate: 1e-6, maxNorm: 1 }));
  };
  await step();
  // In turns, so that both see the same machine.
  const [seconds, peers] = [[], []];
  for (let i = 0; i < REPEATS; i++) {
    peers.push(measureSgemm());
    seconds.push(await time(step));
  }
  let [counted, apart] = [0, 0];
  for (let first = 0; first < QUESTIONS; first += MICRO_BATCH) {
    const part = prefixes.slice(first, first + MICRO_BATCH);
    const products = multiplyAdds(model.shape, shapeOf(part, GROUP, LENGTH));
    [counted, apart] = [counted + products.counted, apart + products.apart];
  }
  const gflops = (products) => (2 * products) / median(seconds) / 1e9;
  show(
    "training step",
    `${median(seconds).toFixed(2)} s   ${gflops(counted).toFixed(0)} GFLOPS, ${gflops(counted + apart).toFixed(0)} with look-ups and positions written as products   (AdamW ${ms(optimising)} of it)`,
  );
  if (!peers[0])
    return show(
      "OpenBLAS sgemm",
      "not installed here: apt-get install libopenblas0-pthread (and python3), or --blas FILE",
    );
  const peer = median(peers.map((each) => each.gflops));
  show("OpenBLAS sgemm", `${peer.toFixed(0)} GFLOPS, 1024³, in turns with the step   (${peers[0].config})`);
  show(
    "share of OpenBLAS",
    `${((100 * gflops(counted)) / peer).toFixed(0)} %, ${((100 * gflops(counted + apart)) / peer).toFixed(0)} % with the latter`,
  );
}

// ---- Whole iterations ------------------------------------------------------------------------------
const nameOf = ({ stage, keepsOpen }) =>
  stage === "teams" ? `teams of ${keepsOpen ? "given sizes" : "free size"}` : stage;

async function measureIterations(engine) {
  const weights = createWeights(LARGE, 1);
  const policy = { model: new Reciter(engine, LARGE, weights), language };
  const optimiser = new AdamW(weights);
  const schedule = { ...SCHEDULE, rounds: 2 };
  const iterate = async (iteration) => {
    const lot = lotAt(iteration, schedule);
    const { learned, groups } = await practise({
      ...{ policy, world, seed: 1, iteration, lot, questions: QUESTIONS, group: GROUP, costPerCall: 0 },
      ...{ words: "free", microBatch: MICRO_BATCH, signal },
    });
    if (learned.gradients.size > 0)
      optimiser.step(learned.gradients, { learningRate: lot.learningRate, maxNorm: 1 });
    return groups.length;
  };
  const lots = Array.from({ length: ITERATIONS }, (_, i) => nameOf(lotAt(i, schedule)));
  const means = new Map();
  for (const name of new Set(lots)) {
    const numbers = Array.from({ length: OF_EACH }, (_, i) => lots.indexOf(name) + i);
    const compiling = await time(async () => {
      for (const number of numbers) await iterate(number);
    });
    let groups = 0;
    const seconds = await time(async () => {
      for (const number of numbers) groups += await iterate(number);
    });
    means.set(name, seconds / OF_EACH);
    show(
      `  ${name}`,
      `${(seconds / OF_EACH).toFixed(2)} s an iteration, of ${(groups / OF_EACH).toFixed(1)} groups   (mean of ${OF_EACH}; ${(compiling - seconds).toFixed(0)} s compiling before)`,
    );
  }
  await policy.model.close();
  for (const rounds of [1, 2]) {
    const all = Array.from({ length: ITERATIONS }, (_, i) =>
      means.get(nameOf(lotAt(i, { ...SCHEDULE, rounds }))),
    );
    show(`${ITERATIONS} iterations, --rounds ${rounds}`, `${(sum(all) / 60).toFixed(1)} min, reckoned`);
  }
}

async function performAll(parent) {
  const folder = openTrainingFolder(join(parent, "training"));
  const seconds = new Map();
  let endOfWarmUp = performance.now();
  try {
    const whole = await time(() =>
      train({
        ...{ world, seed: 1, iterations: ITERATIONS, rounds: 2, group: GROUP, questions: QUESTIONS },
        ...{ costPerCall: 0, supervised: false, words: "free", shape: { width: 192, layers: 4 } },
        ...{ threads: THREADS, folder, resume: false, command: "speed/train.mjs --full", signal },
        onEvent(event) {
          if (event.type !== "iteration") return;
          const name = event.stage;
          seconds.set(name, [...(seconds.get(name) ?? []), event.seconds]);
          if (name === "warm-up") endOfWarmUp = performance.now();
          if (event.iteration % 25 === 0) process.stderr.write(`${event.iteration} of ${event.total}\n`);
        },
      }),
    );
    const minutes = (list) => `${(sum(list) / 60).toFixed(1)} min`;
    for (const [name, list] of seconds) show(`  ${name}`, `${list.length} iterations in ${minutes(list)}`);
    const { "warm-up": _, ...learned } = Object.fromEntries(seconds);
    show(`${ITERATIONS} iterations`, `${minutes(Object.values(learned).flat())}, compiling included`);
    const since = (performance.now() - endOfWarmUp) / 1000;
    show("with looks and saves", `${minutes([since])}; with the warm-up ${minutes([whole])}`);
  } finally {
    folder.close();
  }
}

// ---- All of it -------------------------------------------------------------------------------------
const folder = mkdtempSync(join(tmpdir(), "tutti-speed-"));
try {
  const count = sum(weightDims(LARGE).map(([, dims]) => dims.reduce((all, dim) => all * dim, 1)));
  show("machine", `${cpus().length} × ${cpus()[0].model}, load ${loadavg()[0].toFixed(1)} at the start`);
  // First, while the engine is not loaded yet: its loading belongs to the first plan.
  await measurePlanning(folder);
  const engine = await openEngine({ threads: THREADS, purpose: "training" });
  show("model", `${(count / 1e6).toFixed(2)} M weights, ${engine.id}`);
  const model = new Model(engine, LARGE, createWeights(LARGE, 1));
  const prompts = Array.from({ length: QUESTIONS }, (_, i) => toPrompt({ model, language }, world.draw(i)));
  const prefixes = prompts.map(({ reading }) => reading.prefix);
  const written = await measureDecoding(model, prefixes);
  await measureStep(model, prefixes, written);
  await model.close();
  show("GRPO iterations", `${QUESTIONS} questions × ${GROUP} rollouts, rehearsal (simulated)`);
  if (options.full) await performAll(folder);
  else await measureIterations(engine);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
