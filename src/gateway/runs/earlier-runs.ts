// The earlier runs that requests go on from. A request of some bytes may name one of megabytes, so one of a key is read at
// a time, and one whose size is known not before there is room for what would be held (access/held-bytes.ts). A run that goes on
// is in memory after its first turn and is taken from there: out of the thread that reads large journals it would come as a
// copy, and of a copy everything is read and compared anew.

import { setTimeout as wait } from "node:timers/promises";
import { createGate, type Gate } from "../../base/gate.ts";
import type { RunEvent, Store } from "../../store/types.ts";
import { type HeldBytes, sizeOfAll } from "../access/held-bytes.ts";
import type { GatewayKey } from "../access/keys.ts";
import { LARGE_BODY_BYTES } from "../access/request-limits.ts";
import type { PastReader } from "../reads/reader.ts";

const MOST_SIZES = 10_000;
/** What goes on from a large one takes some tens of milliseconds here: everybody else has this much more before the next. */
const PACE = 2;

export class EarlierRuns {
  readonly #store: Pick<Store, "loadRun" | "isAtHand">;
  readonly #reader: Pick<PastReader, "read">;
  readonly #held: HeldBytes;
  readonly #gates = new Map<string, Gate>();
  /** Of those that were read, by their ids. */
  readonly #sizes = new Map<string, number>();
  #isPaced: Promise<unknown> = Promise.resolve();

  constructor(store: Pick<Store, "loadRun" | "isAtHand">, reader: Pick<PastReader, "read">, held: HeldBytes) {
    this.#store = store;
    this.#reader = reader;
    this.#held = held;
  }

  /** Empty where there is none. Whose it is, the caller looks at: an admin goes on with its own runs only. */
  async load(key: GatewayKey | undefined, id: string): Promise<RunEvent[]> {
    const name = key?.id ?? "";
    const gate = this.#gates.get(name) ?? createGate(1);
    this.#gates.set(name, gate);
    try {
      return await gate.enter(async () => {
        this.#held.check(key, this.#sizes.get(id) ?? 0);
        await this.#isPaced;
        const startedAt = performance.now();
        const isAtHand = this.#store.isAtHand?.(id) ?? false;
        const events = await (isAtHand ? this.#store.loadRun(id) : this.#reader.read(key, "loadRun", id));
        const size = sizeOfAll(events);
        if (this.#sizes.size >= MOST_SIZES) this.#sizes.clear();
        this.#sizes.set(id, size);
        if (size > LARGE_BODY_BYTES)
          this.#isPaced = wait(PACE * (performance.now() - startedAt), undefined, { ref: false });
        return events;
      });
    } finally {
      if (gate.running === 0) this.#gates.delete(name);
    }
  }
}
