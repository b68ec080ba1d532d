// Plans that are wanted at the same time are written together, token by token, so that nobody waits for a whole plan
// of somebody else. What a plan says does not depend on who else is in its batch.

import type { Prefix } from "../../nn/batch.ts";
import type { TextModel } from "../../nn/text-model.ts";
import type { TokenSampler } from "./sample-token.ts";

const LARGEST_BATCH = 16;

export interface WriteJob {
  prefix: Prefix;
  sample: TokenSampler;
  signal?: AbortSignal;
  /** All tokens so far, after each of them. */
  onToken?: (tokens: readonly number[]) => void;
}

interface WaitingJob extends WriteJob {
  tokens: number[];
  done(): void;
  fail(error: unknown): void;
}

export interface BatcherOptions {
  /** The most tokens of a plan. */
  length: number;
  start: number;
  end: number;
}

export class Batcher {
  readonly #model: TextModel;
  readonly #options: BatcherOptions;
  readonly #waiting: WaitingJob[] = [];
  #isBusy = false;

  constructor(model: TextModel, options: BatcherOptions) {
    this.#model = model;
    this.#options = options;
  }

  /** The tokens up to the end token, this included; fewer where the signal fired or the length was reached. */
  write(job: WriteJob): Promise<number[]> {
    return new Promise((resolve, reject) => {
      const tokens: number[] = [];
      const done = () => resolve(tokens);
      this.#waiting.push({ ...job, tokens, done, fail: reject });
      if (!this.#isBusy) void this.#work();
    });
  }

  /** One batch after the other; whoever comes meanwhile is in the next. */
  async #work(): Promise<void> {
    this.#isBusy = true;
    // Whoever asks in the same turn of the event loop is in the first batch too.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, LARGEST_BATCH);
      try {
        await this.#perform(batch);
        for (const { done } of batch) done();
      } catch (error) {
        for (const { fail } of batch) fail(error);
      }
    }
    this.#isBusy = false;
  }

  async #perform(batch: readonly WaitingJob[]): Promise<void> {
    const { length, start, end } = this.#options;
    const prefixes = batch.map(({ prefix }) => prefix);
    await this.#model.generate(prefixes, {
      group: 1,
      length,
      start,
      end,
      choose(probabilities, row) {
        const job = batch[row]!;
        if (job.signal?.aborted) return end;
        const token = job.sample(probabilities, job.tokens);
        job.tokens.push(token);
        job.onToken?.(job.tokens);
        return token;
      },
    });
  }
}
