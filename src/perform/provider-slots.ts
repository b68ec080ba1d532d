// How many calls of one provider, and of one key, are under way at the same time: whoever wants one more waits for its turn, and
// that is no silence of the worker's. Here within one process, first come, first served; several gateways on one Postgres count together
// (gateway/service/shared-slots.ts).

import type { Worker } from "../worker/types.ts";

export interface Slots {
  /** Waits until less than `most` calls of this name are under way. Rejects only where it is aborted. */
  enter(name: string, most: number, signal: AbortSignal): Promise<() => void>;
}

/** `keyId`: of the key that pays. Call what is returned when the call is over. Undefined: there is no limit, and nothing to wait for. */
export type EnterProvider = (
  worker: Worker,
  signal: AbortSignal,
  keyId?: string,
) => Promise<() => void> | undefined;

/** A turn in each of these lines, one after the other: whoever waits in a later one holds its place in those before. */
export async function enterAll(
  slots: Slots,
  lines: readonly { name: string; most: number }[],
  signal: AbortSignal,
): Promise<() => void> {
  const leaves: (() => void)[] = [];
  const leaveAll = () => {
    for (const leave of leaves.reverse()) leave();
  };
  try {
    for (const { name, most } of lines) leaves.push(await slots.enter(name, most, signal));
    return leaveAll;
  } catch (error) {
    leaveAll();
    throw error;
  }
}

export function createLocalSlots(): Slots {
  const byName = new Map<string, { running: number; waiting: Set<() => void> }>();

  return {
    enter(name, most, signal) {
      const slots = byName.get(name) ?? { running: 0, waiting: new Set() };
      byName.set(name, slots);
      const { waiting } = slots;
      return new Promise((resolve, reject) => {
        const begin = () => {
          signal.removeEventListener("abort", give);
          waiting.delete(begin);
          slots.running++;
          resolve(once(leave));
        };
        const give = () => {
          waiting.delete(begin);
          reject(signal.reason);
        };
        const leave = () => {
          slots.running--;
          const [next] = waiting;
          next?.();
        };
        if (signal.aborted) return give();
        if (slots.running < most) return begin();
        signal.addEventListener("abort", give, { once: true });
        waiting.add(begin);
      });
    },
  };
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}
