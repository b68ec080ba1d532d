// Plans that are wanted at the same time are written together: a batch of sixteen takes about four times as
// long as one. What a plan says does not depend on who else is in its batch.

import { type Prefix, shapeOf } from "../../nn/batch.ts";
import type { Model } from "../../nn/model.ts";
import type { TokenSampler } from "./sample-token.ts";

const LARGEST_BATCH = 16;
/**
 * With one row alone the engine multiplies in another order than with several, and probabilities differ in
 * their last bits: so there are always two. Batches of 2, 4, 8 and 16 agree bitwise on one thread.
 */
const SMALLEST_BATCH = 2;

export interface WriteJob {
  prefix: Prefix;
  sample: TokenSampler;
  signal?: AbortSignal;
  /** All tokens so far, after each of them. */
  onToken?: (tokens: readonly number[]) => void;
}

interface WaitingJob extends WriteJob {
  /** Only rows that are padded alike are written together. */
  shape: string;
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
  readonly #model: Model;
  readonly #options: BatcherOptions;
  #waiting: WaitingJob[] = [];
  #isBusy = false;

  constructor(model: Model, options: BatcherOptions) {
    this.#model = model;
    this.#options = options;
  }

  /** The tokens up to the end token, this included; fewer where the signal fired or the length was reached. */
  write(job: WriteJob): Promise<number[]> {
    return new Promise((resolve, reject) => {
      const { text, slots } = shapeOf([job.prefix], 1, 1);
      const tokens: number[] = [];
      const done = () => resolve(tokens);
      this.#waiting.push({ ...job, shape: `${text} ${slots}`, tokens, done, fail: reject });
      if (!this.#isBusy) void this.#work();
    });
  }

  /** One batch after the other; whoever comes meanwhile is in the next. */
  async #work(): Promise<void> {
    this.#isBusy = true;
    // Whoever asks in the same turn of the event loop is in the first batch too.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const batch = this.#takeBatch();
      try {
        await this.#perform(batch);
        for (const { done } of batch) done();
      } catch (error) {
        for (const { fail } of batch) fail(error);
      }
    }
    this.#isBusy = false;
  }

  #takeBatch(): WaitingJob[] {
    const { shape } = this.#waiting[0]!;
    const batch = this.#waiting.filter((job) => job.shape === shape).slice(0, LARGEST_BATCH);
    const taken = new Set(batch);
    this.#waiting = this.#waiting.filter((job) => !taken.has(job));
    return batch;
  }

  async #perform(batch: readonly WaitingJob[]): Promise<void> {
    const { length, start, end } = this.#options;
    const size = Math.max(SMALLEST_BATCH, 2 ** Math.ceil(Math.log2(batch.length)));
    const prefixes = Array.from({ length: size }, (_, row) => (batch[row] ?? batch[0]!).prefix);
    await this.#model.generate(prefixes, {
      group: 1,
      length,
      start,
      end,
      choose(probabilities, row) {
        const job = batch[row];
        if (!job || job.signal?.aborted) return end;
        const token = job.sample(probabilities, job.tokens);
        job.tokens.push(token);
        job.onToken?.(job.tokens);
        return token;
      },
    });
  }
}
