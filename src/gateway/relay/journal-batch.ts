// Where relayed requests are journaled: many at a time, because a transaction costs more than the few rows of a
// run, and the client has its reply already. Covered: whoever reads runs or bills through this gateway sees all
// that has ended, and so does its end. Not covered: a process that is killed loses those of its last instant.

import type { RunEvent, Store } from "../../store/types.ts";

/** As long as runs may be missing after a kill. */
const GATHER_MS = 20;

export class JournalBatch {
  readonly #store: Store;
  readonly #observe: ((event: RunEvent) => void) | undefined;
  #gathered: RunEvent[] = [];
  #written: Promise<void> | undefined;
  #write = () => {};

  constructor(store: Store, observe?: (event: RunEvent) => void) {
    this.#store = store;
    this.#observe = observe;
  }

  /** Done when it is in the journal. Rejects as the journal does. */
  add(events: RunEvent[]): Promise<void> {
    for (const event of events) this.#gathered.push(event);
    this.#written ??= new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => this.#write(), GATHER_MS);
      this.#write = () => {
        clearTimeout(timer);
        const gathered = this.#gathered;
        this.#gathered = [];
        this.#written = undefined;
        this.#write = () => {};
        Promise.resolve(this.#store.append(gathered)).then(() => {
          if (this.#observe) gathered.forEach(this.#observe);
          resolve();
        }, reject);
      };
    });
    return this.#written;
  }

  /** What was added before is in the journal, or its writer has heard why not. */
  async flush(): Promise<void> {
    const written = this.#written;
    this.#write();
    await written?.catch(() => {});
  }
}
