// Rollouts are performed: each through the real parser and performer, the same one once.

import { hashSeed } from "../base/random.ts";
import { toDecision } from "../conductor/text.ts";
import type { Store } from "../store/types.ts";
import { type Decision, MAX_STEPS } from "../workflow/types.ts";
import { tryQuickly } from "../world/quick-try.ts";
import { type Outcome, performConductor, performTexts, REWARD } from "../world/rollout.ts";
import type { Grading, Question } from "../world/types.ts";
import type { Asking, Rollout, WrittenRollout } from "./types.ts";

/** Performs whatever it asks for, until it returns. Undefined where it was cut off: then nothing was learned. */
export async function performAsked<Result>(
  asking: Asking<Result>,
  world: Grading,
  signal: AbortSignal,
): Promise<Result | undefined> {
  let step = await asking.next([]);
  while (!step.done) {
    const outcomes = await performAll(step.value, world, signal);
    if (signal.aborted) return undefined;
    step = await asking.next(outcomes);
  }
  return step.value;
}

/** At the same time only where workers take time. Equal texts with equal seeds get equal outcomes: once is enough. */
export async function performAll(
  rollouts: readonly Rollout[],
  world: Grading,
  signal: AbortSignal,
): Promise<Outcome[]> {
  const known = new Map<Question, Map<string, Promise<Outcome>>>();
  const results: Promise<Outcome>[] = [];
  for (const rollout of rollouts) {
    const result = performOnce(rollout, known, () => performRollout(rollout, { world, signal }));
    results.push(result);
    if (world.isInstant) await result;
  }
  return Promise.all(results);
}

/** A Conductor that decides is always performed: it may be listened to. */
function performOnce(
  rollout: Rollout,
  known: Map<Question, Map<string, Promise<Outcome>>>,
  perform: () => Promise<Outcome>,
): Promise<Outcome> {
  if ("conductor" in rollout) return perform();
  const { question, texts, seed } = rollout;
  const own = known.get(question) ?? new Map<string, Promise<Outcome>>();
  known.set(question, own);
  const key = JSON.stringify([seed, ...texts]);
  const result = own.get(key) ?? perform();
  own.set(key, result);
  return result;
}

export interface PerformRolloutOptions {
  world: Grading;
  signal: AbortSignal;
  /** By default in memory, and forgotten. */
  store?: Store;
  runId?: string;
}

/** In later rounds accepting changes nothing, and a format error is worth nothing. */
export async function performRollout(rollout: Rollout, options: PerformRolloutOptions): Promise<Outcome> {
  if ("conductor" in rollout) return performConductor({ ...rollout, ...options });
  const { question, texts, seed, before, isFurtherTry } = rollout;
  const decision = readLast(rollout);
  if (before && decision.type === "accept") return { ...before, texts };
  if (before && decision.type === "format-error") return { ...toWorthless(before), texts };
  if (isFurtherTry && decision.type === "workflow") {
    const { workflow } = decision;
    const tried = await tryQuickly(
      options.world,
      { question, workflow, texts, seed, before },
      options.signal,
    );
    if (tried) return tried;
  }
  const decisions: Decision[] = [];
  decisions[texts.length - 1] = decision;
  return performTexts({ ...options, question, texts, decisions, seed });
}

/** Of each question the texts that were read last: the tries of a plan come one after the other. */
const lastRead = new WeakMap<Question, { text: string; rounds: unknown; decision: Decision }>();

function readLast({ question, texts, before }: WrittenRollout): Decision {
  const text = texts.at(-1)!;
  const rounds = before?.rounds ?? NO_ROUNDS;
  const known = lastRead.get(question);
  if (known?.text === text && known.rounds === rounds) return known.decision;
  const decision = toDecision(text, { pool: question.pool, maxSteps: MAX_STEPS, rounds });
  lastRead.set(question, { text, rounds, decision });
  return decision;
}

const NO_ROUNDS: Outcome["rounds"] = [];

/** What is no answer to what was asked. */
export function toWorthless(outcome: Outcome): Outcome {
  return { ...outcome, isValid: false, isRight: false, reward: REWARD.invalid };
}

/** Of a question in an evaluation: the same however many rounds it takes, and again in the journal. */
export function toRunSeed(seed: number, { task }: Question): number {
  return hashSeed(seed, task.id);
}
