// What two gateways on one Postgres know together, with real processes: who is left alone after failures, and what a conversation
// has spent.

import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { startScene } from "../../testing/gateway/served.ts";
import { createTestDatabase, noPostgres, POSTGRES } from "../../testing/stores.ts";
import { renderWorkflow } from "../../workflow/render.ts";

// Processes take seconds to start on a busy machine.
vi.setConfig({ testTimeout: 120_000 });
const SOON = { timeout: 60_000, interval: 50 };

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (let close = closing.pop(); close; close = closing.pop()) await close();
});

type Loose = ReturnType<typeof JSON.parse>;
const body = async (response: Response | Promise<Response>): Promise<Loose> => (await response).json();
const PLAN = renderWorkflow({ steps: [{ worker: 0, subtask: "all of it", access: [] }] });

async function startTwo(
  reply: Parameters<typeof startScene>[1],
  config: Parameters<Awaited<ReturnType<typeof startScene>>["serve"]>[0],
) {
  const scene = await startScene(closing, reply, PLAN);
  const args = ["--postgres", await createTestDatabase()];
  const gateways = await Promise.all([scene.serve({ args, ...config }), scene.serve({ args, ...config })]);
  return { ...scene, gateways };
}

describe.skipIf(!POSTGRES)(`two gateways on one Postgres${noPostgres}`, () => {
  it("leave a worker alone that one of them has seen fail, and ask it again when one has had a reply", async () => {
    let isBroken = true;
    const { gateways } = await startTwo(
      ({ model }) =>
        model === "alpha" && isBroken ? { status: 401, body: { error: { message: "no" } } } : "done",
      {},
    );
    const circuitAt = async (at: number) => {
      const { workers } = await body(fetch(`${gateways[at]!.url}/v1/pool`));
      return workers.find(({ id }: Loose) => id === "stub/alpha").circuit;
    };
    const ask = (at: number) =>
      body(gateways[at]!.post("/v1/responses", { model: "tutti", input: "What is 6 × 7?" }));
    expect((await circuitAt(1)).state).toBe("closed");
    await ask(0);
    expect((await circuitAt(0)).state).toBe("open");
    await expect.poll(async () => (await circuitAt(1)).state, SOON).toBe("open");
    isBroken = false;
    // It is the only one that may be asked, so it is tried.
    const asked = { model: "tutti-fast", input: "What is 7 × 7?", tutti: { pool: ["stub/alpha"] } };
    const tried = await body(gateways[1]!.post("/v1/responses", asked));
    expect(tried.status, JSON.stringify(tried)).toBe("completed");
    await expect.poll(async () => (await circuitAt(1)).state, SOON).toBe("closed");
    await expect.poll(async () => (await circuitAt(0)).state, SOON).toBe("closed");
  });

  it("never have more calls of a provider under way together than its limit, and answer all", async () => {
    let running = 0;
    let most = 0;
    const { gateways, upstream } = await startTwo(
      async ({ count }) => {
        most = Math.max(most, ++running);
        // As long as models take: nobody else is let in meanwhile.
        await delay(60);
        running--;
        return `done ${count}`;
      },
      { config: { queue: { perProvider: { stub: 3 } } } },
    );
    const ask = (at: number) => {
      // Passed through, and performed as a run with a plan.
      const [path, asked] =
        at % 3 === 0
          ? ["/v1/responses", { model: "tutti", input: `Question ${at}` }]
          : [
              "/v1/chat/completions",
              { model: "stub/alpha", messages: [{ role: "user", content: `Question ${at}` }] },
            ];
      return gateways[at % 2]!.post(path as string, asked as object);
    };
    const replies = await Promise.all(Array.from({ length: 24 }, (_, at) => ask(at)));
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    expect(upstream.requests.length).toBe(16 + 2 * 8);
    expect(most).toBe(3);
  });

  it("never have more calls of a key under way together than its limit, and answer all", async () => {
    const running: Record<string, number> = { ann: 0, bob: 0 };
    const most: Record<string, number> = { ann: 0, bob: 0 };
    const { gateways } = await startTwo(
      async ({ messages }) => {
        const name = /Question of (\w+)/.exec(JSON.stringify(messages))![1]!;
        most[name] = Math.max(most[name]!, ++running[name]!);
        await delay(60);
        running[name]!--;
        return "done";
      },
      { config: { queue: { perKey: 2 } } },
    );
    const create = async (name: string, admin: boolean, authorization = "") =>
      (await body(gateways[0]!.post("/v1/keys", { name, admin }, { authorization }))).secret as string;
    const ann = await create("ann", true);
    const bob = await create("bob", false, `Bearer ${ann}`);
    const ask = (at: number) => {
      const [name, secret] = at % 2 ? ["ann", ann] : ["bob", bob];
      const content = `Question of ${name}: ${at}`;
      // Passed through, and performed as a run with a plan.
      const [path, asked] =
        at % 3 === 0
          ? ["/v1/responses", { model: "tutti", input: content }]
          : ["/v1/chat/completions", { model: "stub/alpha", messages: [{ role: "user", content }] }];
      return gateways[(at >> 1) % 2]!.post(path as string, asked as object, {
        authorization: `Bearer ${secret}`,
      });
    };
    await expect.poll(async () => (await ask(0)).status, SOON).toBe(200);
    const replies = await Promise.all(Array.from({ length: 24 }, (_, at) => ask(at)));
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    expect(most).toEqual({ ann: 2, bob: 2 });
  });

  it("never spend more of a conversation together than its cap, and make no more calls", async () => {
    const { gateways } = await startTwo(() => "done", {
      config: { gateway: { session: { usd: 0.02 } }, limits: { usd: 0.015 } },
    });
    const ask = (at: number, text: string, headers: Record<string, string> = {}) =>
      gateways[at % 2]!.post(
        "/v1/chat/completions",
        { model: "tutti-fast", max_tokens: 1_000, messages: [{ role: "user", content: text }] },
        { "x-tutti-session": "s", ...headers },
      );
    const replies = await Promise.all(Array.from({ length: 12 }, (_, at) => ask(at, `Question ${at}`)));
    expect([...new Set(replies.map(({ status }) => status))].sort()).toEqual([200, 429]);
    const { data } = await body(fetch(`${gateways[0]!.url}/v1/runs`));
    const spent = data.reduce((sum: number, { costUsd }: Loose) => sum + costUsd, 0);
    expect(spent).toBeGreaterThan(0);
    expect(spent).toBeLessThanOrEqual(0.02);

    const once = { "x-tutti-session": "once", "x-tutti-session-calls": "1" };
    expect((await ask(0, "first", once)).status).toBe(200);
    const refused = await ask(1, "second", once);
    expect(refused.status).toBe(429);
    expect(await refused.text()).toContain("1 of 1 calls are made");
  });
});
