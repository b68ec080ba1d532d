// The rehearsal as a world to learn in: a fresh simulated question for every sample, with a sampled pool.
// A question whose words put it into the validation or test split is never sampled, so whatever a bench keeps for
// its result was never trained on, whichever seed made it.

import { usageError } from "../base/errors.ts";
import { createRandom, hashSeed, type Random } from "../base/random.ts";
import { createProfiler } from "../calibration/profiler.ts";
import { PLAYERS } from "../rehearsal/players.ts";
import { FAMILIES, generateProblems } from "../rehearsal/questions.ts";
import { createRehearsalGrader, toRehearsalTask } from "../rehearsal/task-set.ts";
import type { Difficulty, Problem } from "../rehearsal/types.ts";
import { createHelper } from "../worker/kinds.ts";
import type { Pool, PoolMember } from "../worker/types.ts";
import {
  type CalibratedPlayers,
  calibratePlayers,
  trainingStrangers,
  withLiars,
  withoutHandOffs,
} from "./rehearsal-pools.ts";
import { splitOf } from "./split.ts";
import type { Question, SplitName, World } from "./types.ts";

/** What the world is called, for people and cards. */
export const REHEARSAL = "rehearsal (simulated)";
/** So many that few can be known by heart: with 40, three quarters of the gain were kept with others. */
const STRANGERS = 160;
/** Of random pools, this share is of the players alone. */
const PLAYERS_ALONE = 0.25;
const SMALLEST_POOL = 2;
const LARGEST_POOL = 8;
/** Random pools have `consensus` this often: a Conductor must not rely on it. */
const CONSENSUS_SHARE = 7 / 8;
const TEXTS = 4_000;
const DIFFICULTIES: readonly Difficulty[] = [1, 2, 3];
/** A few kinds of question are rare in a split; after so many others another kind is tried. */
const PATIENCE = 100;

export interface RehearsalWorldOptions {
  seed: number;
  /** fixed: the seven players and `consensus`. random: some of them, or of them and 160 strangers. */
  pools: "fixed" | "random";
  /** About so many tasks a topic stand behind each profile. */
  calibrationTasks: number;
  /** How many questions to watch while training. */
  validation: number;
  /** Share of the samples in which one worker of the pool lies. */
  liars?: number;
  /** Share of the training samples in which models cannot be shown each other's replies, as in a recording. */
  alone?: number;
}

export interface RehearsalWorld extends World {
  /** Like `sample`, from any split: an evaluation set for somebody who trains elsewhere. */
  sampleFrom(split: SplitName, number: number): Question;
}

/** What the samples of a split are seeded with, so that none of them shares a question by its number. */
const PURPOSES = { train: "rehearsal draw", validation: "rehearsal tune", test: "rehearsal test" } as const;

/** Runs are seeded by the ids of their tasks, so ids keep the name that the validation split had before. */
const IDS = { train: "train", validation: "tune", test: "test" } as const;

