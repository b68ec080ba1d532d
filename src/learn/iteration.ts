// One iteration of each stage: what is drawn, written, performed and learned, and the figures that are told.
// Everything random comes from the training's seed and the number of the iteration, so that a training that
// was killed goes on exactly as it would have.

import { createRandom, hashSeed, type Random } from "../base/random.ts";
import { entropyBits } from "../base/statistics.ts";
import type { LossAndGradients, TrainingExample } from "../nn/model.ts";
import type { Weights } from "../nn/types.ts";
import { isModel } from "../worker/kinds.ts";
import { MAX_STEPS } from "../workflow/types.ts";
import { type Outcome, performTexts } from "../world/rollout.ts";
import type { Question, World } from "../world/types.ts";
import { type Comparison, compareFirst, compareLater } from "./compare-sizes.ts";
import { type ExampleOptions, type Group, isFlat, rollOut, rollOutAgain, toExamples } from "./grpo.ts";
import { drawSubtask, toVocabulary, type Words } from "./phrases.ts";
import { type Policy, toPrompt } from "./policy.ts";
import type { Lot } from "./schedule.ts";
import { drawWorkflow } from "./warm-up.ts";

export interface IterationOptions {
  policy: Policy;
  world: World;
  seed: number;
  iteration: number;
  lot: Lot;
  questions: number;
  group: number;
  costPerCall: number;
  words: Words;
  microBatch: number;
  signal: AbortSignal;
}

export interface Practised {
  learned: LossAndGradients;
  groups: Group[];
}

/** A small weight on the questions' own text keeps the model a reader: surprise is measured with it. */
const TEXT_WEIGHT = { warmUp: 0.1, policy: 0.02 };
const CLIP = 0.2;
/** Random workflows a question in the warm-up: they share the reading of it. */
const WARM_UP_GROUP = 8;
const WARM_UP_QUESTIONS = 8;
/** Weights of random workflows beside reinforcement. */
const REMINDER = { words: 0.004, size: 0.05 };
/** Of the random workflows, this share is of later rounds. */
const LATER = 0.25;
/** Where replies come at once, so many times more questions than in a group of rollouts: one plan of a size is less work. */
const COMPARED = 4;
/** Of second rounds while they are practised. */
const SECOND_SIZES = [1, 2, 2, 3, 3, 4] as const;

export function practise(options: IterationOptions): Promise<Practised> {
  if (options.lot.stage === "warm-up") return warmUp(options);
  if (options.lot.stage === "supervised") return supervise(options);
  if (options.lot.stage === "sizes") return compareSizes(options);
  return reinforce(options);
}

function drawQuestions({ world, seed, iteration }: IterationOptions, count: number): Question[] {
  return Array.from({ length: count }, (_, i) => world.sample(hashSeed(seed, "question", iteration, i)));
}

function chance({ seed, iteration }: IterationOptions, purpose: string): Random {
  return createRandom(hashSeed(seed, purpose, iteration));
}

// ---- Warm-up ----------------------------------------------------------------------------------------

async function warmUp(options: IterationOptions): Promise<Practised> {
  const { policy, microBatch, questions } = options;
  const drawn = drawQuestions(options, Math.min(questions, WARM_UP_QUESTIONS));
  const learned = await policy.model.computeGradients(randomExamples(drawn, options, toWarmUp), {
    objective: { kind: "likelihood", clip: 0 },
    start: policy.language.start,
    group: WARM_UP_GROUP,
    textWeight: TEXT_WEIGHT.warmUp / (drawn.length * WARM_UP_GROUP),
    microBatch,
  });
  return { learned, groups: [] };
}

/** Random valid workflows for each question, each token with its weight. */
function randomExamples(
  drawn: readonly Question[],
  options: IterationOptions,
  weigh: (tokens: readonly number[]) => Float32Array,
) {
  const { policy, world, words } = options;
  const { language } = policy;
  const random = chance(options, "warm-up");
  const works = world.works();
  const handOffs = world.kind !== "recording";
  const scale = 1 / (drawn.length * WARM_UP_GROUP);
  return drawn.map((question) => {
    const { pool } = question;
    const isLater = random.next() < LATER;
    const given = { size: random.integer(1, MAX_STEPS) };
    const vocabulary = toVocabulary(question.task.prompt, works, words);
    const drawing = { pool, vocabulary, handOffs, random };
    // Later rounds are read from made-up ones: who agreed with whom is by lot too.
    const before = isLater ? drawWorkflow({ ...drawing, previousSteps: 0 }) : [];
    const previousSteps = before.length;
    const replies = before.map(() => `Answer: ${random.integer(1, 3)}`);
    const rounds = isLater ? [{ workflow: { steps: before }, replies }] : [];
    const prompt = toPrompt(policy, question, { rounds, ...given });
    const slotOf = new Map(prompt.reading.workers.map((worker, slot) => [worker, slot]));
    const examples = Array.from({ length: WARM_UP_GROUP }, (): TrainingExample => {
      const drawn = drawWorkflow({ ...drawing, previousSteps, ...given });
      const steps = drawn.map((step) => ({ ...step, worker: slotOf.get(step.worker)! }));
      const tokens = language.toTokens(steps);
      return { tokens, weights: weigh(tokens).map((weight) => weight * scale) };
    });
    return { prefix: prompt.reading.prefix, examples };
  });
}

