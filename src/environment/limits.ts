// How much anybody may ask of the environment at once. Engines send batches of hundreds to thousands, so the bounds are
// far above what a training needs, and below what would end the process.

import { TuttiError } from "../base/errors.ts";

export interface EnvironmentLimits {
  /** Of one request: a batch of 4,096 rollouts of 60 KB fits. */
  bodyBytes: number;
  /** Of one request that does not say how long it is; engines do. */
  chunkedBytes: number;
  /** Of all requests whose bodies are read or held at the same time. */
  allBodiesBytes: number;
  /** In one request. */
  submissions: number;
  /** Rollouts under way or waiting, above which no request brings more: a batch of a large training, many times. */
  waiting: number;
  /** Engines keep hundreds of sockets. */
  connections: number;
  /** From the first byte to the end of the head, and of the whole request. */
  headersMs: number;
  requestMs: number;
}

export const DEFAULT_LIMITS: EnvironmentLimits = {
  bodyBytes: 256_000_000,
  chunkedBytes: 16_000_000,
  allBodiesBytes: 512_000_000,
  submissions: 8_192,
  waiting: 16_384,
  connections: 4_096,
  headersMs: 20_000,
  requestMs: 300_000,
};

/** A completion is a few thousand tokens; what is longer is not kept in a journal that is read at every start. */
export const MOST_COMPLETION_CHARACTERS = 4_000_000;

/** How long an engine is asked to wait where there is no room. */
const RETRY_MS = 5_000;

export function noRoom(what: string): TuttiError {
  return new TuttiError("overloaded", `${what}: ask again in a moment`, { retryAfterMs: RETRY_MS });
}

/** Room for bodies: what is held is counted by what a request says it will send. */
export class BodyRoom {
  readonly #limits: EnvironmentLimits;
  #heldBytes = 0;

  constructor(limits: EnvironmentLimits) {
    this.#limits = limits;
  }

  /** `work` gets the most bytes that may come. */
  async hold<T>(contentLength: string | undefined, work: (mostBytes: number) => Promise<T>): Promise<T> {
    const { bodyBytes, chunkedBytes, allBodiesBytes } = this.#limits;
    const bytes = Math.min(bodyBytes, contentLength === undefined ? chunkedBytes : Number(contentLength));
    if (this.#heldBytes + bytes > allBodiesBytes) throw noRoom("Too much is being sent at the same time");
    this.#heldBytes += bytes;
    try {
      return await work(contentLength === undefined ? bytes : bodyBytes);
    } finally {
      this.#heldBytes -= bytes;
    }
  }
}