export function createRehearsalWorld(options: RehearsalWorldOptions): RehearsalWorld {
  const { seed, pools, calibrationTasks, liars = 0, alone = 0 } = options;
  if (!(liars >= 0 && liars <= 1)) throw usageError(`The share of liars must be from 0 to 1, not ${liars}`);
  if (!(alone >= 0 && alone <= 1))
    throw usageError(`The share of pools without hand-offs must be from 0 to 1, not ${alone}`);
  if (!(Number.isInteger(calibrationTasks) && calibrationTasks > 0))
    throw usageError(`Profiles need one calibration task a topic or more, not ${calibrationTasks}`);

  const { members, calibration } = calibrate(pools, calibrationTasks);
  const profiler = createProfiler(calibration);
  const known = new Map(calibration.tasks.map(({ text }, number) => [text, number]));
  const consensus = createHelper("consensus");

  const samplePool = (random: Random): Pool => {
    const pool =
      pools === "fixed" ? sampleFixed(members, consensus, random) : sampleRandom(members, consensus, random);
    if (random.next() >= liars) return pool;
    const models = [...pool.members.keys()].filter((number) => pool.members[number] !== consensus);
    return withLiars(pool, [random.pick(models)]);
  };
  const sampleQuestion = (id: string, split: SplitName, random: Random): Question => {
    const task = toRehearsalTask(sampleProblem(split, random), id);
    const without = known.get(task.prompt);
    const sampled = samplePool(random);
    const isAlone = split === "train" && alone > 0 && random.next() < alone;
    const chosen = isAlone ? withoutHandOffs(sampled) : sampled;
    const pool = profiler.poolFor(chosen, task.prompt, without === undefined ? {} : { without });
    return { task, pool };
  };
  const randomOf = (purpose: string, number: number) => createRandom(hashSeed(purpose, seed, number));
  const sampleFrom = (split: SplitName, number: number) =>
    sampleQuestion(`rehearsal/${IDS[split]}/${number}`, split, randomOf(PURPOSES[split], number));
  const grader = createRehearsalGrader();
  let validation: Question[] | undefined;
  let texts: string[] | undefined;
  return {
    kind: "rehearsal",
    name: REHEARSAL,
    isSimulated: true,
    isInstant: true,
    sample: (number) => sampleFrom("train", number),
    sampleFrom,
    get validation() {
      validation ??= sampleDistinct(options.validation, (number) => sampleFrom("validation", number));
      return validation;
    },
    grade: (task, { answer }, signal) => grader.grade(task, answer, signal),
    gradeAnswer: (task, answer, signal) => grader.grade(task, answer, signal),
    texts() {
      texts ??= Array.from(
        { length: TEXTS },
        (_, number) => sampleProblem("train", randomOf("rehearsal texts", number)).question,
      );
      return texts;
    },
  };
}

/** Measuring takes seconds and does not depend on the seed: worlds of one process share it. */
const measured = new Map<string, CalibratedPlayers>();

function calibrate(pools: "fixed" | "random", calibrationTasks: number): CalibratedPlayers {
  const key = `${pools} ${calibrationTasks}`;
  let pool = measured.get(key);
  if (!pool) {
    const players = pools === "fixed" ? PLAYERS : [...PLAYERS, ...trainingStrangers(STRANGERS)];
    pool = calibratePlayers(players, calibrationTasks);
    measured.set(key, pool);
  }
  return pool;
}

// ---- Pools ----------------------------------------------------------------------------------------

function sampleFixed(members: PoolMember[], consensus: PoolMember, random: Random): Pool {
  return { members: random.shuffle([...members, consensus]) };
}

function sampleRandom(members: PoolMember[], consensus: PoolMember, random: Random): Pool {
  const known = random.next() < PLAYERS_ALONE ? members.slice(0, PLAYERS.length) : members;
  const size = random.integer(SMALLEST_POOL, Math.min(LARGEST_POOL, known.length));
  const chosen = random.shuffle(known).slice(0, size);
  if (random.next() < CONSENSUS_SHARE) chosen.splice(random.integer(0, size), 0, consensus);
  return { members: chosen };
}

// ---- Questions ------------------------------------------------------------------------------------

/** Kinds and difficulties in equal shares, then the first question of that kind which is of the split. */
function sampleProblem(split: SplitName, random: Random): Problem {
  for (;;) {
    const families = [random.pick(FAMILIES).id];
    const difficulties = [random.pick(DIFFICULTIES)];
    for (let attempt = 0; attempt < PATIENCE; attempt++) {
      const number = random.integer(0, 0xffff_ffff);
      const [problem] = generateProblems({ count: 1, seed: number, families, difficulties });
      if (splitOf({ prompt: problem!.question }) === split) return problem!;
    }
  }
}

/** No question twice, in words: a validation must not count one several times. */
function sampleDistinct(count: number, sample: (number: number) => Question): Question[] {
  const sampled = new Map<string, Question>();
  for (let number = 0; sampled.size < count; number++) {
    if (number > PATIENCE * (count + 1))
      throw usageError(
        `There are no ${count} different validation questions: ask for less than ${sampled.size}`,
      );
    const question = sample(number);
    if (!sampled.has(question.task.prompt)) sampled.set(question.task.prompt, question);
  }
  return [...sampled.values()];
}
