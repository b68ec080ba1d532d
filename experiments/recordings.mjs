// Shows how a Conductor trained on recordings of real models does on tasks it has never seen, beside baselines.
// node experiments/recordings.mjs --recorded ../shared/recorded --checkpoint DIR [--checkpoint DIR …] [--json]
//
// Several checkpoints are training seeds: their mean and the worst of them are reported. Further options:
//   --split prompt|family  family: test tasks are of families never seen (needs a checkpoint trained with it)
//   --out DIR              keeps the rows of the baselines, so that another checkpoint is measured quickly
//   --limit N              at the most N test tasks a set, for a quick look
// Rows in --out belong to the code that made them: choose another folder when baselines have changed.

import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { isTuttiError } from "../dist/base/errors.js";
import { toFigures } from "./recordings/figures.mjs";
import { toMarkdown } from "./recordings/print.mjs";
import { measureBaselines, measureTrained, openSets } from "./recordings/sets.mjs";

const SPLIT_SEED = 0;
const SEED = 1;

function readOptions() {
  const text = (fallback) => ({ type: "string", ...(fallback !== undefined && { default: fallback }) });
  const { values } = parseArgs({
    options: {
      recorded: text("../shared/recorded"),
      checkpoint: { type: "string", multiple: true, default: [] },
      split: text("prompt"),
      out: text(join(tmpdir(), "tutti-experiments")),
      limit: text(),
      json: { type: "boolean", default: false },
    },
  });
  const whole = (name) => {
    const number = Number(values[name]);
    if (!Number.isInteger(number) || number < 1)
      throw new TypeError(`--${name} must be a whole number from 1`);
    return number;
  };
  if (values.checkpoint.length === 0) throw new TypeError("--checkpoint DIR is needed, once or more");
  if (!["prompt", "family"].includes(values.split))
    throw new TypeError(`--split must be prompt or family, not ${values.split}`);
  return {
    ...values,
    limit: values.limit === undefined ? undefined : whole("limit"),
    splitSeed: SPLIT_SEED,
    seed: SEED,
  };
}

async function main() {
  const options = readOptions();
  const startedAt = performance.now();
  const tell = (text) => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    process.stderr.write(`${String(seconds).padStart(4)} s  ${text}\n`);
  };
  tell("opening the recordings");
  const sets = await openSets(options);
  for (const set of sets) {
    tell(`${set.name}: baselines on ${set.tests} tasks`);
    set.baselines = await measureBaselines(set, options);
  }
  const checkpoints = [];
  for (const folder of options.checkpoint) {
    tell(`trained Conductor ${folder}`);
    checkpoints.push(await measureTrained(sets, folder, options, tell));
  }
  tell("figures");
  const figures = toFigures(sets, checkpoints, options);
  mkdirSync(options.out, { recursive: true });
  const part = options.limit === undefined ? "" : `-limit-${options.limit}`;
  const file = resolve(options.out, `results-${options.split}${part}.json`);
  writeFileSync(file, `${JSON.stringify(figures, null, 2)}\n`);
  process.stdout.write(options.json ? `${JSON.stringify(figures, null, 2)}\n` : toMarkdown(figures));
  tell(`done; figures are in ${file}`);
}

try {
  await main();
} catch (error) {
  // What the user gave was wrong: a sentence is enough.
  if (!isTuttiError(error) && !(error instanceof TypeError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
