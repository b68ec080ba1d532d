// What workers have counted, remembered across the runs of a process. Where a request has parts that were in one before, those
// parts cannot be more tokens than that whole request was: only the rest is bounded by its bytes. So an agent's long prompt and
// tools do not count four times over at the first turn of each new loop, and a budget still holds.
// How many bytes of its bound a worker's tokens are is learned too. That is an estimate, so nothing is reserved by it: it
// tells where it is worth the time to have the provider count.

import { hash } from "node:crypto";
import type { BoundInput } from "../worker/brief-parts.ts";

/** Requests of a worker that are kept in mind: of each run the first and the newest. */
const MOST_REQUESTS = 32;
const MOST_WORKERS = 200;
const MOST_TRIED = 500;
/** Providers say that their counts may be a little off, and how tools have to be used is a part of the prompt, too. */
const SLACK_SHARE = 0.02;
const SLACK_TOKENS = 128;
/** After a failure a worker's provider is not asked to count for so long. */
const REST_MS = 600_000;
/** Tokens per byte of the bound before anything was reported, and what it stays between. */
const FIRST_GUESS = 0.3;
const LEAST = 0.15;
/** The share of a new report in what is believed. A denser one is believed at once. */
const DECAY = 0.1;

interface Counted {
  inputTokens: number;
  keys: ReadonlySet<string>;
}

interface WorkerCounts {
  requests: Map<string, Counted>;
  /** Tokens per byte of the bound; undefined before its first report. */
  density: number | undefined;
  restsUntil: number;
}

export class CountedInputs {
  readonly #workers = new Map<string, WorkerCounts>();
  readonly #tried = new Set<string>();

  /** `inputTokens` is what the worker itself has reported of this very request. Of each `name` the newest is kept. */
  report(workerId: string, name: string, input: BoundInput, inputTokens: number): void {
    if (inputTokens <= 0) return;
    const counts = this.#of(workerId);
    const share = Math.min(1, inputTokens / input.boundTokens);
    const before = counts.density ?? share;
    counts.density = Math.max(share, before + DECAY * (share - before));
    remember(counts, name, input, inputTokens);
  }

  /** Never less than what the worker will count, as far as it counts the same parts alike. Infinity: nothing is known. */
  bound(workerId: string, input: BoundInput): number {
    const { requests } = this.#workers.get(workerId) ?? {};
    if (!requests || requests.size === 0) return Number.POSITIVE_INFINITY;
    let least = Number.POSITIVE_INFINITY;
    for (const counted of requests.values()) least = Math.min(least, boundBy(counted, input));
    return least;
  }

  /** What the worker is likely to count. */
  estimate(workerId: string, { boundTokens }: BoundInput): number {
    const { density = FIRST_GUESS } = this.#workers.get(workerId) ?? {};
    return Math.ceil(boundTokens * Math.max(LEAST, density));
  }

  /** False where it was tried already, or has failed a short while ago. */
  isWorthCounting(workerId: string, input: BoundInput, now: number): boolean {
    const { restsUntil = 0 } = this.#workers.get(workerId) ?? {};
    return restsUntil <= now && !this.#tried.has(toName(workerId, input));
  }

  /** What its provider has counted; undefined where it could not. */
  count(workerId: string, input: BoundInput, inputTokens: number | undefined, now: number): void {
    if (this.#tried.size >= MOST_TRIED) this.#tried.clear();
    this.#tried.add(toName(workerId, input));
    const counts = this.#of(workerId);
    if (inputTokens === undefined || inputTokens <= 0) counts.restsUntil = now + REST_MS;
    else remember(counts, `counted ${this.#tried.size}`, input, inputTokens);
  }

  #of(workerId: string): WorkerCounts {
    let counts = this.#workers.get(workerId);
    if (!counts) {
      if (this.#workers.size >= MOST_WORKERS) this.#workers.delete(this.#workers.keys().next().value!);
      counts = { requests: new Map(), density: undefined, restsUntil: 0 };
      this.#workers.set(workerId, counts);
    }
    return counts;
  }
}

function remember(
  { requests }: WorkerCounts,
  name: string,
  { parts }: BoundInput,
  inputTokens: number,
): void {
  const keys = new Set(parts.map(({ key }) => key));
  requests.delete(name);
  requests.set(name, { inputTokens, keys });
  if (requests.size > MOST_REQUESTS) requests.delete(requests.keys().next().value!);
}

function boundBy({ inputTokens, keys }: Counted, { parts, boundTokens: whole }: BoundInput): number {
  let rest = whole;
  let hidden = 0;
  let isShared = false;
  for (const { key, boundTokens, hiddenBytes } of parts) {
    if (keys.has(key)) {
      rest -= boundTokens;
      isShared = true;
    } else hidden += hiddenBytes;
  }
  if (!isShared) return Number.POSITIVE_INFINITY;
  return Math.ceil(inputTokens * (1 + SLACK_SHARE)) + SLACK_TOKENS + Math.max(0, rest) + hidden;
}

function toName(workerId: string, { boundTokens, parts }: BoundInput): string {
  return hash("sha1", [workerId, boundTokens, ...parts.map(({ key }) => key)].join(" "), "base64");
}
