// Shows whether the warm-up alone teaches more than the language: its workflows beside random ones (simulated).
// npm run build && node experiments/warm-up.mjs [--seeds 1,2,3] [--tasks 600] [--json]
//
// Without checkpoints it trains a warm-up for each seed first, about four minutes each. Further options:
//   --checkpoint DIR  measures this one instead (a training with 0 iterations); may be given several times
//   --out DIR         keeps the warm-ups that it trains; --width N --layers N --threads N of their model

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { isTuttiError } from "../dist/base/errors.js";
import { createRandom, hashSeed } from "../dist/base/random.js";
import { bootstrapMean, meanOf } from "../dist/base/statistics.js";
import { randomWorkflow } from "../dist/baseline/random-workflow.js";
import { measureBaseline, performPlans } from "../dist/bench/test-sets.js";
import { Language, toLiterals } from "../dist/conductor/native/language.js";
import { readSayable } from "../dist/conductor/native/sayable.js";
import { toDecision } from "../dist/conductor/text.js";
import { loadRepertoire } from "../dist/instruction/repertoire.js";
import { openTrained, writeTestPlans } from "../dist/learn/evaluate-trained.js";
import { openTrainingFolder } from "../dist/learn/folder.js";
import { trainNative } from "../dist/learn/native/learner.js";
import { sampleWorkflow } from "../dist/learn/native/random-workflow.js";
import { toPrompt, writePlans } from "../dist/learn/native/stage.js";
import { trainTokenizer } from "../dist/nn/tokenizer.js";
import { renderWorkflow } from "../dist/workflow/render.js";
import { MAX_STEPS } from "../dist/workflow/types.js";
import { createRehearsalWorld } from "../dist/world/rehearsal.js";
import { openTest, SEED, signal } from "./rehearsal/lab.mjs";
import { difference, percent, table, two } from "./rehearsal/print.mjs";

/** Plans for every task, sampled: one would leave two points far inside the noise. */
const PLANS = 8;
const BATCH = 16;
const MARGIN = 0.02;
const FEW_VALID = 0.9;
const REPERTOIRE = loadRepertoire();

function readOptions() {
  const text = (fallback) => ({ type: "string", ...(fallback !== undefined && { default: fallback }) });
  const { values } = parseArgs({
    options: {
      checkpoint: { type: "string", multiple: true, default: [] },
      ...{ seeds: text("1,2,3"), tasks: text("600"), threads: text("1"), out: text() },
      ...{ width: text(), layers: text(), json: { type: "boolean", default: false } },
    },
  });
  const whole = (name, value) => {
    if (/^[1-9]\d*$/.test(value)) return Number(value);
    throw new TypeError(`--${name} must be a whole number from 1, not ${value}`);
  };
  const shape = ["width", "layers"].filter((name) => values[name] !== undefined);
  return {
    ...values,
    ...{ tasks: whole("tasks", values.tasks), threads: whole("threads", values.threads) },
    seeds: values.seeds.split(",").map((seed) => whole("seeds", seed)),
    shape: Object.fromEntries(shape.map((name) => [name, whole(name, values[name])])),
  };
}

/** The training that everybody runs, ended before its first reward. */
async function warmUp(seed, { shape, threads }, parent, tell) {
  const folder = openTrainingFolder(join(parent, `warm-up-${seed}`));
  try {
    const { checkpoint } = await trainNative({
      world: createRehearsalWorld({ seed, pools: "random", calibrationTasks: 60, validation: 40 }),
      ...{ seed, iterations: 0, rounds: 1, group: 16, questions: 16, costPerCall: 0, distilled: 0 },
      ...{ repertoire: REPERTOIRE, shape, threads, folder, resume: false, signal },
      command: `experiments/warm-up.mjs, seed ${seed}`,
      onEvent: (event) => {
        if (event.type === "iteration" && event.iteration % 50 === 0)
          tell(`  seed ${seed}: ${event.iteration} of ${event.total}`);
      },
    });
    return checkpoint;
  } finally {
    folder.close();
  }
}

/** Sampled at temperature 1, without a mask. */
async function sample({ policy }, fitted) {
  const plans = Array.from({ length: PLANS }, () => []);
  for (let first = 0; first < fitted.test.length; first += BATCH) {
    const part = fitted.test.slice(first, first + BATCH);
    for (const [number, own] of plans.entries()) {
      const seed = hashSeed(SEED, first, number);
      const sizes = createRandom(hashSeed("sizes", seed));
      const prompts = part.map((task) =>
        toPrompt(policy, { task, pool: fitted.poolFor(task) }, { size: sizes.integer(1, MAX_STEPS) }),
      );
      const written = await writePlans(policy, prompts, { group: 1, seed, signal });
      for (const [i, task] of part.entries()) own.push(toPlan(task, written[i][0].text, fitted));
    }
  }
  return plans;
}

