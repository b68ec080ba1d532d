// Where submissions become rewards. Equal ones are performed once: those under way are joined, those that
// were finished are read from the journal, also after a restart. The work belongs to nobody's connection: an
// engine that hangs up, or is answered because its patience ends, finds the reward when it asks again.

import { isTuttiError } from "../base/errors.ts";
import { createGate, type Gate } from "../base/gate.ts";
import { hashSeed } from "../base/random.ts";
import type { Log } from "../http/log.ts";
import type { Decision } from "../workflow/types.ts";
import { type Outcome, parseFirst, performTexts } from "../world/rollout.ts";
import type { FoundQuestion, QuestionFinder } from "./find-question.ts";
import { parseLabel, type QuestionLabel, toLabelText } from "./label.ts";
import { MOST_COMPLETION_CHARACTERS } from "./limits.ts";
import type { RolloutMetrics, Source } from "./metrics.ts";
import { keyOfRollout, type RolloutJournal } from "./rollout-journal.ts";
import type {
  FailureKind,
  FailureRewards,
  Performed,
  RolloutVerdict,
  ScoredAnswer,
  Submission,
  TrainingEngine,
} from "./types.ts";

/** A pool that is down is asked again after so long, then twice as long, up to the longest. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 15_000;

export interface DeskOptions {
  finder: QuestionFinder;
  journal: RolloutJournal;
  gate: Gate;
  metrics: RolloutMetrics;
  log: Log;
  failureRewards: FailureRewards;
  /** How long workers that are down are waited for, in one rollout. */
  patienceMs: number;
  now: () => number;
  /** Ends early, without an error, when the signal fires. */
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

export class RolloutDesk {
  readonly #options: DeskOptions;
  readonly #underWay = new Map<string, Promise<RolloutVerdict>>();
  /** Simulated workers only compute: at the same time they would be no quicker. */
  readonly #turns = createGate(1);
  readonly #closing = new AbortController();
  #isClosing = false;

  constructor(options: DeskOptions) {
    this.#options = options;
  }

  get underWay(): number {
    return this.#underWay.size;
  }

