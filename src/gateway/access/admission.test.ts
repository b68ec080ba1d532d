import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { TuttiError } from "../../base/errors.ts";
import { createRandom } from "../../base/random.ts";
import { createMemoryStore } from "../../store/memory.ts";
import { toReserved } from "../../store/reservation.ts";
import { event, spending, toWorkflow } from "../../testing/run-events.ts";
import { type Admission, type AdmissionOptions, createAdmissionControl } from "./admission.ts";
import type { GatewayKey } from "./keys.ts";

const START = Date.UTC(2026, 10, 17, 12); // a Tuesday
const toKey = (settings: Partial<GatewayKey>): GatewayKey => ({
  ...{ id: "key_00000000", name: "ci", hash: "", hint: "", createdAt: 0, isAdmin: false },
  ...settings,
});

const OWNER = { id: "o_1", pid: 1, host: "here" };
const log = { error: () => {} };

/** A gate with a clock and a ledger in hand. */
function setUp() {
  const state = { now: START, spent: 0, froms: [] as number[], reserved: new Map<string, number>() };
  const reservedUsd = () => [...state.reserved.values()].reduce((sum, usd) => sum + usd, 0);
  const store: AdmissionOptions["store"] = {
    async reserve(request) {
      state.froms.push(request.from);
      const account = { spentUsd: state.spent, reservedUsd: reservedUsd() };
      const usd = toReserved(request, account);
      if (usd === undefined) return { ok: false, ...account };
      const id = `m_${state.froms.length}`;
      state.reserved.set(id, usd);
      return { ok: true, id, usd };
    },
    async unreserve(id) {
      state.reserved.delete(id);
    },
  };
  const gate = createAdmissionControl({ now: () => state.now, store, owner: OWNER, log });
  return Object.assign(state, { gate, store, reservedUsd });
}
/** What a request wants. */
const want = (usd?: number) => ({ runId: "r_1", usd });
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => {
      throw new Error("it was let in");
    },
    (error) => error,
  );

describe("without a key or limits", () => {
  it("lets everybody in, with what they want and no headers", async () => {
    const { gate } = setUp();
    expect(await gate.admit(undefined, want())).toEqual({ headers: {}, release: expect.any(Function) });
    expect(await gate.admit(undefined, want(0.5))).toMatchObject({ budgetUsd: 0.5, headers: {} });
    const admission = await gate.admit(toKey({}), want());
    expect(admission.budgetUsd).toBeUndefined();
    expect(admission.headers).toEqual({});
  });
});