/** The likeliest tokens, as a trained Conductor is measured; and the same teams with other workers in them. */
async function writeGreedily({ policy }, fitted) {
  const plans = await writeTestPlans(fitted, policy, { rounds: 1, seed: SEED, signal });
  const { pool } = fitted;
  const models = [...pool.members.keys()].filter((number) => pool.members[number].worker.kind === "model");
  const reseated = Array.from({ length: PLANS }, (_, number) =>
    plans.map((plan) => {
      if (!plan.isValid) return plan;
      const { workflow } = toDecision(plan.texts[0], { pool, maxSteps: MAX_STEPS, rounds: [] });
      const seats = createRandom(hashSeed("seats", SEED, number, plan.task.id)).shuffle(models);
      // One for one: who was asked twice is replaced twice by the same, and tools stay.
      const steps = workflow.steps.map((step) => ({
        ...step,
        worker: seats[models.indexOf(step.worker)] ?? step.worker,
      }));
      return { ...plan, texts: [renderWorkflow({ steps })] };
    }),
  );
  return { plans, reseated };
}

function toPlan(task, text, { pool }) {
  const decision = toDecision(text, { pool, maxSteps: MAX_STEPS, rounds: [] });
  return { task, texts: [text], isValid: decision.type === "workflow" };
}

/** As the warm-up draws what it teaches; or with the works and parts of another question. */
function drawPlans(fitted, { areWordsRandom }) {
  const { pool } = fitted;
  const workers = [...pool.members.keys()];
  const tokenizer = trainTokenizer([], { size: 600, literals: toLiterals(REPERTOIRE) });
  const language = new Language(tokenizer, REPERTOIRE);
  return Array.from({ length: PLANS }, (_, number) =>
    fitted.test.map((task) => {
      const random = createRandom(hashSeed("random plans", SEED, number, task.id));
      const { prompt } = areWordsRandom ? random.pick(fitted.test) : task;
      const sayable = readSayable(prompt, REPERTOIRE);
      const sampling = { pool, workers, language, sayable, handOffs: true, previousSteps: 0, random };
      const tokens = language.toTokens(sampleWorkflow(sampling));
      const text = language.toText(tokens, { workerOf: Number, workers: workers.length, sayable });
      return { task, texts: [text], isValid: true };
    }),
  );
}

/** Rows of each set of plans, each with its own chance for the workers. */
async function performAll(fitted, plans) {
  const rows = [];
  for (const [number, some] of plans.entries())
    rows.push(await performPlans(fitted, some, { name: "plans", seed: hashSeed(SEED, number), signal }));
  return rows;
}

async function performBaseline(fitted) {
  const rows = [];
  for (let number = 0; number < PLANS; number++) {
    const baseline = {
      ...randomWorkflow,
      fit: (context) => randomWorkflow.fit({ ...context, seed: number }),
    };
    rows.push(await measureBaseline(fitted, baseline, { seed: hashSeed(SEED, number), signal }));
  }
  return rows;
}

/** Share of right ones for each task, of the valid plans. Undefined where there is none. */
function byTask(rows) {
  return rows[0].map((_, task) => {
    const valid = rows.map((own) => own[task]).filter((row) => row.valid);
    return valid.length === 0 ? undefined : meanOf(valid.map(({ score }) => score));
  });
}

function summarise(rows) {
  const all = rows.flat();
  const valid = all.filter((row) => row.valid);
  return {
    accuracy: meanOf(valid.map(({ score }) => score)),
    validShare: valid.length / all.length,
    calls: meanOf(valid.map(({ calls }) => calls)),
    steps: meanOf(valid.map(({ steps }) => steps)),
  };
}

/** Over tasks that both have; several plans of one task are one value, since they share its difficulty. */
function compare(a, b) {
  const known = [...a.keys()].filter((i) => a[i] !== undefined && b[i] !== undefined);
  const estimate = bootstrapMean(
    known.map((i) => a[i] - b[i]),
    { seed: SEED },
  );
  const { low, high } = estimate;
  const isWithin = low > -MARGIN && high < MARGIN;
  const isBeyond = low > MARGIN || high < -MARGIN;
  return { ...estimate, verdict: isWithin ? "within" : isBeyond ? "beyond" : "not decided" };
}

const toGreedy = ({ name, greedy }) => ({ ...greedy, name: `${name}, greedy` });
const toReseated = ({ name, greedy }) => ({
  ...{ figures: greedy.withRandomWorkers, name: `${name}, greedy, random workers` },
});

