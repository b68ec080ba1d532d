// Events of what was paid for that could not be journaled, kept until they can be: a disk that is full now has room later.
// Covered: a journal that fails for a while. Not covered: a process that ends meanwhile; what it had reserved then counts
// as spent (gateway/access/lost-reservations.ts). A run that another process has taken meanwhile is left as it is: that one has
// counted what was under way.

import { isTuttiError } from "../base/errors.ts";
import type { Owner, RunEvent, Store } from "./types.ts";

const AGAIN_MS = 1_000;
/** A relayed request is six events. Beyond this nothing more should be asked of anybody. */
const MOST_EVENTS = 10_000;

interface Waiting {
  events: RunEvent[];
  /** Who has claimed their run, and has it no more when they are written. */
  owner?: Owner;
  written: Promise<void>;
  resolve: () => void;
}

export class JournalBacklog {
  readonly #store: () => Promise<Store>;
  #waiting: Waiting[] = [];
  #events = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;

  constructor(store: () => Promise<Store>) {
    this.#store = store;
  }

  /** So much waits that nothing more should be started. */
  get isFull(): boolean {
    return this.#events >= MOST_EVENTS;
  }

  get size(): number {
    return this.#events;
  }

  /** Resolves when they are in the journal; never rejects. */
  add(events: RunEvent[], owner?: Owner): Promise<void> {
    let resolve = () => {};
    const written = new Promise<void>((done) => {
      resolve = done;
    });
    this.#waiting.push({ events, owner, written, resolve });
    this.#events += events.length;
    this.#tryLater();
    return written;
  }

  /** When all of this run that waits is in the journal. Undefined: nothing waits. */
  written(runId: string): Promise<void> | undefined {
    return this.#waiting.findLast(({ events }) => events.some((event) => event.runId === runId))?.written;
  }

  /** Tries now. What still cannot be written stays. */
  flush(): Promise<void> {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    try {
      const store = await this.#store();
      for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
        await writeTo(store, next);
        this.#waiting.shift();
        this.#events -= next.events.length;
        next.resolve();
      }
    } catch {
      this.#tryLater();
    }
  }

  #tryLater(): void {
    this.#timer ??= setTimeout(() => void this.flush(), AGAIN_MS).unref();
  }
}

async function writeTo(store: Store, { events, owner }: Waiting): Promise<void> {
  try {
    await store.append(events, owner);
  } catch (error) {
    if (!isTuttiError(error) || error.code !== "run-busy") throw error;
  }
  if (owner)
    for (const runId of new Set(events.map((event) => event.runId))) await store.release(runId, owner);
}
