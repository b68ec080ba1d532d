// Whole GRPO iterations of the large model in the rehearsal: some of each stage, from which 200 are estimated,
// or really 200.
import { join } from "node:path";
import { createRandom, hashSeed } from "../../dist/base/random.js";
import { createChoices } from "../../dist/conductor/native/choice.js";
import { IS_BLIND } from "../../dist/conductor/native/reading.js";
import { openTrainingFolder } from "../../dist/learn/folder.js";
import { grpo } from "../../dist/learn/grpo.js";
import { compareSizes } from "../../dist/learn/native/compare-sizes.js";
import { trainNative } from "../../dist/learn/native/learner.js";
import { sampleWorkflow } from "../../dist/learn/native/random-workflow.js";
import { createSchedule } from "../../dist/learn/native/schedule.js";
import { performAsked } from "../../dist/learn/perform.js";
import { Model } from "../../dist/nn/model.js";
import { AdamW } from "../../dist/nn/optimiser.js";
import { createWeights } from "../../dist/nn/transformer.js";
import { MAX_STEPS } from "../../dist/workflow/types.js";
import { GROUP, LARGE, language, minutes, QUESTIONS, show, signal, sum, time, world } from "./lab.mjs";

const ITERATIONS = 200;
const SCHEDULE = { iterations: ITERATIONS, warmUp: 0, distilled: 0, learningRate: 7e-4, exploration: 0.03 };

const nameOf = ({ stage }) => (stage === "sizes" ? "choosing sizes" : stage);

/**
 * Writes random workflows, with all the work of writing. A model that was not warmed up would write none, and
 * where every group is flat nothing is learned and an iteration takes hardly any time. Here nearly all groups
 * are learned from, and no second round accepts: a real training is quicker, if anything.
 */
class Reciter extends Model {
  #asked = 0;

  generate(prefixes, writing) {
    const random = createRandom(hashSeed("recite", this.#asked++));
    const { repertoire } = language;
    const recited = prefixes.map(({ slots, start }) => {
      // The features of a part of the question follow those of a worker.
      const [parts, own] = [true, false].map((is) =>
        slots.filter((slot) => (slot[IS_BLIND + 1] === 1) === is),
      );
      const members = own.map(([isModel]) => ({ worker: { kind: isModel === 1 ? "model" : "tool" } }));
      const sizes = Array.from({ length: MAX_STEPS }, (_, i) => i + 1);
      const size = sizes.find((each) => language.size(each) === start);
      const sampling = {
        ...{ pool: { members }, workers: [...members.keys()], language, size, random },
        sayable: { parts, works: new Set(repertoire.works), language: "en" },
        ...{ handOffs: true, previousSteps: 0 },
      };
      return Array.from({ length: writing.group }, () => language.toTokens(sampleWorkflow(sampling)));
    });
    const choose = (_, question, rollout, tokens) =>
      recited[question][rollout][tokens.length] ?? language.end;
    return super.generate(prefixes, { ...writing, choose });
  }
}

/** `count` of each stage, twice: the first time compiles. */
export async function measureIterations(engine, count) {
  const weights = createWeights(LARGE, 1);
  const choices = createChoices({ first: [1, 3, 4, 5], later: [0, 1, 2, 3, 4] }, language.vocabulary);
  const policy = { model: new Reciter(engine, LARGE, weights), language, choices };
  const optimiser = new AdamW(weights);
  const schedule = createSchedule({ ...SCHEDULE, rounds: 2 });
  let performed = [];
  const iterate = async (iteration) => {
    const plan = schedule.at(iteration);
    const stage = plan.stage === "sizes" ? compareSizes : grpo;
    const context = {
      ...{ policy, optimiser, world, seed: 1, plan, questions: QUESTIONS, group: GROUP, costPerCall: 0 },
      signal,
    };
    const { groups } = await performAsked(stage(context), world, signal);
    performed = [...performed, groups];
  };
  const names = Array.from({ length: ITERATIONS }, (_, i) => nameOf(schedule.at(i)));
  const means = new Map();
  for (const name of new Set(names)) {
    const own = [...names.keys()].filter((iteration) => names[iteration] === name);
    const performAll = async () => {
      performed = [];
      for (let i = 0; i < count; i++) await iterate(own[i % own.length]);
    };
    const first = await time(performAll);
    const seconds = await time(performAll);
    means.set(name, seconds / count);
    const groups = (performed.flat().length / count).toFixed(0);
    show(
      `  ${name}`,
      `${(seconds / count).toFixed(2)} s an iteration of ${groups} groups   (mean of ${count}; compiling took ${Math.max(0, first - seconds).toFixed(0)} s)`,
    );
  }
  await policy.model.close();
  for (const rounds of [1, 2]) {
    const { at } = createSchedule({ ...SCHEDULE, rounds });
    const all = Array.from({ length: ITERATIONS }, (_, i) => nameOf(at(i)));
    const seconds = sum(all.map((name) => means.get(name)));
    show(
      `${ITERATIONS} iterations, ${rounds} round${rounds > 1 ? "s" : ""}`,
      `${minutes(seconds)}, estimated`,
    );
  }
}

/** With the warm-up before them, evaluations and saves, as `tutti train` does. */
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
      trainNative({
        ...{ world, seed: 1, iterations: ITERATIONS, rounds: 2, group: GROUP, questions: QUESTIONS },
        ...{
          costPerCall: 0,
          distilled: 0,
          repertoire: language.repertoire,
          threads,
          folder,
          resume: false,
          signal,
        },
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
    show("with evaluations and saves", `${minutes(since)}; with the warm-up ${minutes(whole)}`);
  } finally {
    folder.close();
  }
}
