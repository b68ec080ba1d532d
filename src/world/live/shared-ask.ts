// One ask that several listen to: it runs once, each listener gets all of it from its beginning. It is
// stopped when nobody listens any more, and not when one of several leaves.

import { TuttiError } from "../../base/errors.ts";
import type { WorkerEvent } from "../../worker/types.ts";

type PerformAsk = (signal: AbortSignal, tell: (event: WorkerEvent) => void) => Promise<void>;

export class SharedAsk {
  readonly #worker: string;
  readonly #controller = new AbortController();
  readonly #onEnd: () => void;
  readonly #events: WorkerEvent[] = [];
  #waiting: (() => void)[] = [];
  #listeners = 0;
  #isOver = false;
  #failure: { error: unknown } | undefined;

  /** `onEnd` is called once: when it is over, or at once when everybody has left. */
  constructor(worker: string, perform: PerformAsk, onEnd: () => void) {
    this.#worker = worker;
    this.#onEnd = onEnd;
    void this.#run(perform);
  }

  async *listen(signal: AbortSignal): AsyncIterable<WorkerEvent> {
    const wake = () => this.#wake();
    this.#listeners++;
    signal.addEventListener("abort", wake);
    try {
      for (let heard = 0; ; ) {
        if (signal.aborted) throw new TuttiError("aborted", `Worker "${this.#worker}" was stopped.`);
        const event = this.#events[heard];
        if (event) {
          heard++;
          yield event;
        } else if (this.#isOver) {
          if (this.#failure) throw this.#failure.error;
          return;
        } else {
          await new Promise<void>((resolve) => this.#waiting.push(resolve));
        }
      }
    } finally {
      signal.removeEventListener("abort", wake);
      if (--this.#listeners === 0 && !this.#isOver) {
        this.#end();
        this.#controller.abort();
      }
    }
  }

  async #run(perform: PerformAsk): Promise<void> {
    try {
      await perform(this.#controller.signal, (event) => {
        this.#events.push(event);
        this.#wake();
      });
    } catch (error) {
      this.#failure = { error };
    }
    this.#end();
    this.#wake();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onEnd();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
