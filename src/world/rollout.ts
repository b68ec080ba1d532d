// A rollout: what the policy wrote goes through the real parser, and a valid workflow through the real
// performer with a journal in memory. Then it is graded. A worker that was down is not the policy's fault:
// such a rollout has no reward and is never learned from.

import { hostname } from "node:os";
import { composeText, toDecision } from "../conductor/text.ts";
import type { ComposedRound, Conductor } from "../conductor/types.ts";
import { performRun } from "../perform/driver.ts";
import { CircuitBreaker } from "../perform/retry.ts";
import { toRun } from "../perform/run.ts";
import { toComposedRounds } from "../perform/visible.ts";
import { RIGHT } from "../recording/types.ts";
import { createMemoryStore } from "../store/memory.ts";
import { toPoolEntry } from "../store/pool-entry.ts";
import type { RunSettings, Store } from "../store/types.ts";
import { toMessages } from "../task/types.ts";
import { MAX_STEPS } from "../workflow/types.ts";
import { findReplayRefusal, toPerformedTask } from "./performed-task.ts";
import type { Grading, Question } from "./types.ts";

/** Right against wrong, as in the paper; not valid at all is 0. */
export const REWARD = { invalid: 0, wrong: 0.5, right: 1 } as const;

export interface Outcome {
  /** What was written, round by round. */
  texts: readonly string[];
  isValid: boolean;
  /** Workers were down: no reward. */
  isOutage: boolean;
  /** Codes of what failed on the way, mended or not. */
  faults: readonly string[];
  isRight: boolean;
  score: number;
  /** 0, 0.5 or 1; costs are taken off later. */
  reward: number;
  calls: number;
  steps: number;
  costUsd: number;
  /** Ids, one for each call. */
  asked: readonly string[];
  answer: string;
  /** What the team did, as the Conductor is shown it before its next round. */
  rounds: ComposedRound[];
}

const NO_TIMEOUTS = { stepMs: Infinity, firstTokenMs: Infinity, idleMs: Infinity };
const TIMEOUTS = { stepMs: 300_000, firstTokenMs: 120_000, idleMs: 60_000 };
const MAX_OUTPUT_TOKENS = 8192;

export interface PerformOptions {
  world: Grading;
  question: Question;
  /** What was written for each round. */
  texts: readonly string[];
  seed: number;
  signal: AbortSignal;
  /** By default in memory, and forgotten. */
  store?: Store;
  runId?: string;
}

export async function performTexts(options: PerformOptions): Promise<Outcome> {
  const { world, question, texts, seed, signal, store = forgetful, runId = "rollout" } = options;
  const { task, pool } = question;
  const first = toDecision(texts[0]!, { pool, maxSteps: MAX_STEPS, rounds: [] });
  if (first.type !== "workflow") return invalid(texts);
  const { isInstant } = world;
  const settings: RunSettings = {
    conductor: IN_TRAINING,
    conductorReason: "it learns",
    rounds: texts.length,
    maxSteps: MAX_STEPS,
    limits: {},
    seed,
    maxOutputTokens: MAX_OUTPUT_TOKENS,
    retries: isInstant ? 0 : 2,
    timeouts: isInstant ? NO_TIMEOUTS : TIMEOUTS,
    maxDepth: 0,
    streaming: false,
    review: false,
    allowUnknownPrice: true,
  };
  const state = await performRun(
    {
      type: "run-start",
      runId,
      at: Date.now(),
      task: { id: task.id, messages: toMessages(task) },
      pool: pool.members.map(toPoolEntry),
      settings,
    },
    { store, pool, conductor: recite(texts), breaker, owner, now: Date.now, signal },
  );
  // What a recording cannot replay is a mistake of the policy in that world, like a wrong format.
  if (findReplayRefusal(state)) return invalid(texts);
  const run = toRun(state);
  const grade = await world.grade(task, run, signal);
  const row = toPerformedTask(state, grade);
  const isOutage = row.isOutage || row.ungraded;
  // A later round that is no workflow was replaced by a fallback: it gets nothing.
  const isValid = state.rounds.every(({ plan }) => plan.fallback === undefined);
  const isRight = isValid && row.score >= RIGHT;
  return {
    texts,
    isValid,
    isOutage,
    faults: state.rounds.flatMap(({ steps }) =>
      steps.flatMap(({ failures }) => failures.map(({ error }) => error.code)),
    ),
    isRight,
    score: row.score,
    reward: !isValid ? REWARD.invalid : isRight ? REWARD.right : REWARD.wrong,
    calls: row.calls,
    steps: row.steps,
    costUsd: row.costUsd,
    asked: row.asked,
    answer: run.answer,
    rounds: toComposedRounds(state),
  };
}

const IN_TRAINING = { kind: "custom", id: "native in training" } as const;
const forgetful = createMemoryStore({ keepEnded: 0 });
const breaker = new CircuitBreaker(Date.now, Number.POSITIVE_INFINITY, 0);
const owner = { id: "training", pid: process.pid, host: hostname() };

function invalid(texts: readonly string[]): Outcome {
  return {
    texts,
    isValid: false,
    isOutage: false,
    faults: [],
    isRight: false,
    score: 0,
    reward: REWARD.invalid,
    calls: 0,
    steps: 0,
    costUsd: 0,
    asked: [],
    answer: "",
    rounds: [],
  };
}

/** Says what was written before, through the driver that all text Conductors share. */
function recite(texts: readonly string[]): Conductor {
  return {
    identity: IN_TRAINING,
    compose: (request) => composeText(request, once(texts[request.rounds.length] ?? "")),
  };
}

async function* once(text: string): AsyncIterable<{ text: string }> {
  yield { text };
}
