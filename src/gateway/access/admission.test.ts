import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../base/random.ts";
import { createMemoryStore } from "../../store/memory.ts";
import { event, spending, toWorkflow } from "../../testing/run-events.ts";
import { type Admission, createAdmissionControl } from "./admission.ts";
import { toSpentUsd } from "./bill.ts";
import type { GatewayKey } from "./keys.ts";

const START = Date.UTC(2026, 10, 17, 12); // a Tuesday
const toKey = (settings: Partial<GatewayKey>): GatewayKey => ({
  ...{ id: "key_00000000", name: "ci", hash: "", hint: "", createdAt: 0, isAdmin: false },
  ...settings,
});

/** A gate with a clock and a ledger in hand. */
function setUp() {
  const state = { now: START, spent: 0, readings: 0, froms: [] as number[] };
  const gate = createAdmissionControl({
    now: () => state.now,
    spentSince: async (_, from) => {
      state.readings++;
      state.froms.push(from);
      return state.spent;
    },
  });
  return Object.assign(state, { gate });
}
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
    expect(await gate.admit(undefined, undefined)).toEqual({ headers: {}, release: expect.any(Function) });
    expect(await gate.admit(undefined, 0.5)).toMatchObject({ budgetUsd: 0.5, headers: {} });
    const admission = await gate.admit(toKey({}), undefined);
    expect(admission.budgetUsd).toBeUndefined();
    expect(admission.headers).toEqual({});
  });
});

