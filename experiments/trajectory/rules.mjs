// The rules of the simulated trajectory set: tasks that take several turns with tools (look, edit, test), and workers with
// hidden skills, prices and caches. It is a simulation: no model is asked, and a number from it says nothing of real models.
// The rules were committed before anything was tuned on the set, and are the same for every policy.

/** Kinds of tasks. A worker's skill differs from kind to kind, and a policy may learn that from training tasks only. */
export const KINDS = ["web", "data", "systems", "build", "docs"];

export const TASK = {
  /** Stages that must be passed one after another. */
  stages: [3, 8],
  /** Difficulty of a task, and of its stages around it (standard deviations). */
  difficulty: 1,
  stageSpread: 0.7,
  /** Tokens of the first prompt (system, tools, files), of a tool's result, of a reply. */
  promptTokens: [8_000, 30_000],
  resultTokens: [400, 4_000],
  replyTokens: [150, 500],
  /** Tasks whose tools run tests at the end: these show a hidden flaw with this probability. */
  tested: 0.5,
  testsShow: 0.7,
  /** An agent is stopped after so many turns: that is a wrong end. */
  mostTurns: 30,
};

/** Whether a worker understands a stage is drawn once: then it passes soon, else it fails again and again. */
export const STAGE = {
  passIfUnderstood: 0.85,
  passIfNot: 0.06,
  /** Of a failure that is not understood: the same error comes again. */
  sameError: 0.75,
  /** Steepness of understanding in skill minus difficulty. */
  steepness: 1.6,
  /** A stage that is passed leaves a flaw that nobody sees: more often by those of little skill. */
  flawAtPar: 0.05,
  /** With so many failures in a row it gives up and claims to be done, in each further turn. */
  givesUpAfter: 6,
  givesUp: 0.15,
};

export const HELP = {
  /** A helper that understands the stage passes it on. */
  adviceWorks: 0.6,
  /** A verifier finds a flaw or an unfinished stage: by its skill, within these. */
  finds: [0.45, 0.85],
  refusesRight: 0.08,
  /** A flaw that was named is mended by one who understands its stage, else seldom. */
  mends: 0.75,
  mendsElse: 0.2,
  adviceTokens: 350,
  verdictTokens: 200,
};

/** Seconds that a turn takes; now and then the user is away and the cache is forgotten. */
export const CLOCK = { turnMs: 20_000, awayShare: 0.03, awayMs: 900_000 };

/** Dollars per million tokens, skill in standard deviations of difficulty, share of a prefix that its cache gives back. */
export const WORKERS = [
  {
    id: "simulated/small",
    skill: -0.6,
    price: { inputUsd: 0.25, cachedInputUsd: 0.025, outputUsd: 2 },
    cache: 0.97,
  },
  { id: "simulated/uncached", skill: 0.1, price: { inputUsd: 0.6, outputUsd: 2.4 }, cache: 0 },
  {
    id: "simulated/medium",
    skill: 0.5,
    price: { inputUsd: 1.25, cachedInputUsd: 0.125, outputUsd: 10 },
    cache: 0.9,
  },
  {
    id: "simulated/large",
    skill: 1,
    price: { inputUsd: 3, cachedInputUsd: 0.3, cacheWriteUsd: 3.75, outputUsd: 15 },
    cache: 0.97,
  },
  {
    id: "simulated/strongest",
    skill: 1.5,
    price: { inputUsd: 5, cachedInputUsd: 0.5, cacheWriteUsd: 6.25, outputUsd: 25 },
    cache: 0.97,
  },
];
/** How much a worker's skill differs between kinds. */
export const SKILL_SPREAD = 0.7;

/** Tasks of each split. The three seeds draw everything anew: tasks, and workers' skills by kind. */
export const SPLITS = { train: 300, validation: 300, test: 500 };
export const SEEDS = [1, 2, 3];
