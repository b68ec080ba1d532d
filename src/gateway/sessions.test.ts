// Caps of a whole conversation: dollars, calls and minutes over all of its requests, in every dialect, over the socket.

import { afterEach, describe, expect, it } from "vitest";
import { DOORS, expectErrorShape, type Loose } from "../testing/gateway/doors.ts";
import { startTestGateway, type TestGatewayOptions } from "../testing/gateway/gateway.ts";
import { createFiles } from "../testing/temporary-files.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function start(session: Loose, options: TestGatewayOptions = {}) {
  const gateway = await startTestGateway({ ...options, config: { ...options.config, gateway: { session } } });
  closing.push(() => gateway.close());
  const ask = (text: string, more: object = {}, headers: Record<string, string> = {}) =>
    gateway.post(
      "/v1/chat/completions",
      { model: "stub/alpha", messages: [{ role: "user", content: text }], ...more },
      headers,
    );
  return { gateway, ask };
}

describe("a conversation with caps", () => {
  it.each(DOORS)(
    "that has made its calls is refused in the shape of $name",
    async ({ path, valid, name }) => {
      const { gateway } = await start({ calls: 1 });
      const ask = () => gateway.post(path, { ...valid, model: "tutti-fast" }, { "x-tutti-session": "night" });
      expect((await ask()).status).toBe(200);
      const refused = await ask();
      expect([402, 429]).toContain(refused.status);
      const said = (await refused.json()) as Loose;
      expectErrorShape(name, said);
      expect(JSON.stringify(said)).toContain("A cap of this conversation is reached: 1 of 1 calls are made");
      // Another conversation is another account.
      expect(
        (await gateway.post(path, { ...valid, model: "tutti-fast" }, { "x-tutti-session": "day" })).status,
      ).toBe(200);
    },
  );

  it("is known by what agents say of it, else by how it begins", async () => {
    const { ask } = await start({ calls: 1 });
    const names: [object, Record<string, string>][] = [
      [{ prompt_cache_key: "k" }, {}],
      [{ metadata: { user_id: "user_1_session_2" } }, {}],
      [{ tutti: { session: "t" } }, {}],
      [{}, { session_id: "s" }],
      [{}, {}],
    ];
    for (const [body, headers] of names) {
      expect((await ask("first", body, headers)).status).toBe(200);
      expect((await ask("first", body, headers)).status, JSON.stringify([body, headers])).toBe(429);
    }
    expect((await ask("another beginning")).status).toBe(200);
  });

  it("spends no more dollars than its cap, also with requests at the same time, and keeps count over a restart", async () => {
    const home = createFiles().folder;
    const { gateway, ask } = await start({ usd: 0.02 }, { home, config: { limits: { usd: 0.015 } } });
    const headers = { "x-tutti-session": "s" };
    const model = { model: "tutti-fast", max_tokens: 1_000 };
    const replies = await Promise.all(["a", "b", "c", "d"].map((text) => ask(text, model, headers)));
    expect(replies.some(({ status }) => status === 200)).toBe(true);
    const { data } = (await (await fetch(`${gateway.url}/v1/runs`)).json()) as Loose;
    const spent = data.reduce((sum: number, { costUsd }: Loose) => sum + costUsd, 0);
    expect(spent).toBeGreaterThan(0);
    expect(spent).toBeLessThanOrEqual(0.02);
    await gateway.close();
    closing.length = 0;
    const again = await startTestGateway({
      home,
      config: { gateway: { session: { usd: spent } } },
    });
    closing.push(() => again.close());
    const refused = await again.post(
      "/v1/chat/completions",
      { ...model, messages: [{ role: "user", content: "e" }] },
      headers,
    );
    expect(refused.status).toBe(429);
    expect(await refused.text()).toContain("A cap of this conversation is reached");
  });

  it("may be given by the request, below the gateway's own and never above it", async () => {
    const { ask } = await start({ calls: 2 });
    const lower = { "x-tutti-session": "lower", "x-tutti-session-calls": "1" };
    expect((await ask("a", {}, lower)).status).toBe(200);
    expect((await ask("a", {}, lower)).status).toBe(429);
    const higher = { tutti: { session: { id: "higher", calls: 9 } } };
    expect((await ask("a", higher)).status).toBe(200);
    expect((await ask("a", higher)).status).toBe(200);
    expect((await ask("a", higher)).status).toBe(429);
    expect((await ask("a", { tutti: { session: { minutes: 0 } } })).status).toBe(429);
    const wrong = await ask("a", {}, { "x-tutti-session-usd": "much" });
    expect(wrong.status).toBe(400);
    expect(await wrong.text()).toContain("x-tutti-session-usd must be a number");
  });
});