function toMarkdown({ tasks, references, seeds, together, words }) {
  const line = (name, { accuracy, validShare, calls, steps }) => [
    ...[name, percent(accuracy), percent(validShare), two(calls), two(steps)],
  ];
  const verdict = (each) => `${difference(each)}: ${each.verdict}`;
  return `${[
    "# Warm-up alone, before any reward (simulated)",
    "",
    `${tasks} test tasks, ${PLANS} workflows each, seven simulated workers and \`consensus\`. The warm-up samples at temperature 1, without a mask; right is of the valid ones.`,
    "",
    ...table(
      ["", "right %", "valid %", "calls", "steps"],
      [...seeds, ...references, ...seeds.map(toGreedy), ...seeds.map(toReseated)].map(({ name, figures }) =>
        line(name, figures),
      ),
    ),
    `Warm-up minus random, points, with the 95 % interval over tasks; "within" and "beyond" say where the whole interval lies, of ${100 * MARGIN} points:`,
    "",
    ...table(
      ["minus", ...references.map(({ name }) => name)],
      [...seeds, ...(seeds.length > 1 ? [together] : []), ...seeds.map(toGreedy)].map(({ name, against }) => [
        ...[name, ...against.map(verdict)],
      ]),
    ),
    "Greedy is how a trained Conductor is measured. It writes the likeliest workflow again and again, and the likeliest random workflow need not be as bad as random ones are on average: compare a trained Conductor with it. Whether it knows who is good at what shows when its teams keep their shape and words and get other random workers:",
    "",
    ...seeds.map(
      ({ name, greedy }) =>
        `- ${name}: greedy minus greedy with random workers ${difference(greedy.minusRandomWorkers)} points`,
    ),
    "",
    `The first reference draws workflows as the warm-up does, words of the question included, so it shows only that nothing else was learned. The second has random words; the third is the baseline of the bench, with words of its own. What the words of the warm-up are worth is the first minus the second: ${difference(words)} points.`,
    ...(seeds.some(({ figures }) => figures.validShare < FEW_VALID)
      ? [
          "",
          "**Few are valid, and those are the short ones: steps differ, so this compares more than words and workers. Train a larger model, or longer.**",
        ]
      : []),
  ].join("\n")}\n`;
}

async function main() {
  const options = readOptions();
  const startedAt = performance.now();
  const tell = (what) =>
    process.stderr.write(`${((performance.now() - startedAt) / 1000).toFixed(0).padStart(4)} s  ${what}\n`);
  const checkpoints = [...options.checkpoint];
  if (checkpoints.length === 0) {
    const parent = options.out ?? mkdtempSync(join(tmpdir(), "tutti-warm-up-"));
    for (const seed of options.seeds) checkpoints.push(await warmUp(seed, options, parent, tell));
  }
  const fitted = openTest(options.tasks);
  tell("random workflows");
  const references = [];
  for (const [name, rows] of [
    ["random as drawn by the warm-up", await performAll(fitted, drawPlans(fitted, {}))],
    ["random with random words", await performAll(fitted, drawPlans(fitted, { areWordsRandom: true }))],
    ["random-workflow", await performBaseline(fitted)],
  ])
    references.push({ name, figures: summarise(rows), right: byTask(rows) });
  const seeds = [];
  for (const folder of checkpoints) {
    tell(folder);
    const trained = openTrained(folder);
    const rows = await performAll(fitted, await sample(trained, fitted));
    const { plans, reseated } = await writeGreedily(trained, fitted);
    // One plan a task, but as many tries as the others have.
    const tried = await performAll(
      fitted,
      Array.from({ length: PLANS }, () => plans),
    );
    const random = await performAll(fitted, reseated);
    const greedy = {
      ...{ figures: summarise(tried), withRandomWorkers: summarise(random) },
      minusRandomWorkers: compare(byTask(tried), byTask(random)),
      against: references.map((reference) => compare(byTask(tried), reference.right)),
    };
    const right = byTask(rows);
    const against = references.map((reference) => compare(right, reference.right));
    const { seed, iterations } = trained.card.training;
    const name = `warm-up, seed ${seed}, ${iterations} iterations`;
    seeds.push({ name, folder, figures: summarise(rows), right, against, greedy });
  }
  const mean = fitted.test.map((_, task) => {
    const known = seeds.flatMap(({ right }) => right[task] ?? []);
    return known.length === 0 ? undefined : meanOf(known);
  });
  const against = references.map((reference) => compare(mean, reference.right));
  const bare = ({ right: _, ...rest }) => rest;
  const outcome = {
    ...{ simulated: true, tasks: fitted.test.length, plans: PLANS, references: references.map(bare) },
    ...{ seeds: seeds.map(bare), together: { name: "mean over seeds", against } },
    words: compare(references[0].right, references[1].right),
  };
  process.stdout.write(options.json ? `${JSON.stringify(outcome, null, 2)}\n` : toMarkdown(outcome));
  tell("done");
}

try {
  await main();
} catch (error) {
  // What the user gave was wrong: a sentence is enough.
  if (!isTuttiError(error) && !(error instanceof TypeError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