describe("the rate", () => {
  it("lets in as many as a minute may have, and says when there is the next place", async () => {
    const world = setUp();
    const key = toKey({ requestsPerMinute: 2 });
    const first = await world.gate.admit(key, want(1));
    expect(first.headers).toEqual({
      "x-ratelimit-limit-requests": "2",
      "x-ratelimit-remaining-requests": "1",
      "x-ratelimit-reset-requests": "1m0s",
    });
    world.now += 20_500;
    expect((await world.gate.admit(key, want(1))).headers["x-ratelimit-remaining-requests"]).toBe("0");
    const error = await refusal(world.gate.admit(key, want(1)));
    expect(error).toMatchObject({ code: "rate-limited", status: 429, retryable: true, retryAfterMs: 39_500 });
    expect(error.message).toBe('API key "ci" may make 2 requests a minute. The next one in 40 s.');
    world.now += 39_499;
    expect(await refusal(world.gate.admit(key, want(1)))).toMatchObject({ retryAfterMs: 1 });
    expect(world.gate.headers(key)["x-ratelimit-reset-requests"]).toBe("20.501s");
    world.now += 1;
    await world.gate.admit(key, want(1));
  });

  it("never exceeds the limit in any sixty seconds, and never keeps out whom it need not", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 6 }),
        fc.array(fc.integer({ min: 0, max: 25_000 }), { maxLength: 80 }),
        async (limit, pauses) => {
          const world = setUp();
          const key = toKey({ requestsPerMinute: limit });
          const times: number[] = [];
          for (const pause of pauses) {
            world.now += pause;
            const inWindow = times.filter((time) => time > world.now - 60_000).length;
            const isIn = await world.gate.admit(key, want(1)).then(
              () => true,
              () => false,
            );
            expect(isIn).toBe(inWindow < limit);
            if (isIn) times.push(world.now);
          }
        },
      ),
      { seed: 5, numRuns: 300 },
    );
  });

  it("keeps nobody waiting for longer than a minute after the clock was set back", async () => {
    const world = setUp();
    const key = toKey({ requestsPerMinute: 1 });
    await world.gate.admit(key, want(1));
    world.now -= 3_600_000;
    expect(await refusal(world.gate.admit(key, want(1)))).toMatchObject({ retryAfterMs: 60_000 });
    world.now += 60_000;
    await world.gate.admit(key, want(1));
  });

  it("is right for many requests, and after the limit was lowered", async () => {
    const world = setUp();
    for (let i = 0; i < 2_000; i++) {
      await world.gate.admit(toKey({ requestsPerMinute: 1_000 }), want(1));
      world.now += 60;
    }
    expect(await refusal(world.gate.admit(toKey({ requestsPerMinute: 999 }), want(1)))).toMatchObject({
      retryAfterMs: 60,
    });
    expect(world.gate.headers(toKey({ requestsPerMinute: 5 }))).toMatchObject({
      "x-ratelimit-remaining-requests": "0",
    });
  });

  it("takes no place for a request that is refused for another reason", async () => {
    const world = setUp();
    const key = toKey({ requestsPerMinute: 2, concurrency: 1, budget: { usd: 1, window: "day" } });
    world.spent = 1;
    for (let i = 0; i < 5; i++)
      expect(await refusal(world.gate.admit(key, want(1)))).toMatchObject({ code: "budget-spent" });
    world.spent = 0;
    const { release } = await world.gate.admit(key, want(1));
    for (let i = 0; i < 5; i++)
      expect((await refusal(world.gate.admit(key, want(1)))).message).toContain("at once");
    release();
    await world.gate.admit(key, want(1));
    expect((await refusal(world.gate.admit({ ...key, concurrency: 9 }, want(1)))).message).toContain(
      "a minute",
    );
  });
});

describe("how many at once", () => {
  it("is kept by each key for itself, and a place is given back once", async () => {
    const { gate } = setUp();
    const key = toKey({ concurrency: 1 });
    const { release } = await gate.admit(key, want());
    const error = await refusal(gate.admit(key, want()));
    expect(error).toMatchObject({ code: "rate-limited", status: 429, retryAfterMs: 1_000 });
    expect(error.message).toBe('API key "ci" may have 1 request running at once.');
    await gate.admit(toKey({ id: "key_other000", concurrency: 1 }), want());
    release();
    release();
    await gate.admit(key, want());
    await refusal(gate.admit(key, want()));
  });
});

