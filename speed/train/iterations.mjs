// Whole GRPO iterations of the large model in the rehearsal: some of each stage, from which 200 are reckoned, or
// really 200.
import { join } from "node:path";
import { createRandom, hashSeed } from "../../dist/base/random.js";
import { createChoices } from "../../dist/conductor/native/choice.js";
import { openTrainingFolder } from "../../dist/learn/folder.js";
import { practise } from "../../dist/learn/iteration.js";
import { toVocabulary } from "../../dist/learn/phrases.js";
import { lotAt } from "../../dist/learn/schedule.js";
import { train } from "../../dist/learn/train.js";
import { drawWorkflow } from "../../dist/learn/warm-up.js";
import { Model } from "../../dist/nn/model.js";
import { AdamW } from "../../dist/nn/optimiser.js";
import { createWeights } from "../../dist/nn/transformer.js";
import { MAX_STEPS } from "../../dist/workflow/types.js";
import {
  GROUP,
  LARGE,
  language,
  MICRO_BATCH,
  minutes,
  QUESTIONS,
  show,
  signal,
  sum,
  time,
  world,
} from "./lab.mjs";

const ITERATIONS = 200;
const SCHEDULE = { iterations: ITERATIONS, warmUp: 0, supervised: 0, learningRate: 7e-4, exploration: 0.03 };

const nameOf = ({ stage }) => (stage === "sizes" ? "choosing sizes" : stage);

/**
 * Writes random workflows, with all the work of writing. A model that was not warmed up would write none, and
 * where every group is flat nothing is learned and an iteration takes hardly any time. Here nearly all groups
 * are learned from, and no second round accepts: a real training is quicker, if anything.
 */
class Reciter extends Model {
  #asked = 0;

  write(prefixes, writing) {
    const random = createRandom(hashSeed("recite", this.#asked++));
    const vocabulary = toVocabulary("", world.works(), "free");
    const recited = prefixes.map(({ slots, start }) => {
      const members = slots.map(([isModel]) => ({ worker: { kind: isModel === 1 ? "model" : "tool" } }));
      const sizes = Array.from({ length: MAX_STEPS }, (_, i) => i + 1);
      const size = sizes.find((each) => language.size(each) === start);
      const drawing = { pool: { members }, vocabulary, handOffs: true, previousSteps: 0, random };
      return Array.from({ length: writing.group }, () =>
        language.toTokens(drawWorkflow(size === undefined ? drawing : { ...drawing, size })),
      );
    });
    const choose = (_, question, rollout, tokens) =>
      recited[question][rollout][tokens.length] ?? language.end;
    return super.write(prefixes, { ...writing, choose });
  }
}

/** `count` of each stage, twice: the first time compiles. */
export async function measureIterations(engine, count) {
  const weights = createWeights(LARGE, 1);
  const choices = createChoices({ first: [1, 3, 4, 5], later: [0, 1, 2, 3, 4] }, language.vocabulary);
  const policy = { model: new Reciter(engine, LARGE, weights), language, choices };
  const optimiser = new AdamW(weights);
  const schedule = { ...SCHEDULE, rounds: 2 };
  let examples = [];
  const iterate = async (iteration) => {
    const lot = lotAt(iteration, schedule);
    const { learned, groups } = await practise({
      ...{ policy, world, seed: 1, iteration, lot, questions: QUESTIONS, group: GROUP, costPerCall: 0 },
      ...{ words: "free", microBatch: MICRO_BATCH, signal },
    });
    if (learned.gradients.size > 0)
      optimiser.step(learned.gradients, { learningRate: lot.learningRate, maxNorm: 1 });
    examples = [...examples, groups];
  };
  const names = Array.from({ length: ITERATIONS }, (_, i) => nameOf(lotAt(i, schedule)));
  const means = new Map();
  for (const name of new Set(names)) {
    const own = [...names.keys()].filter((iteration) => names[iteration] === name);
    const performAll = async () => {
      examples = [];
      for (let i = 0; i < count; i++) await iterate(own[i % own.length]);
    };
    const first = await time(performAll);
    const seconds = await time(performAll);
    means.set(name, seconds / count);
    const groups = (examples.flat().length / count).toFixed(0);
    show(
      `  ${name}`,
      `${(seconds / count).toFixed(2)} s an iteration of ${groups} groups   (mean of ${count}; compiling took ${Math.max(0, first - seconds).toFixed(0)} s)`,
    );
  }
  await policy.model.close();
  for (const rounds of [1, 2]) {
    const all = Array.from({ length: ITERATIONS }, (_, i) => lotAt(i, { ...SCHEDULE, rounds })).map(nameOf);
    const seconds = sum(all.map((name) => means.get(name)));
    show(
      `${ITERATIONS} iterations, ${rounds} round${rounds > 1 ? "s" : ""}`,
      `${minutes(seconds)}, reckoned`,
    );
  }
}

/** With the warm-up before them, looks at the tune split and saves, as `tutti train` does. */
export async function performIterations(threads, parent) {
  const folder = openTrainingFolder(join(parent, "training"));
  const seconds = new Map();
  let learnsSince = performance.now();
  const onEvent = (event) => {
    if (event.type !== "iteration") return;
    seconds.set(event.stage, [...(seconds.get(event.stage) ?? []), event.seconds]);
    if (event.stage === "warm-up") learnsSince = performance.now();
    if (event.iteration % 25 === 0) process.stderr.write(`${event.iteration} of ${event.total}\n`);
  };
  try {
    const whole = await time(() =>
      train({
        ...{ world, seed: 1, iterations: ITERATIONS, rounds: 2, group: GROUP, questions: QUESTIONS },
        ...{ costPerCall: 0, supervised: false, words: "free", threads, folder, resume: false, signal },
        ...{
          shape: { width: LARGE.width, layers: LARGE.layers },
          command: "speed/train.mjs --full",
          onEvent,
        },
      }),
    );
    for (const [name, list] of seconds) show(`  ${name}`, `${list.length} in ${minutes(sum(list))}`);
    const learned = [...seconds].flatMap(([name, list]) => (name === "warm-up" ? [] : list));
    show(`${learned.length} iterations, 2 rounds`, `${minutes(sum(learned))}, compiling included`);
    const since = (performance.now() - learnsSince) / 1000;
    show("with looks and saves", `${minutes(since)}; with the warm-up ${minutes(whole)}`);
  } finally {
    folder.close();
  }
}
