// What all parts of speed/train.mjs share: the world, the language and the two models that are measured, and how
// times are taken and shown.
import { setMaxListeners } from "node:events";
import { Language, toLiterals } from "../../dist/conductor/native/language.js";
import { FEATURES } from "../../dist/conductor/native/reading.js";
import { loadRepertoire } from "../../dist/instruction/repertoire.js";
import { trainTokenizer } from "../../dist/nn/tokenizer.js";
import { createRehearsalWorld } from "../../dist/world/rehearsal.js";

export const QUESTIONS = 8;
export const GROUP = 16;
/** As `tutti train` has it. */
export const MICRO_BATCH = 4;

export const { signal } = new AbortController();
setMaxListeners(0, signal);

export const world = createRehearsalWorld({
  seed: 1,
  pools: "random",
  calibrationTasks: 60,
  validation: 400,
});
export const language = createLanguage();

/** As a training makes it. */
function createLanguage() {
  const repertoire = loadRepertoire();
  const literals = toLiterals(repertoire);
  return new Language(trainTokenizer([...world.texts()], { size: 1280, literals }), repertoire);
}

function toShape(width, layers) {
  const { vocabulary } = language;
  return { vocabulary, width, layers, heads: width / 32, hidden: (width / 3) * 8, features: FEATURES };
}
/** The one of two million weights that is trained here, and the one that `tutti train` makes unless told otherwise. */
export const LARGE = toShape(192, 4);
export const SMALL = toShape(96, 2);

export async function time(work) {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

export const quantile = (list, share) =>
  list.toSorted((a, b) => a - b)[Math.floor(share * (list.length - 1))];
export const median = (list) => quantile(list, 0.5);
export const sum = (list) => list.reduce((all, each) => all + each, 0);
export const ms = (seconds) => `${(seconds * 1000).toFixed(1)} ms`;
export const minutes = (seconds) => `${(seconds / 60).toFixed(1)} min`;
export const show = (name, text) => console.log(`${name.padEnd(28)} ${text}`);