describe("the money", () => {
  const key = toKey({ budget: { usd: 5, window: "day" } });

  it("caps a request at what is left after what others have reserved", async () => {
    const world = setUp();
    world.spent = 2;
    expect((await world.gate.admit(key, want(1))).budgetUsd).toBe(1);
    expect((await world.gate.admit(key, want(1.5))).budgetUsd).toBe(1.5);
    expect(world.reservedUsd()).toBe(2.5);
    expect((await world.gate.admit(key, want())).budgetUsd).toBe(0.5);
    const error = await refusal(world.gate.admit(key, want(1)));
    expect(error).toMatchObject({ code: "rate-limited", retryAfterMs: 1_000 });
    expect(error.message).toContain("is reserved for requests that are running");
  });

  it.each([
    ["day", "$5 a day. It begins anew at 2026-11-18T00:00:00.000Z.", "2026-11-17"],
    ["week", "$5 a week. It begins anew at 2026-11-23T00:00:00.000Z.", "2026-11-16"],
    ["month", "$5 a month. It begins anew at 2026-12-01T00:00:00.000Z.", "2026-11-01"],
    ["total", "$5 in total. It does not begin anew", "1970-01-01"],
  ] as const)("says so when that of a %s is spent", async (window, text, from) => {
    const world = setUp();
    world.spent = 5;
    const error = await refusal(world.gate.admit(toKey({ budget: { usd: 5, window } }), want(1)));
    expect(error).toMatchObject({ code: "budget-spent", status: 429, retryable: false });
    expect(error.message).toContain(text);
    expect(world.froms).toEqual([Date.parse(from)]);
  });

  it("counts weeks from Monday and months to their ends, also over the year", async () => {
    const world = setUp();
    world.now = Date.UTC(2027, 0, 3, 23, 59); // a Sunday
    await world.gate.admit(toKey({ budget: { usd: 5, window: "week" } }), want(1));
    world.now += 60_000;
    await world.gate.admit(toKey({ budget: { usd: 5, window: "week" } }), want(1));
    expect(world.froms).toEqual([Date.parse("2026-12-28"), Date.parse("2027-01-04")]);
    world.spent = 9;
    world.now = Date.UTC(2026, 11, 31);
    const error = await refusal(world.gate.admit(toKey({ budget: { usd: 5, window: "month" } }), want(1)));
    expect(error.message).toContain("2027-01-01T00:00:00.000Z");
  });

  it("begins anew with the window", async () => {
    const world = setUp();
    world.spent = 5;
    await refusal(world.gate.admit(key, want(1)));
    world.spent = 0;
    world.now = Date.UTC(2026, 10, 18);
    expect((await world.gate.admit(key, want(1))).budgetUsd).toBe(1);
  });

  it("is refused where less is left than is of any use, and kept for others", async () => {
    const world = setUp();
    world.spent = 4;
    const error = await refusal(world.gate.admit(key, { ...want(2), leastUsd: 1.5 }));
    expect(error).toMatchObject({ code: "budget-spent", retryable: false });
    expect(error.message).toContain("($1.0000) is less than the longest reply could cost ($1.5000)");
    const other = await world.gate.admit(key, want(0.5));
    expect(await refusal(world.gate.admit(key, { ...want(1), leastUsd: 1 }))).toMatchObject({
      code: "rate-limited",
      retryable: true,
    });
    other.release();
    expect((await world.gate.admit(key, { ...want(1), leastUsd: 1 })).budgetUsd).toBe(1);
  });

  it("stays reserved until what was spent is in the journal; the place is free before", async () => {
    const world = setUp();
    const one = { ...key, concurrency: 1 };
    let write = () => {};
    const written = new Promise<void>((resolve) => {
      write = resolve;
    });
    (await world.gate.admit(one, want(4))).release(written);
    const next = await world.gate.admit(one, want());
    expect(next).toMatchObject({ budgetUsd: 1, isShort: true });
    next.release();
    write();
    await written;
    expect((await world.gate.admit(one, want())).budgetUsd).toBe(5);
  });

  it("lets nobody with a budget in when the journal cannot be written, and everybody else", async () => {
    const store = {
      ...setUp().store,
      reserve: () => Promise.reject(new TuttiError("journal-failed", "disk")),
    };
    const gate = createAdmissionControl({ now: () => START, store, owner: OWNER, log });
    const error = await refusal(gate.admit(key, want(1)));
    expect(error).toMatchObject({ code: "overloaded", status: 503, retryable: true, retryAfterMs: 5_000 });
    expect(error.message).not.toContain("disk");
    await gate.admit(toKey({}), want(1));
  });

  it("that cannot be released yet stays reserved and is tried again", async () => {
    vi.useFakeTimers();
    try {
      const world = setUp();
      let fails = 2;
      const { unreserve } = world.store;
      world.store.unreserve = (id) => (fails-- > 0 ? Promise.reject(new Error("disk")) : unreserve(id));
      (await world.gate.admit(key, want(4))).release();
      await vi.advanceTimersByTimeAsync(1_500);
      expect(world.reservedUsd()).toBe(4);
      await vi.advanceTimersByTimeAsync(1_500);
      expect(world.reservedUsd()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("with the journal", () => {
  it("counts what the key's runs of this window took, and nobody else's", async () => {
    const store = createMemoryStore();
    const gate = createAdmissionControl({ now: () => START, store, owner: OWNER, log });
    const append = (runId: string, keyId: string, at: number, costUsd: number) =>
      store.append(
        [
          { ...event.start(["openai/a"]), origin: { model: "tutti", dialect: "chat" as const, keyId } },
          event.planEnd(toWorkflow([0, "Solve it", []])),
          event.stepEnd(0, 0, "391", { spending: spending(costUsd) }),
        ].map((each) => ({ ...each, runId, at })),
      );
    const key = toKey({ budget: { usd: 5, window: "day" } });
    await append("r_1", key.id, START, 1.5);
    await append("r_2", key.id, START - 86_400_000, 2);
    await append("r_3", "key_other000", START, 3);
    const admission = await gate.admit(key, want());
    expect(admission.budgetUsd).toBe(3.5);
    await append("r_4", key.id, START, 3.5);
    admission.release();
    expect(await refusal(gate.admit(key, want(1)))).toMatchObject({ code: "budget-spent" });
  });
});

describe("many requests at once", () => {
  /** Amounts are parts of a power of two, so that sums are exact and no tolerance hides a fault. */
  const UNIT = 1 / 1024;

  it("never promise more than the budget, never run more than may, and the budget can be used up", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const random = createRandom(seed);
        const limitUsd = random.integer(1, 40) * 64 * UNIT;
        const concurrency = random.integer(1, 6);
        const key = toKey({ concurrency, budget: { usd: limitUsd, window: "total" } });
        const world = setUp();
        const sleepers: (() => void)[] = [];
        const sleep = async () => {
          if (random.next() < 0.5) await new Promise<void>((wake) => sleepers.push(wake));
        };
        // The journal is asked and answers at some later time, and answers overtake each other.
        const store: AdmissionOptions["store"] = {
          async reserve(request) {
            await sleep();
            const reply = await world.store.reserve(request);
            await sleep();
            return reply;
          },
          unreserve: world.store.unreserve,
        };
        const gate = createAdmissionControl({ now: () => world.now, store, owner: OWNER, log });
        const running = new Set<Admission>();
        const attempts: Promise<void>[] = [];
        let pending = 0;
        const check = () => {
          const promised = [...running].reduce((sum, { budgetUsd }) => sum + budgetUsd!, 0);
          // Some that were let in have not heard of it yet.
          expect(promised).toBeLessThanOrEqual(world.reservedUsd());
          expect(world.reservedUsd() + world.spent).toBeLessThanOrEqual(limitUsd);
          expect(running.size).toBeLessThanOrEqual(concurrency);
        };
        const start = () => {
          const wanted = random.next() < 0.2 ? undefined : random.integer(1, 600) * UNIT;
          pending++;
          const attempt = gate.admit(key, want(wanted)).then(
            (admission) => {
              pending--;
              running.add(admission);
              expect(admission.budgetUsd).toBeLessThanOrEqual(wanted ?? limitUsd);
              check();
            },
            (error) => {
              pending--;
              expect(["rate-limited", "budget-spent"]).toContain(error.code);
            },
          );
          attempt.catch(() => {}); // told below
          attempts.push(attempt);
        };
        const end = () => {
          const admission = random.pick([...running]);
          // The journal has the spending before the place is given back.
          world.spent += Math.floor(random.next() * (admission.budgetUsd! / UNIT + 1)) * UNIT;
          running.delete(admission);
          admission.release();
          check();
        };
        for (let i = 0; i < 120; i++) {
          const chance = random.next();
          if (chance < 0.45) start();
          else if (chance < 0.65 && running.size > 0) end();
          else if (chance < 0.8) world.now += random.integer(0, 700);
          else if (sleepers.length > 0) sleepers.splice(random.integer(0, sleepers.length - 1), 1)[0]!();
          for (let turn = random.integer(0, 4); turn > 0; turn--) await Promise.resolve();
        }
        while (pending > 0) {
          for (const wake of sleepers.splice(0)) wake();
          await Promise.resolve();
        }
        await Promise.all(attempts);
        while (running.size > 0) end();
        expect(world.reservedUsd()).toBe(0);
        // Nothing is lost either: what is left now is what was not spent.
        const last = gate.admit(key, want()).then(
          ({ budgetUsd }) => budgetUsd,
          ({ code }) => (code === "budget-spent" ? 0 : code),
        );
        let left: unknown = "none yet";
        last.then((usd) => {
          left = usd;
        });
        while (left === "none yet") {
          for (const wake of sleepers.splice(0)) wake();
          await Promise.resolve();
        }
        expect(left).toBe(limitUsd - world.spent);
      }),
      { seed: 11, numRuns: 80 },
    );
  });
});