// ---- The supervised variant -------------------------------------------------------------------------

/** How much better one worker must be than another to be much likelier. */
const TEMPERATURE = 0.2;

/** Each worker answers alone; what is likely then follows what was rewarded, as in the first stage of plain Fugu. */
async function supervise(options: IterationOptions): Promise<Practised> {
  const { policy, world, words, microBatch, seed, iteration, signal } = options;
  const { language } = policy;
  const random = chance(options, "supervised");
  const works = world.works();
  const drawn = drawQuestions(options, options.questions);
  const rows = await Promise.all(
    drawn.map(async (question) => {
      const prompt = toPrompt(policy, question, { size: 1 });
      const vocabulary = toVocabulary(question.task.prompt, works, words);
      const { workers, prefix } = prompt.reading;
      const models = [...workers.keys()].filter((slot) =>
        isModel(question.pool.members[workers[slot]!]!.worker),
      );
      const plans = models.map((slot) => {
        const subtask = drawSubtask(vocabulary, { seesOthers: false, opensTeam: false }, random);
        const step = { worker: slot, subtask, access: [] };
        return language.toTokens([step]);
      });
      const outcomes = await Promise.all(
        plans.map((tokens) =>
          performTexts({
            world,
            question,
            texts: [language.toText(tokens, (slot) => workers[slot]!)],
            seed: hashSeed(seed, iteration),
            signal,
          }),
        ),
      );
      // A worker that was down is not learned from.
      const scores = outcomes.map(({ reward, isOutage }) => (isOutage ? 0 : Math.exp(reward / TEMPERATURE)));
      const sum = scores.reduce((all, score) => all + score, 0) || 1;
      const examples = plans.map((tokens, i): TrainingExample => {
        const weights = new Float32Array(tokens.length).fill(scores[i]! / sum / drawn.length);
        return { tokens, weights };
      });
      return { prefix, examples };
    }),
  );
  const group = Math.max(...rows.map(({ examples }) => examples.length));
  const learned = await policy.model.computeGradients(rows, {
    objective: { kind: "likelihood", clip: 0 },
    start: language.start,
    group,
    textWeight: TEXT_WEIGHT.policy / drawn.length / group,
    microBatch,
  });
  return { learned, groups: [] };
}

// ---- Reinforcement ----------------------------------------------------------------------------------

async function reinforce(options: IterationOptions): Promise<Practised> {
  const { policy, lot, seed, iteration, group, questions, microBatch } = options;
  const rolling = { ...options, seed: hashSeed(seed, "rollouts", iteration) };
  const random = chance(options, "sizes");
  const prompts = drawQuestions(options, questions).map((question) =>
    toPrompt(policy, question, { size: lot.drawSize(random) }),
  );
  const first = await rollOut(prompts, rolling);
  const drawSize = () => random.pick(SECOND_SIZES);
  const again = lot.stage === "rounds" ? await rollOutAgain(first, { ...rolling, drawSize }) : [];
  const groups = [...first, ...again];
  const scale = 1 / (groups.length * group);
  // A flat group teaches nothing but its entropy, which would pull it apart for no reason.
  const rows = groups
    .filter((each) => !isFlat(each))
    .map((each) => ({
      prefix: each.prompt.reading.prefix,
      examples: toExamples(each, { policy, scale, exploration: lot.exploration, words: wordsOf(options) }),
    }));
  if (rows.length === 0) return { learned: { gradients: new Map(), loss: 0, entropy: 0 }, groups };
  const { start } = policy.language;
  const learned = await policy.model.computeGradients(rows, {
    objective: { kind: "policy", clip: CLIP },
    start,
    group,
    textWeight: TEXT_WEIGHT.policy * scale,
    microBatch,
  });
  const reminded = randomExamples(
    drawQuestions(options, Math.min(questions, microBatch)),
    options,
    (tokens) => toReminder(policy, tokens),
  );
  const { gradients } = await policy.model.computeGradients(reminded, {
    objective: { kind: "likelihood", clip: 0 },
    start,
    group: WARM_UP_GROUP,
    textWeight: 0,
    microBatch,
  });
  addInto(learned.gradients, gradients);
  return { learned, groups };
}