  /** Nothing new should be brought here: what is under way is being finished. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** What was under way when the time was over was stopped: such verdicts are nobody's reward. */
  get isStopped(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Never rejects, and never takes much longer than the deadline. */
  async score(engine: TrainingEngine, submission: Submission, deadlineMs: number): Promise<ScoredAnswer> {
    const { now, metrics } = this.#options;
    const startedAt = now();
    const { verdict, source } = await this.#judge(submission, deadlineMs);
    if (verdict.type === "failure") this.#report(engine, verdict);
    metrics.addAnswer(engine, verdict.type === "reward" ? source : undefined, now() - startedAt);
    return { verdict, reward: this.#toReward(verdict) };
  }

  /** What runs is finished; after `patienceMs` it is stopped, and performed anew when it is asked for again. */
  async close(patienceMs: number): Promise<void> {
    this.#isClosing = true;
    const over = Promise.all(this.#underWay.values());
    const late = new AbortController();
    await Promise.race([over, this.#options.wait(patienceMs, late.signal)]);
    late.abort();
    this.#closing.abort();
    await Promise.all(this.#underWay.values());
  }

  async #judge(
    { label: given, completion }: Submission,
    deadlineMs: number,
  ): Promise<{ verdict: RolloutVerdict; source?: Source }> {
    if (completion === undefined)
      return { verdict: fail("unreadable", "The completion cannot be told from the prompt") };
    if (completion.length > MOST_COMPLETION_CHARACTERS) {
      const most = `at most ${MOST_COMPLETION_CHARACTERS} are read`;
      return { verdict: fail("unreadable", `The completion has ${completion.length} characters; ${most}`) };
    }
    let label: QuestionLabel;
    let found: FoundQuestion;
    try {
      label = parseLabel(given);
      found = this.#options.finder.find(label);
    } catch (error) {
      if (isTuttiError(error) && error.code === "unknown-label")
        return { verdict: fail("label", error.message) };
      return { verdict: this.#break("a label broke", error) };
    }
    const text = toLabelText(label);
    const key = keyOfRollout(text, completion, found.answers);
    const kept = this.#options.journal.find(key);
    if (kept) return { verdict: { type: "reward", performed: kept }, source: "kept" };
    const running = this.#underWay.get(key);
    const work = running ?? this.#start({ key, text, texts: [...(label.before ?? []), completion], found });
    return { verdict: await this.#before(deadlineMs, work), source: running ? "joined" : "performed" };
  }

  #start(rollout: PendingRollout): Promise<RolloutVerdict> {
    const work = this.#perform(rollout)
      .catch((error) => this.#break("a rollout broke", error))
      .finally(() => this.#underWay.delete(rollout.key));
    this.#underWay.set(rollout.key, work);
    return work;
  }

  /** What is no workflow costs nobody anything: it does not wait behind those that do. */
  #perform(rollout: PendingRollout): Promise<RolloutVerdict> {
    const { texts, found } = rollout;
    const first = parseFirst(texts[0]!, found.question);
    const work = () => this.#performPatiently(rollout, first);
    if (first.type !== "workflow") return work();
    const { gate } = this.#options;
    return gate.enter(found.world.isInstant ? () => this.#turns.enter(() => breathe(work)) : work);
  }

  async #performPatiently(rollout: PendingRollout, first: Decision): Promise<RolloutVerdict> {
    const { now, wait, patienceMs, log } = this.#options;
    const { key, texts, found } = rollout;
    const { signal } = this.#closing;
    const endsAt = now() + patienceMs;
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
      if (signal.aborted) return fail("fault", "The server is being stopped");
      const outcome = await performTexts({
        world: found.world,
        question: found.question,
        texts,
        decisions: [first],
        seed: hashSeed("environment", key),
        signal,
      });
      if (signal.aborted) return fail("fault", "The server is being stopped");
      if (!outcome.isOutage) return this.#keep(rollout, outcome);
      if (outcome.faults.includes("budget-spent")) return fail("budget", "The money is spent");
      const codes = [...new Set(outcome.faults)].join(", ") || "the grader gave no grade";
      if (now() + waitMs > endsAt) return fail("outage", `Workers were down: ${codes}`);
      log.warn("workers are down, the rollout is tried again", { codes, waitMs });
      await wait(waitMs, signal);
    }
  }

  #keep({ key, text, texts }: PendingRollout, outcome: Outcome): RolloutVerdict {
    const { reward, isValid, isRight, calls, steps, costUsd } = outcome;
    const performed: Performed = { reward, isValid, isRight, calls, steps, costUsd };
    this.#options.journal.keep({
      key,
      at: this.#options.now(),
      label: text,
      completion: texts.at(-1)!,
      ...performed,
    });
    this.#options.metrics.addPerformed(performed);
    return { type: "reward", performed };
  }

  /** The answer before the engine's time-out; the work goes on and is kept. */
  async #before(deadlineMs: number, work: Promise<RolloutVerdict>): Promise<RolloutVerdict> {
    const done = new AbortController();
    const late = this.#options
      .wait(deadlineMs, done.signal)
      .then(() => fail("late", "It takes longer than the engine waits"));
    try {
      return await Promise.race([work, late]);
    } finally {
      done.abort();
    }
  }

  /** Our own errors name files: these are for the log. */
  #break(what: string, error: unknown): RolloutVerdict {
    this.#options.log.error(what, { error });
    return fail("fault", "Something broke here; the log says what");
  }

  #report(engine: TrainingEngine, { failure, why }: Extract<RolloutVerdict, { type: "failure" }>): void {
    this.#options.metrics.addFailure(failure);
    const reward = this.#failureReward(failure);
    this.#options.log.warn("no true reward", { engine, failure, why, answered: reward });
  }

  #toReward(verdict: RolloutVerdict): number {
    return verdict.type === "reward" ? verdict.performed.reward : this.#failureReward(verdict.failure);
  }

  #failureReward(failure: FailureKind): number {
    const { budget, other } = this.#options.failureRewards;
    return failure === "budget" ? budget : other;
  }
}

interface PendingRollout {
  key: string;
  /** The label as the journal has it. */
  text: string;
  /** What was written, round by round: the completion is the last. */
  texts: readonly string[];
  found: FoundQuestion;
}

/**
 * Node accepts one new connection each time around its loop. Work that never waits would hold the loop, and of
 * 256 sockets that come at once the last ones would be let in after minutes.
 */
async function breathe<T>(work: () => Promise<T>): Promise<T> {
  const result = await work();
  await new Promise((resolve) => setImmediate(resolve));
  return result;
}

function fail(failure: FailureKind, why: string): Extract<RolloutVerdict, { type: "failure" }> {
  return { type: "failure", failure, why };
}
