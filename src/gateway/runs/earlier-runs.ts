// The earlier runs that requests go on from. A request of some bytes may name one of megabytes, so one of a key is read at
// a time, and one whose size is known not before there is room for what would be held (access/held-bytes.ts).

import { createGate, type Gate } from "../../base/gate.ts";
import type { RunEvent } from "../../store/types.ts";
import { type HeldBytes, sizeOf } from "../access/held-bytes.ts";
import type { GatewayKey } from "../access/keys.ts";
import type { PastReader } from "../reads/reader.ts";

const MOST_SIZES = 10_000;

export class EarlierRuns {
  readonly #reader: Pick<PastReader, "read">;
  readonly #held: HeldBytes;
  readonly #gates = new Map<string, Gate>();
  /** Of those that were read, by their ids. */
  readonly #sizes = new Map<string, number>();

  constructor(reader: Pick<PastReader, "read">, held: HeldBytes) {
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
        const events = await this.#reader.read(key, "loadRun", id);
        if (this.#sizes.size >= MOST_SIZES) this.#sizes.clear();
        this.#sizes.set(id, sizeOf(events));
        return events;
      });
    } finally {
      if (gate.running === 0) this.#gates.delete(name);
    }
  }
}
