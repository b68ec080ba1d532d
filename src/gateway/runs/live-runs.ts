// Runs while they are performed here. The events of a run are kept once, and any number of readers follow them,
// each at its own pace and from any point: the client that asked, a repeat of the request that joined, the
// dashboard. A slow reader holds nothing up and has no buffer of its own.
// A run whose last reader has left is stopped, unless it is to go on.

import type { Run } from "../../perform/run.ts";
import type { RunEvent } from "../../store/types.ts";
import type { RunStream } from "../../tutti/tutti.ts";

/**
 * A client that was cut off comes back within this time and joins: the SDKs of OpenAI and Anthropic wait for 375 to
 * 500 ms before their first repeat. Upstream calls end within a second all the same.
 */
const PATIENCE_MS = 600;

export interface LiveRunOptions {
  /** It is performed to its end even when nobody reads: background, or an idempotency key. */
  goesOn: boolean;
  stop: () => void;
}

export class LiveRun {
  readonly runId: string;
  /** Settles when the run is over. Rejects where it could not even begin. */
  readonly result: Promise<Run>;
  readonly events: RunEvent[] = [];
  goesOn: boolean;
  #isOver = false;
  #isStopped = false;
  #waiting: (() => void)[] = [];
  #readers = 0;
  #leaving: NodeJS.Timeout | undefined;
  readonly #stop: () => void;

  constructor(stream: RunStream, { goesOn, stop }: LiveRunOptions) {
    this.runId = stream.runId;
    this.goesOn = goesOn;
    this.#stop = stop;
    this.result = this.#follow(stream);
    this.result.catch(() => {});
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** What has come since position `from`, at least one event; undefined when there is nothing more to come. */
  async next(from: number): Promise<readonly RunEvent[] | undefined> {
    while (this.events.length <= from) {
      if (this.#isOver) return undefined;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    return this.events.slice(from);
  }

  /** A reader begins to follow. Call what is returned when it is done or gone. */
  attach(): () => void {
    this.#readers++;
    clearTimeout(this.#leaving);
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      this.#readers--;
      if (this.#readers > 0 || this.#isOver || this.goesOn) return;
      this.#leaving = setTimeout(() => this.stop(), PATIENCE_MS);
    };
  }

  /** It was told to end: whoever asks the same now wants it whole. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  stop(): void {
    this.#isStopped = true;
    this.#stop();
  }

  async #follow(stream: RunStream): Promise<Run> {
    try {
      for await (const event of stream) {
        this.events.push(event);
        this.#wake();
      }
      return await stream.result;
    } finally {
      this.#isOver = true;
      clearTimeout(this.#leaving);
      this.#wake();
    }
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

/** A run that is over, as if it ended just now: its answer comes at once, after the events that are given. */
export function replay(run: Run, events: readonly RunEvent[] = []): LiveRun {
  async function* again(): AsyncGenerator<RunEvent> {
    yield* events;
  }
  const stream = { runId: run.id, result: Promise.resolve(run), [Symbol.asyncIterator]: again };
  return new LiveRun(stream, { goesOn: true, stop: () => {} });
}

/** Those that are running, by the id of the run. */
export class LiveRuns {
  readonly #byId = new Map<string, LiveRun>();

  add(run: LiveRun): LiveRun {
    this.#byId.set(run.runId, run);
    const forget = () => {
      if (this.#byId.get(run.runId) === run) this.#byId.delete(run.runId);
    };
    run.result.then(forget, forget);
    return run;
  }

  find(runId: string): LiveRun | undefined {
    return this.#byId.get(runId);
  }

  /** Ends it, if it is performed here: what it has so far is its answer. */
  async stop(runId: string): Promise<void> {
    const live = this.#byId.get(runId);
    live?.stop();
    await live?.result.catch(() => {});
  }

  get size(): number {
    return this.#byId.size;
  }

  all(): LiveRun[] {
    return [...this.#byId.values()];
  }
}
