// Puts the best checkpoint of a training into models/, with half-precision weights, its curves and what people
// should know about it: node scripts/ship-model.mjs TRAINING NAME ABOUT.json [COST]
// COST is the cost per call when choosing the team size, where the validation split has shown another one than in
// training to be better.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { loadCheckpoint, saveCheckpoint } from "../dist/conductor/native/checkpoint.js";
import { readTraining } from "../dist/learn/folder.js";

const [training, name, aboutFile, cost] = process.argv.slice(2);
if (!training || !name || !aboutFile) {
  console.error("Usage: node scripts/ship-model.mjs TRAINING NAME ABOUT.json [COST]");
  process.exit(2);
}
const { card, weights, language, choices } = loadCheckpoint(join(training, "best"));
const { validations } = readTraining(training);
const round = (value) => Math.round(value * 1000) / 1000;
const curves = validations.map(({ stage, iteration, accuracy, low, high, calls, validShare }) => ({
  ...{ stage, iteration },
  ...{
    accuracy: round(accuracy),
    low: round(low),
    high: round(high),
    calls: round(calls),
    validShare: round(validShare),
  },
}));
const { format: _, version: __, ...draft } = card;
// Where it was written to is of no use to anybody else.
draft.training.command = draft.training.command.replace(/ --out \S+/, "");
if (cost !== undefined) draft.cost = Number(cost);
const about = { ...JSON.parse(readFileSync(aboutFile, "utf8")), curves };
const folder = resolve(import.meta.dirname, "../models", name);
await saveCheckpoint(
  folder,
  { card: { ...draft, name, about }, weights, language, choices },
  { dtype: "F16" },
);
console.log(`${folder}: written`);
