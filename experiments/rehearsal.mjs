// Shows how a Conductor trained in the rehearsal does on test tasks it has never seen. All of it is simulated.
// npm run build && node experiments/rehearsal.mjs --checkpoint DIR [--checkpoint DIR …] [--tasks 1200] [--json]
//
// Several checkpoints are training seeds: their mean and the worst of them are reported. Further options:
//   --only PART,PART  some of: comparison, calls, regret, unseen, rounds, words, liars (these by default), reading
//   --out FILE        with reading: the plans to read, as a page of their own
//   --cost X[,X…]     what a call is taken to cost when a size is chosen, for all or for each (as on their cards)

import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { isTuttiError } from "../dist/base/errors.js";
import * as calls from "./rehearsal/calls.mjs";
import * as comparison from "./rehearsal/comparison.mjs";
import { toChecklist } from "./rehearsal/criteria.mjs";
import { openLab } from "./rehearsal/lab.mjs";
import * as liars from "./rehearsal/liars.mjs";
import * as reading from "./rehearsal/reading.mjs";
import * as regret from "./rehearsal/regret.mjs";
import * as rounds from "./rehearsal/rounds.mjs";
import * as unseen from "./rehearsal/unseen.mjs";
import * as words from "./rehearsal/words.mjs";

const FIGURES = { comparison, calls, regret, unseen, rounds, words, liars };
/** Plans to read are for people: no figure comes of them here. */
const PARTS = { ...FIGURES, reading };

function readOptions() {
  const { values } = parseArgs({
    options: {
      checkpoint: { type: "string", multiple: true, default: [] },
      tasks: { type: "string", default: "1200" },
      only: { type: "string", default: Object.keys(FIGURES).join() },
      out: { type: "string" },
      cost: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  if (values.checkpoint.length === 0) throw new TypeError("--checkpoint DIR is needed, once or more");
  const whole = (name, least) => {
    const number = Number(values[name]);
    if (Number.isInteger(number) && number >= least) return number;
    throw new TypeError(`--${name} must be a whole number from ${least}, not ${values[name]}`);
  };
  const parts = values.only.split(",").filter(Boolean);
  const unknown = parts.find((part) => !Object.hasOwn(PARTS, part));
  if (unknown) throw new TypeError(`No part "${unknown}" (there are: ${Object.keys(PARTS).join(", ")})`);
  if (values.out !== undefined && !parts.includes("reading"))
    throw new TypeError("--out goes with --only reading: it is where the plans to read are written");
  const costs = values.cost?.split(",").map(Number) ?? [];
  if (!costs.every((cost) => cost >= 0) || (costs.length > 1 && costs.length !== values.checkpoint.length))
    throw new TypeError(`--cost must be a number from 0, or one for each checkpoint, not ${values.cost}`);
  return { ...values, costs, parts, tasks: whole("tasks", 100) };
}

function toMarkdown({ checkpoints, tasks, parts, seconds, cpuSeconds }) {
  return `${[
    "# The rehearsal: simulated tasks and simulated workers",
    "",
    `All figures are simulated and say nothing about a real model. ${tasks} test tasks; seven workers and \`consensus\`. The trained Conductor reads the question and the profiles, writes greedily and without a mask; a plan that is no workflow counts as wrong. Lookup tables are given the true label. In brackets: 95 % intervals by bootstrap over tasks, differences paired.`,
    "",
    ...checkpoints.map(
      ({ name, folder, training: { world, seed, iterations }, rounds: depth, shape }) =>
        `- ${name}: ${folder}, ${world}, seed ${seed}, ${iterations} iterations, width ${shape.width} × ${shape.layers} layers, rounds ${depth}`,
    ),
    "",
    ...Object.entries(parts).flatMap(([name, figures]) => PARTS[name].toLines(figures)),
    ...toChecklist(parts),
    `Measured in ${Math.round(seconds)} s (${Math.round(cpuSeconds)} s of processor time).`,
  ].join("\n")}\n`;
}

async function main() {
  const options = readOptions();
  const startedAt = performance.now();
  const elapsed = () => (performance.now() - startedAt) / 1000;
  const tell = (text) => process.stderr.write(`${elapsed().toFixed(0).padStart(4)} s  ${text}\n`);
  const lab = openLab(options, tell);
  const parts = {};
  for (const name of options.parts) {
    tell(name);
    parts[name] = await PARTS[name].measure(lab);
  }
  if (options.out) {
    writeFileSync(options.out, `${reading.toLines(parts.reading).join("\n")}`);
    tell(`plans to read: ${options.out}`);
  }
  const checkpoints = lab.trained.map(({ name, folder, card }) => ({
    ...{ name, folder, training: card.training, rounds: card.limits.rounds, shape: card.shape },
  }));
  const { user, system } = process.cpuUsage();
  const outcome = {
    ...{ simulated: true, checkpoints, tasks: lab.fitted.test.length, parts },
    ...{ seconds: elapsed(), cpuSeconds: (user + system) / 1e6 },
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