/**
 * What one worker is told says nothing about what a team should be told: learned while selecting, "solve it" was said
 * to everybody ever after.
 */
function wordsOf({ lot, words }: IterationOptions): ExampleOptions["words"] {
  if (lot.stage === "selection") return "none";
  return words === "free" ? "verbs" : "all";
}

/**
 * Words earn little and rewards are noisy: without a reminder of the language they drift into one phrase, and
 * after a stage of teams of one a given size means nothing any more. Who is asked is not reminded of.
 */
function toReminder({ language }: Policy, tokens: readonly number[]): Float32Array {
  const weights = language.decisions(tokens).map((isDecision) => (isDecision ? 0 : REMINDER.words));
  const end = tokens.indexOf(language.subtasks);
  for (let at = 0; at <= end; at++)
    if (tokens[at] === language.next || tokens[at] === language.subtasks) weights[at] = REMINDER.size;
  return weights;
}

function toWarmUp(tokens: readonly number[]): Float32Array {
  return new Float32Array(tokens.length).fill(1);
}

/** What each size is worth, in first rounds and after them. The model itself learns nothing meanwhile. */
async function compareSizes(options: IterationOptions): Promise<Practised> {
  const { policy, world, questions, seed, iteration, signal } = options;
  const { first, later } = policy.choices;
  const drawn = drawQuestions(options, world.isInstant ? COMPARED * questions : questions);
  const comparing = { ...options, seed: hashSeed(seed, "sizes", iteration) };
  // Where its size is settled, second rounds still need first ones to follow.
  const size = options.lot.drawSize(chance(options, "sizes"));
  const firsts = await compareFirst(drawn, first?.sizes ?? [size], comparing);
  // After a team there are several ways to agree, each with its plans: half of the questions are enough.
  const followed = firsts.filter((_, q) => q % 2 === 0);
  const laters = later ? await compareLater(followed, later.sizes, comparing) : [];
  // What was cut off is compared again by whoever goes on.
  if (!signal.aborted) {
    first?.learn(firsts);
    later?.learn(laters);
  }
  const groups = [...firsts, ...laters].map((comparison) => toGroup(comparison, policy));
  return { learned: { gradients: new Map(), loss: 0, entropy: 0 }, groups };
}

/** For the figures that are told. */
function toGroup({ question, outcomes, rewards }: Comparison, policy: Policy): Group {
  return { prompt: toPrompt(policy, question), plans: [], outcomes: outcomes.flat(), rewards: [...rewards] };
}

function addInto(sums: Weights, others: Weights): void {
  for (const [name, { data }] of others) {
    const sum = sums.get(name)!.data;
    for (let i = 0; i < data.length; i++) sum[i]! += data[i]!;
  }
}

// ---- Figures ----------------------------------------------------------------------------------------

/** Means over rollouts. In the stage of rounds those of the first and the second round together. */
export function toFigures(groups: readonly Group[]) {
  const outcomes = groups.flatMap((group) => group.outcomes);
  const counted = outcomes.filter(({ isOutage }) => !isOutage);
  const valid = counted.filter(({ isValid }) => isValid);
  const mean = (list: readonly Outcome[], of: (outcome: Outcome) => number) =>
    list.length === 0 ? 0 : list.reduce((sum, outcome) => sum + of(outcome), 0) / list.length;
  const calls = new Map<string, number>();
  for (const { asked } of counted) for (const id of asked) calls.set(id, (calls.get(id) ?? 0) + 1);
  const all = [...calls.values()].reduce((sum, count) => sum + count, 0);
  const isRight = ({ isRight: right }: Outcome) => (right ? 1 : 0);
  return {
    reward: mean(counted, ({ reward }) => reward),
    accuracy: mean(counted, isRight),
    validShare: mean(counted, ({ isValid }) => (isValid ? 1 : 0)),
    accuracyIfValid: mean(valid, isRight),
    routingEntropy: entropyBits(calls.values()),
    calls: mean(counted, (outcome) => outcome.calls),
    steps: mean(valid, (outcome) => outcome.steps),
    flatShare: groups.length === 0 ? 0 : groups.filter(isFlat).length / groups.length,
    outages: outcomes.length - counted.length,
    costUsd: outcomes.reduce((sum, outcome) => sum + outcome.costUsd, 0),
    asked: Object.fromEntries([...calls].map(([id, count]) => [id, count / all])),
  };
}
