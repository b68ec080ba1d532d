// Asking for a recording: with time-outs, retries and a budget that holds.

import { setTimeout as sleep } from "node:timers/promises";
import { isTuttiError, type TuttiError } from "../base/errors.ts";
import { createRandom, hashSeed } from "../base/random.ts";
import { toFailedSpending, toSpending } from "../perform/budget.ts";
import { AskBudget, Ledger, type Settle } from "../perform/ledger.ts";
import { retryDelay } from "../perform/retry.ts";
import { type Attempt, startAttempt } from "../perform/step.ts";
import type { Spending } from "../store/types.ts";
import { toMessages } from "../task/types.ts";
import { estimateInputTokens } from "../worker/price.ts";
import type { WorkerRequest } from "../worker/types.ts";
import { type RecordingJob, replyLimit } from "./plan.ts";

/** Nobody waits for an answer here, so that a provider may well ask for a minute. */
const PATIENCE_MS = 120_000;

export interface AskerOptions {
  budgetUsd: number;
  allowUnknownPrice: boolean;
  maxOutputTokens: number;
  temperature?: number;
  seed: number;
  retries: number;
  timeouts: { stepMs: number; firstTokenMs: number; idleMs: number };
  signal: AbortSignal;
}

export type RecordedReply =
  | { type: "reply"; text: string; tokens: number; costUsd: number | undefined; durationMs: number }
  | { type: "failed"; error: TuttiError }
  | { type: "no-money" }
  | { type: "stopped" };

export class Asker {
  readonly #options: AskerOptions;
  readonly #attempts = new Set<Attempt>();
  readonly #budget: AskBudget;
  calls = 0;
  unpricedCalls = 0;

  constructor(options: AskerOptions) {
    this.#options = options;
    this.#budget = new AskBudget(new Ledger(options.budgetUsd), options.allowUnknownPrice);
    options.signal.addEventListener(
      "abort",
      () => {
        for (const attempt of this.#attempts) attempt.stop();
      },
      { once: true },
    );
  }

  get costUsd(): number {
    return this.#budget.spentUsd;
  }

  async ask(job: RecordingJob): Promise<RecordedReply> {
    const { seed, retries, signal } = this.#options;
    const { task, member, sample } = job;
    const own = hashSeed(seed, task.id, member.worker.id, sample);
    for (let failures = 0; ; ) {
      const reply = await this.#attempt(job, hashSeed(own, failures));
      if (reply.type !== "failed") return reply;
      failures++;
      const random = createRandom(hashSeed(own, failures)).next();
      const delay = retryDelay(reply.error, failures, retries, random, PATIENCE_MS);
      if (delay === undefined) return reply;
      // A rejected sleep means that the signal was given; the next attempt sees it too.
      await sleep(delay, undefined, { signal }).catch(() => {});
    }
  }

  async #attempt(
    { task, member, sample, messages: given }: RecordingJob,
    seed: number,
  ): Promise<RecordedReply> {
    const { timeouts, temperature, signal } = this.#options;
    const messages = given ?? toMessages(task);
    const maxOutputTokens = replyLimit(member, this.#options.maxOutputTokens);
    const inputTokens = () => estimateInputTokens(messages);
    const { worker, price } = member;
    let settle: Settle;
    try {
      settle = await this.#budget.reserve({ worker: worker.id, price, inputTokens, maxOutputTokens }, signal);
    } catch {
      return { type: signal.aborted ? "stopped" : "no-money" };
    }
    const ask = { run: toRunOf({ task, member, sample }), name: String(seed) };
    const request: WorkerRequest = { messages, maxOutputTokens, seed, temperature, ask };
    const startedAt = performance.now();
    const attempt = startAttempt(worker, request, {
      timeouts,
      now: () => performance.now(),
      onDelta: () => {},
    });
    this.#attempts.add(attempt);
    // Given while the worker was being started: nobody else would tell it.
    if (signal.aborted) attempt.stop();
    const outcome = await attempt.outcome;
    this.#attempts.delete(attempt);
    const entry = { kind: worker.kind, price };
    if (outcome.ok) {
      const { reply, usage, tookMs } = outcome;
      const exchange = { inputTokens, written: reply.text + (reply.reasoning ?? ""), maxOutputTokens };
      const spending = toSpending(entry, usage, exchange);
      this.#settle(settle, spending);
      return {
        type: "reply",
        text: reply.text,
        tokens: spending.usage.outputTokens,
        costUsd: spending.costUsd,
        durationMs: Math.round(tookMs ?? performance.now() - startedAt),
      };
    }
    const { error, partial, reasoning, usage } = outcome;
    const exchange = { inputTokens, written: partial + reasoning, maxOutputTokens };
    this.#settle(
      settle,
      usage ? toSpending(entry, usage, exchange) : toFailedSpending(entry, error, exchange),
    );
    const isOurs = signal.aborted && isTuttiError(error) && error.code === "aborted";
    return isOurs ? { type: "stopped" } : { type: "failed", error };
  }

  #settle(settle: Settle, { costUsd, calls }: Spending): void {
    settle(costUsd ?? 0);
    this.calls += calls;
    if (costUsd === undefined) this.unpricedCalls += calls;
  }
}

/** A sample with its retries. */
export function toRunOf({ task, member, sample }: Pick<RecordingJob, "task" | "member" | "sample">): string {
  return `${member.worker.id}/${task.id}/${sample}`;
}