describe("the rate", () => {
  it("lets in as many as a minute may have, and says when there is the next place", async () => {
    const world = setUp();
    const key = toKey({ requestsPerMinute: 2 });
    const first = await world.gate.admit(key, 1);
    expect(first.headers).toEqual({
      "x-ratelimit-limit-requests": "2",
      "x-ratelimit-remaining-requests": "1",
      "x-ratelimit-reset-requests": "1m0s",
    });
    world.now += 20_500;
    expect((await world.gate.admit(key, 1)).headers["x-ratelimit-remaining-requests"]).toBe("0");
    const error = await refusal(world.gate.admit(key, 1));
    expect(error).toMatchObject({ code: "rate-limited", status: 429, retryable: true, retryAfterMs: 39_500 });
    expect(error.message).toBe('API key "ci" may make 2 requests a minute. The next one in 40 s.');
    world.now += 39_499;
    expect(await refusal(world.gate.admit(key, 1))).toMatchObject({ retryAfterMs: 1 });
    expect(world.gate.headers(key)["x-ratelimit-reset-requests"]).toBe("20.501s");
    world.now += 1;
    await world.gate.admit(key, 1);
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
            const isIn = await world.gate.admit(key, 1).then(
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
    await world.gate.admit(key, 1);
    world.now -= 3_600_000;
    expect(await refusal(world.gate.admit(key, 1))).toMatchObject({ retryAfterMs: 60_000 });
    world.now += 60_000;
    await world.gate.admit(key, 1);
  });

  it("is right for many requests, and after the limit was lowered", async () => {
    const world = setUp();
    for (let i = 0; i < 2_000; i++) {
      await world.gate.admit(toKey({ requestsPerMinute: 1_000 }), 1);
      world.now += 60;
    }
    expect(await refusal(world.gate.admit(toKey({ requestsPerMinute: 999 }), 1))).toMatchObject({
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
      expect(await refusal(world.gate.admit(key, 1))).toMatchObject({ code: "budget-spent" });
    world.spent = 0;
    const { release } = await world.gate.admit(key, 1);
    for (let i = 0; i < 5; i++)
      expect((await refusal(world.gate.admit(key, 1))).message).toContain("at once");
    release();
    await world.gate.admit(key, 1);
    expect((await refusal(world.gate.admit({ ...key, concurrency: 9 }, 1))).message).toContain("a minute");
  });
});

describe("how many at once", () => {
  it("is kept by each key for itself, and a place is given back once", async () => {
    const { gate } = setUp();
    const key = toKey({ concurrency: 1 });
    const { release } = await gate.admit(key, undefined);
    const error = await refusal(gate.admit(key, undefined));
    expect(error).toMatchObject({ code: "rate-limited", status: 429, retryAfterMs: 1_000 });
    expect(error.message).toBe('API key "ci" may have 1 request running at once.');
    await gate.admit(toKey({ id: "key_other000", concurrency: 1 }), undefined);
    release();
    release();
    await gate.admit(key, undefined);
    await refusal(gate.admit(key, undefined));
  });
});

describe("the money", () => {
  const key = toKey({ budget: { usd: 5, window: "day" } });

  it("caps a request at what is left after what others have reserved", async () => {
    const world = setUp();
    world.spent = 2;
    expect((await world.gate.admit(key, 1)).budgetUsd).toBe(1);
    expect((await world.gate.admit(key, 1.5)).budgetUsd).toBe(1.5);
    expect(world.gate.reservedUsd(key.id)).toBe(2.5);
    expect((await world.gate.admit(key, undefined)).budgetUsd).toBe(0.5);
    const error = await refusal(world.gate.admit(key, 1));
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
    const error = await refusal(world.gate.admit(toKey({ budget: { usd: 5, window } }), 1));
    expect(error).toMatchObject({ code: "budget-spent", status: 429, retryable: false });
    expect(error.message).toContain(text);
    expect(world.froms).toEqual([Date.parse(from)]);
  });

  it("counts weeks from Monday and months to their ends, also over the year", async () => {
    const world = setUp();
    world.now = Date.UTC(2027, 0, 3, 23, 59); // a Sunday
    await world.gate.admit(toKey({ budget: { usd: 5, window: "week" } }), 1);
    world.now += 60_000;
    await world.gate.admit(toKey({ budget: { usd: 5, window: "week" } }), 1);
    expect(world.froms).toEqual([Date.parse("2026-12-28"), Date.parse("2027-01-04")]);
    world.spent = 9;
    world.now = Date.UTC(2026, 11, 31);
    const error = await refusal(world.gate.admit(toKey({ budget: { usd: 5, window: "month" } }), 1));
    expect(error.message).toContain("2027-01-01T00:00:00.000Z");
  });

  it("begins anew with the window", async () => {
    const world = setUp();
    world.spent = 5;
    await refusal(world.gate.admit(key, 1));
    world.spent = 0;
    world.now = Date.UTC(2026, 10, 18);
    expect((await world.gate.admit(key, 1)).budgetUsd).toBe(1);
  });

  it("reads the journal once a second while there is enough, and at once when there is not", async () => {
    const world = setUp();
    for (let i = 0; i < 10; i++) (await world.gate.admit(key, 0.125)).release();
    expect(world.readings).toBe(1);
    world.now += 1_000;
    await world.gate.admit(key, 0.125);
    expect(world.readings).toBe(2);
    const rest = await world.gate.admit(key, undefined);
    expect(rest.budgetUsd).toBe(4.875);
    expect(world.readings).toBe(3);
    world.spent = 1;
    rest.release();
    expect((await world.gate.admit(key, undefined)).budgetUsd).toBe(3.875);
  });

  it("lets nobody in when the journal cannot be read", async () => {
    const gate = createAdmissionControl({
      now: () => START,
      spentSince: () => Promise.reject(new Error("disk")),
    });
    expect((await refusal(gate.admit(key, 1))).message).toBe("disk");
    expect(gate.reservedUsd(key.id)).toBe(0);
  });

  it("takes a slow reading as it is", async () => {
    let now = START;
    const gate = createAdmissionControl({
      now: () => now,
      spentSince: async () => {
        now += 5_000;
        return 4;
      },
    });
    expect((await gate.admit(key, 3)).budgetUsd).toBe(1);
  });
});

describe("with the journal", () => {
  it("counts what the key's runs of this window took, and nobody else's", async () => {
    const store = createMemoryStore();
    const gate = createAdmissionControl({
      now: () => START,
      spentSince: async (keyId, from) => toSpentUsd(await store.sumSpending({ keyId, from })),
    });
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
    const admission = await gate.admit(key, undefined);
    expect(admission.budgetUsd).toBe(3.5);
    await append("r_4", key.id, START, 3.5);
    admission.release();
    expect(await refusal(gate.admit(key, 1))).toMatchObject({ code: "budget-spent" });
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
        let now = START;
        let journal = 0;
        const sleepers: (() => void)[] = [];
        const gate = createAdmissionControl({
          now: () => now,
          // The sum is true at some moment between question and answer, and answers overtake each other.
          spentSince: async () => {
            if (random.next() < 0.5) await new Promise<void>((wake) => sleepers.push(wake));
            const sum = journal;
            if (random.next() < 0.5) await new Promise<void>((wake) => sleepers.push(wake));
            return sum;
          },
        });
        const running = new Set<Admission>();
        const attempts: Promise<void>[] = [];
        let pending = 0;
        const check = () => {
          const promised = [...running].reduce((sum, { budgetUsd }) => sum + budgetUsd!, 0);
          // Some that were let in have not heard of it yet.
          expect(promised).toBeLessThanOrEqual(gate.reservedUsd(key.id));
          expect(gate.reservedUsd(key.id) + journal).toBeLessThanOrEqual(limitUsd);
          expect(running.size).toBeLessThanOrEqual(concurrency);
        };
        const start = () => {
          const wanted = random.next() < 0.2 ? undefined : random.integer(1, 600) * UNIT;
          pending++;
          const attempt = gate.admit(key, wanted).then(
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
          journal += Math.floor(random.next() * (admission.budgetUsd! / UNIT + 1)) * UNIT;
          running.delete(admission);
          admission.release();
          check();
        };
        for (let i = 0; i < 120; i++) {
          const chance = random.next();
          if (chance < 0.45) start();
          else if (chance < 0.65 && running.size > 0) end();
          else if (chance < 0.8) now += random.integer(0, 700);
          else if (sleepers.length > 0) sleepers.splice(random.integer(0, sleepers.length - 1), 1)[0]!();
          for (let turn = random.integer(0, 4); turn > 0; turn--) await Promise.resolve();
        }
        while (pending > 0) {
          for (const wake of sleepers.splice(0)) wake();
          await Promise.resolve();
        }
        await Promise.all(attempts);
        while (running.size > 0) end();
        expect(gate.reservedUsd(key.id)).toBe(0);
        // Nothing is lost either: what is left now is what was not spent.
        const last = gate.admit(key, undefined).then(
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
        expect(left).toBe(limitUsd - journal);
      }),
      { seed: 11, numRuns: 80 },
    );
  });
});
