// Parts of a reply on their way from the socket to whoever reads them: what a ReadableStream does, at a
// tenth of its price. Deltas of the same kind that arrived together are handed out as one, because each
// costs everybody downstream the same, however short it is.

import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";

type Delta = Extract<LanguageModelV3StreamPart, { type: "text-delta" | "reasoning-delta" }>;
type ReadResult = { done: false; value: LanguageModelV3StreamPart } | { done: true; value: undefined };

export class PartQueue {
  #parts: LanguageModelV3StreamPart[] = [];
  #end: { error?: unknown } | undefined;
  #waiting: { resolve: (result: ReadResult) => void; reject: (error: unknown) => void } | undefined;
  readonly #onEmpty: () => void;

  /** `onEmpty` is called when everything has been read: more may come. */
  constructor(onEmpty: () => void) {
    this.#onEmpty = onEmpty;
  }

  get isEnded(): boolean {
    return this.#end !== undefined;
  }

  addDelta(type: Delta["type"], delta: string): void {
    if (this.#end || delta === "") return;
    const last = this.#parts.at(-1);
    if (last?.type === type) last.delta += delta;
    else this.#parts.push({ type, id: "0", delta });
  }

  add(part: LanguageModelV3StreamPart): void {
    if (!this.#end) this.#parts.push(part);
  }

  /** Nothing comes after this; with an error, reading fails once the parts before it have been read. */
  end(failure: { error?: unknown } = {}): void {
    this.#end ??= failure;
  }

  /** Wakes the reader. Not done at each part, so that those of one piece of the body can become one. */
  flush(): void {
    const waiting = this.#waiting;
    if (!waiting || (this.#parts.length === 0 && !this.#end)) return;
    this.#waiting = undefined;
    this.#take(waiting.resolve, waiting.reject);
  }

  /** As with a stream, one read at a time. */
  read(): Promise<ReadResult> {
    return new Promise((resolve, reject) => {
      if (this.#parts.length > 0 || this.#end) this.#take(resolve, reject);
      else this.#waiting = { resolve, reject };
    });
  }

  #take(resolve: (result: ReadResult) => void, reject: (error: unknown) => void): void {
    const value = this.#parts.shift();
    if (value) {
      resolve({ done: false, value });
      if (this.#parts.length === 0) this.#onEmpty();
    } else if (this.#end && "error" in this.#end) reject(this.#end.error);
    else resolve({ done: true, value: undefined });
  }
}
