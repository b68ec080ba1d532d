// How many calls of one provider, or of one key, are under way over all gateways: a place for each, exactly so many. Those that wait at one
// gateway are asked for together, in the order in which they came; of two gateways that wait the one that asks first has the
// place. While nobody waits, a call asks once and gives its place back once.

import { randomUUID } from "node:crypto";
import type { Slots } from "../../perform/provider-slots.ts";
import type { PostgresConnection } from "../../store/postgres/connection.ts";
import { createPlaceReturns } from "./place-returns.ts";

/** Places become free at other gateways, and nobody here hears of it. */
const LOOK_MS = 50;
/** Asked for at once. */
const MOST_ASKED = 100;

interface Waiting {
  id: string;
  resolve(leave: () => void): void;
}

interface Line {
  waiting: Waiting[];
  isAsking: boolean;
  /** A place was given back here. */
  wake?: () => void;
}

export function createSharedSlots({
  connection,
  id: owner,
}: {
  connection: Pick<PostgresConnection, "query">;
  id: string;
}): Slots {
  const lines = new Map<string, Line>();
  const giveBack = createPlaceReturns(connection);

  async function serve(name: string, line: Line, most: number): Promise<void> {
    line.isAsking = true;
    while (line.waiting.length > 0) {
      const asked = line.waiting.slice(0, MOST_ASKED);
      const granted = await ask(name, most, asked).catch(() => 0);
      for (const [i, { id, resolve }] of asked.entries()) {
        const at = line.waiting.findIndex((each) => each.id === id);
        // Stopped meanwhile: it may have a place, also where the answer was lost.
        if (at < 0) void giveBack(id);
        else if (i < granted) {
          line.waiting.splice(at, 1);
          resolve(() => void leave(line, id));
        }
      }
      if (line.waiting.length > 0 && granted < asked.length) await pause(line);
    }
    line.isAsking = false;
  }

  async function ask(name: string, most: number, asked: readonly Waiting[]): Promise<number> {
    const rows = await connection.query<{ granted: number }>(
      "SELECT granted FROM enter_gate($1, NULL, $2, $3::uuid[], $4)",
      [name, most, asked.map(({ id }) => id), owner],
    );
    return rows[0]!.granted;
  }

  async function leave(line: Line, id: string): Promise<void> {
    await giveBack(id);
    line.wake?.();
  }

  return {
    enter(name, most, signal) {
      const line = lines.get(name) ?? { waiting: [], isAsking: false };
      lines.set(name, line);
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const id = randomUUID();
        const stop = () => {
          line.waiting = line.waiting.filter((each) => each.id !== id);
          // The answer to an earlier question may have been lost.
          void giveBack(id);
          reject(signal.reason);
        };
        signal.addEventListener("abort", stop, { once: true });
        line.waiting.push({
          id,
          resolve(leave) {
            signal.removeEventListener("abort", stop);
            resolve(leave);
          },
        });
        if (!line.isAsking) void serve(name, line, most);
      });
    },
  };
}

function pause(line: Line): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      clearTimeout(timer);
      line.wake = undefined;
      resolve();
    };
    const timer = setTimeout(go, LOOK_MS);
    line.wake = go;
  });
}
