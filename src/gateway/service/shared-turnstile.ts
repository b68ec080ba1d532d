// The rate and the places of keys, counted by all gateways together: exactly, by the clock of the server. No sixty seconds hold
// more requests than a key may make; each counts up to a quarter of a second longer than it must. A key without such limits
// asks nobody. Requests of one key that come while a question is under way are asked for together in the next one, so however
// many there are, each gateway has one question a key at a time; and who has spent the minute is not asked for until it is over.
// Places of a gateway that died are free when that is noticed (../../durable/executors.ts).

import { randomUUID } from "node:crypto";
import type { PostgresConnection } from "../../store/postgres/connection.ts";
import type { GatewayKey } from "../access/keys.ts";
import type { Entry, RateUse, Turnstile } from "../access/turnstile.ts";
import { createPlaceReturns } from "./place-returns.ts";

const LOOK_AGAIN_MS = 30;

interface Granted {
  granted: number;
  slot: number;
  used: number;
  running: number;
  waitMs: number;
  resetMs: number;
}

interface Waiting {
  id: string;
  resolve(entry: Entry): void;
  reject(error: unknown): void;
}

interface Gate {
  waiting: Waiting[];
  isAsking: boolean;
  use?: { count: number; until: number };
  /** Until then the minute is spent. */
  spentUntil: number;
}

export interface TurnstileOptions {
  connection: Pick<PostgresConnection, "query">;
  /** Whose places they are. */
  owner: string;
  now?: () => number;
}

export function createSharedTurnstile({
  connection,
  owner,
  now = () => performance.now(),
}: TurnstileOptions): Turnstile {
  const { query } = connection;
  const gates = new Map<string, Gate>();
  const giveBack = createPlaceReturns(connection);

  function gateOf({ id }: GatewayKey): Gate {
    const gate = gates.get(id) ?? { waiting: [], isAsking: false, spentUntil: 0 };
    gates.set(id, gate);
    return gate;
  }

  async function ask(key: GatewayKey, gate: Gate): Promise<void> {
    gate.isAsking = true;
    while (gate.waiting.length > 0) {
      const asked = gate.waiting;
      gate.waiting = [];
      try {
        answer(key, gate, asked, await enter(key, asked));
      } catch (error) {
        // They may have been let in, and the answer was lost.
        if (key.concurrency !== undefined) void giveBack(...asked.map(({ id }) => id));
        for (const each of asked) each.reject(error);
      }
    }
    gate.isAsking = false;
  }

  async function enter(
    { id, requestsPerMinute, concurrency }: GatewayKey,
    asked: readonly Waiting[],
  ): Promise<Granted> {
    const rows = await query<Granted>("SELECT * FROM enter_gate($1, $2, $3, $4::uuid[], $5)", [
      ...[id, requestsPerMinute ?? null, concurrency ?? null],
      ...[asked.map((each) => each.id), owner],
    ]);
    return rows[0]!;
  }

  function answer(
    key: GatewayKey,
    gate: Gate,
    asked: readonly Waiting[],
    { granted, slot, used, waitMs, resetMs }: Granted,
  ): void {
    const at = now();
    gate.use = { count: used, until: at + resetMs };
    const isSpent = key.requestsPerMinute !== undefined && used >= key.requestsPerMinute;
    if (waitMs > 0) gate.spentUntil = at + waitMs;
    for (const [i, { id, resolve }] of asked.entries()) {
      if (i < granted) resolve(toEntry(key, gate, id, slot));
      // The minute was spent by those before it.
      else if (isSpent) resolve({ ok: false, reason: "rate", waitMs });
      else resolve({ ok: false, reason: "places" });
    }
  }

  function toEntry(key: GatewayKey, gate: Gate, id: string, slot: number): Entry {
    const leave = () => {
      if (key.concurrency !== undefined) void giveBack(id);
    };
    return {
      ok: true,
      leave,
      undo() {
        leave();
        gate.spentUntil = 0;
        if (gate.use) gate.use.count--;
        if (key.requestsPerMinute === undefined) return;
        // What is lost here is let in later than it might be.
        query("UPDATE admissions SET count = count - 1 WHERE name = $1 AND slot = $2", [key.id, slot]).catch(
          () => {},
        );
      },
    };
  }

  return {
    lookAgainMs: LOOK_AGAIN_MS,
    enter(key) {
      if (key.requestsPerMinute === undefined && key.concurrency === undefined)
        return { ok: true, leave() {}, undo() {} };
      const gate = gateOf(key);
      const waitMs = gate.spentUntil - now();
      if (waitMs > 0) return { ok: false, reason: "rate", waitMs };
      return new Promise<Entry>((resolve, reject) => {
        gate.waiting.push({ id: randomUUID(), resolve, reject });
        if (!gate.isAsking) void ask(key, gate);
      });
    },
    useOf(key): RateUse | undefined {
      const { use } = gates.get(key.id) ?? {};
      const resetMs = use ? use.until - now() : 0;
      return use && resetMs > 0 ? { count: use.count, resetMs } : undefined;
    },
  };
}
