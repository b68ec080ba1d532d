// A request that is relayed with an idempotency key, at two gateways on one Postgres, with real processes: it is paid for once, and
// a repeat has the same bytes wherever it comes.

import { afterEach, describe, expect, it, vi } from "vitest";
import type { ChatReply, ChatRequest } from "../../testing/gateway/chat-server.ts";
import { type Served, startScene } from "../../testing/gateway/served.ts";
import { createTestDatabase, noPostgres, POSTGRES, readTables } from "../../testing/stores.ts";

// Processes take seconds to start on a busy machine.
vi.setConfig({ testTimeout: 120_000 });
const SOON = { timeout: 60_000, interval: 50 };

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (let close = closing.pop(); close; close = closing.pop()) await close();
});

const REPLY = "Forty-two it is, as Wilhelmina said.";
const headers = { "idempotency-key": "order 7" };
const asked = { model: "stub/alpha", messages: [{ role: "user", content: "What is 6 × 7?" }] };
const ask = (gateway: Served, body: object = asked) => gateway.post("/v1/chat/completions", body, headers);

async function startTwo(reply: (request: ChatRequest) => ChatReply | Promise<ChatReply>) {
  const scene = await startScene(closing, reply);
  const address = await createTestDatabase();
  const args = ["--postgres", address];
  const [first, second] = await Promise.all([scene.serve({ args }), scene.serve({ args })]);
  return { address, asked: () => scene.asked("alpha"), first: first!, second: second! };
}

describe.skipIf(!POSTGRES)(`a relayed request with an idempotency key${noPostgres}`, () => {
  it("is paid for once, and its reply is the same at both gateways", async () => {
    const { first, second, asked: count, address } = await startTwo(() => REPLY);
    const replies: string[] = [];
    for (const gateway of [first, second, second, first]) {
      const response = await ask(gateway);
      expect(response.status).toBe(200);
      replies.push(await response.text());
    }
    expect(replies[0]).toContain(REPLY);
    expect(new Set(replies).size).toBe(1);
    expect(count()).toBe(1);
    const other = await ask(second, { ...asked, temperature: 1 });
    expect(other.status).toBe(409);
    // Whoever reads the database reads neither what was said nor how the request was named.
    const rows = (await readTables(address, "tutti")).relayed_replies!;
    expect(rows).toHaveLength(1);
    const bytes = Object.values(rows[0]!).map((value) =>
      value instanceof Buffer ? value.toString("latin1") : String(value),
    );
    expect(bytes.join(" ")).not.toMatch(/Forty|Wilhelmina|order 7|chatcmpl/);
  });

  it("is paid for once where both gateways are asked at the same moment, streamed", async () => {
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const {
      first,
      second,
      asked: count,
    } = await startTwo(async () => {
      await opened;
      return { text: REPLY, chunks: 4 };
    });
    const streamed = { ...asked, stream: true };
    const replies = [first, second, second].map(async (gateway) => (await ask(gateway, streamed)).text());
    await expect.poll(count, SOON).toBe(1);
    open();
    const texts = await Promise.all(replies);
    expect(texts[0]).toContain("[DONE]");
    expect(new Set(texts).size).toBe(1);
    expect(count()).toBe(1);
  });

  it("is asked again where it failed, or where its gateway died in the middle", async () => {
    const replies: ChatReply[] = [
      { status: 500, body: { error: { message: "broken" } } },
      { hang: true },
      { text: REPLY },
    ];
    const { first, second, asked: count } = await startTwo(() => replies.shift()!);
    expect((await ask(first)).status).toBe(500);
    const lost = ask(first).catch(() => "lost");
    await expect.poll(count, SOON).toBe(2);
    const again = ask(second);
    first.signal("SIGKILL");
    expect(await lost).toBe("lost");
    expect(await (await again).text()).toContain(REPLY);
    expect(count()).toBe(3);
  });
});
