// Tasks and what happens in them, by the rules. Every draw is named by task, worker, stage and attempt, so that all policies
// meet the same luck: differences between them are theirs.

import { createRandom, hashSeed } from "../../dist/base/random.js";
import { CLOCK, HELP, KINDS, SKILL_SPREAD, STAGE, TASK, WORKERS } from "./rules.mjs";

const sigmoid = (x) => 1 / (1 + Math.exp(-x));

function normal(random) {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}

function between([low, high], random) {
  return low + (high - low) * random.next();
}

export function createWorld(seed) {
  const draw = (...parts) => createRandom(hashSeed("trajectory", seed, ...parts)).next();
  const skills = WORKERS.map(({ id, skill }) =>
    Object.fromEntries(
      KINDS.map((kind) => [
        kind,
        skill + SKILL_SPREAD * normal(createRandom(hashSeed("skill", seed, id, kind))),
      ]),
    ),
  );

  function createTask(split, number) {
    const random = createRandom(hashSeed("task", seed, split, number));
    const kind = KINDS[Math.floor(random.next() * KINDS.length)];
    const difficulty = TASK.difficulty * normal(random);
    const [least, most] = TASK.stages;
    const count = least + Math.floor(random.next() * (most - least + 1));
    return {
      id: `${seed}/${split}/${number}`,
      kind,
      isTested: random.next() < TASK.tested,
      promptTokens: Math.round(between(TASK.promptTokens, random)),
      stages: Array.from({ length: count }, () => difficulty + TASK.stageSpread * normal(random)),
    };
  }

  return { createTask, createEpisode: (task) => createEpisode(task, skills, draw) };
}

/** One run of a task: what is true, what the tools said, how long the conversation is, what each cache holds. */
function createEpisode(task, skills, draw) {
  const state = {
    stage: 0,
    turns: 0,
    now: 0,
    tokens: task.promptTokens,
    failures: 0,
    flaws: new Map(),
    attempts: new Map(),
    told: new Set(),
    reads: new Map(),
    pending: undefined,
  };
  const d = (...parts) => draw(task.id, ...parts);
  const skillOf = (worker) => skills[worker][task.kind];
  const understands = (worker, stage) =>
    state.told.has(`${worker}:${stage}`) ||
    d("understands", worker, stage) < sigmoid(STAGE.steepness * (skillOf(worker) - task.stages[stage]));

  /** Reads the conversation, as a provider counts it. */
  function read(worker, outputTokens) {
    const before = state.reads.get(worker);
    const isKept = before && state.now - before.at < 300_000;
    const cached = isKept ? Math.floor(Math.min(before.tokens, state.tokens) * WORKERS[worker].cache) : 0;
    const usage = {
      inputTokens: state.tokens,
      outputTokens,
      cachedInputTokens: cached,
      reasoningTokens: 0,
      ...(WORKERS[worker].price.cacheWriteUsd && { cacheWriteTokens: state.tokens - cached }),
    };
    state.tokens += outputTokens;
    state.reads.set(worker, { tokens: state.tokens, at: state.now });
    return usage;
  }

  function pass(worker) {
    const { stage } = state;
    const risk = STAGE.flawAtPar * Math.exp(0.5 * (task.stages[stage] - skillOf(worker)));
    if (d("flaw", worker, stage) < risk) state.flaws.set(stage, worker);
    state.stage++;
    state.failures = 0;
  }

  /** One turn of the worker that has the conversation: a call of a tool, or the answer. */
  function turn(worker) {
    state.turns++;
    state.now += CLOCK.turnMs + (d("away", state.turns) < CLOCK.awayShare ? CLOCK.awayMs : 0);
    const usage = read(
      worker,
      Math.round(between(TASK.replyTokens, { next: () => d("reply", state.turns) })),
    );
    const gaveUp = state.failures >= STAGE.givesUpAfter && d("gives up", worker, state.turns) < STAGE.givesUp;
    if (state.stage >= task.stages.length || gaveUp || state.turns >= TASK.mostTurns) return { usage };
    const { stage } = state;
    const key = `${worker}:${stage}`;
    const attempt = state.attempts.get(key) ?? 0;
    state.attempts.set(key, attempt + 1);
    const chance = understands(worker, stage) ? STAGE.passIfUnderstood : STAGE.passIfNot;
    const passed = d("pass", worker, stage, attempt) < chance;
    if (passed) pass(worker);
    else state.failures++;
    state.pending = toResult(worker, stage, attempt, passed);
    state.tokens += Math.round(between(TASK.resultTokens, { next: () => d("result", state.turns) }));
    return { usage, calls: true };
  }

  function toResult(worker, stage, attempt, passed) {
    const n = state.turns;
    if (!passed) {
      const isSame = !understands(worker, stage) && d("same", worker, stage, attempt) < STAGE.sameError;
      return `turn ${n}\nexit code 1\nError: ${isSame ? `stage ${"abcdefgh"[stage]} of the task fails` : `case ${"pqrstuvw"[n % 8]} is odd`}`;
    }
    const isAtEnd = state.stage >= task.stages.length;
    if (isAtEnd && task.isTested) {
      const [shown] = [...state.flaws.keys()].filter((flaw) => d("shown", flaw) < TASK.testsShow);
      if (shown === undefined) return `turn ${n}\nexit code 0\n# fail 0`;
      // The tests show it: the stage has to be done again.
      state.flaws.delete(shown);
      state.stage = task.stages.length - 1;
      state.failures = 1;
      return `turn ${n}\nexit code 1\n# fail 1\nError: a test of stage ${"abcdefgh"[shown]} fails`;
    }
    return `turn ${n}\nexit code 0\nstage ${stage} done`;
  }

  /** A helper reads all of it once; whether it helps shows later. */
  function advise(worker, sticky) {
    const { stage } = state;
    const usage = read(worker, HELP.adviceTokens);
    state.tokens -= HELP.adviceTokens;
    if (
      stage < task.stages.length &&
      understands(worker, stage) &&
      d("advice", worker, stage) < HELP.adviceWorks
    )
      state.told.add(`${sticky}:${stage}`);
    return usage;
  }

  function verify(worker) {
    const usage = read(worker, HELP.verdictTokens);
    state.tokens -= HELP.verdictTokens;
    const [low, high] = HELP.finds;
    const finds = Math.min(high, Math.max(low, low + (high - low) * sigmoid(skillOf(worker))));
    const isWrong = !isRight();
    const refuses = d("verdict", worker) < (isWrong ? finds : HELP.refusesRight);
    return { usage, refuses };
  }

  /** After a diagnosis: what was found is gone about again, as one more stage that may be understood or not. */
  function mend(worker) {
    const isUnfinished = state.stage < task.stages.length;
    for (const flaw of state.flaws.keys()) {
      const chance = understands(worker, flaw) ? HELP.mends : HELP.mendsElse;
      if (d("mend", worker, flaw) < chance) state.flaws.delete(flaw);
    }
    state.failures = 0;
    return isUnfinished;
  }

  const isRight = () => state.stage >= task.stages.length && state.flaws.size === 0;
  return { task, state, turn, advise, verify, mend, isRight };
}
