// What is read of the journal again for a small request: an earlier run may be a thousand times as large as the request
// that names it. Nobody else waits for it, and what it takes is counted. Over the socket.

import { expect, it } from "vitest";
import { createMemoryStore } from "../store/memory.ts";
import { body, start } from "../testing/gateway/keyed-gateway.ts";
import { HeldBytes, sizeOf } from "./access/held-bytes.ts";
import { MOST_BYTES_OF_KEY } from "./access/request-limits.ts";

const RESPONSES = "/v1/responses";

it("goes on from a large conversation as often at once as a key may hold, and no more", async () => {
  const size = 3_900_000;
  const most = Math.floor(MOST_BYTES_OF_KEY / size);
  let isHeld = false;
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const gateway = await start(
    { mallory: {} },
    {
      reply: async () => {
        if (isHeld) await gate;
        return "An answer.";
      },
      config: { limits: { usd: null } },
    },
  );
  const { id } = await body(gateway.ask({ model: "tutti", input: "x".repeat(size) }, "mallory", RESPONSES));
  isHeld = true;
  let refused = 0;
  const statuses = Array.from({ length: most + 3 }, async (_, i) => {
    const request = { model: "tutti", previous_response_id: id, input: `Again ${i}` };
    const response = await gateway.ask(request, "mallory", RESPONSES);
    const { error } = await body(response);
    // The others are answered when they can no longer have let go of what these would have needed.
    if (response.status === 429 && ++refused === 3) release();
    return error ? `${response.status} ${error.message}` : response.status;
  });
  const refusal =
    "429 The conversations of this API key that are being answered have 64 MB. Wait for some of them.";
  const expected = [...Array(most).fill(200), refusal, refusal, refusal];
  expect((await Promise.all(statuses)).sort()).toEqual(expected);
  const after = { model: "tutti", previous_response_id: id, input: "At last" };
  expect((await gateway.ask(after, "mallory", RESPONSES)).status).toBe(200);
}, 120_000);

it("counts a workflow of many steps as often as its steps send the conversation", async () => {
  const gateway = await start(
    { mallory: {} },
    { reply: () => new Promise(() => {}), config: { limits: { usd: null } } },
  );
  const steps = Array.from({ length: 32 }, () => ({ worker: 0, subtask: "Answer.", access: [] }));
  const ask = (name: string) => {
    const messages = [{ role: "user", content: name + "x".repeat(1_500_000) }];
    return gateway.ask({ model: "tutti", messages, stream: true, tutti: { workflow: { steps } } }, "mallory");
  };
  const first = await ask("a");
  expect(first.status).toBe(200);
  expect((await ask("b")).status).toBe(429);
  await first.body?.cancel();
});

it("takes a conversation that has grown to no more than a body may have", async () => {
  const gateway = await start({}, { config: { gateway: { maxBodyBytes: 100_000 } } });
  const ask = (more: object) => gateway.ask({ model: "tutti", ...more }, undefined, RESPONSES);
  const { id } = await body(ask({ input: "x".repeat(60_000) }));
  const response = await ask({ previous_response_id: id, input: "y".repeat(60_000) });
  expect(response.status).toBe(413);
  expect((await body(response)).error.message).toContain("This conversation has 0.1 MB");
  expect((await ask({ previous_response_id: id, input: "Go on" })).status).toBe(200);
});

it("reads a run once, however many of its turns a request names", async () => {
  const store = createMemoryStore();
  const loads: string[] = [];
  const counting = {
    ...store,
    loadRun(id: string) {
      loads.push(id);
      return store.loadRun(id);
    },
  };
  const gateway = await start({}, { config: { store: counting as never } });
  const { id } = await body(gateway.ask({ model: "tutti", input: "First?" }, undefined, RESPONSES));
  const tail = String(id).slice("resp_".length);
  const named = Array.from({ length: 300 }, (_, i) => ({
    type: "item_reference",
    id: i === 0 ? `msg_${tail}` : `msg_${tail}_${i}`,
  }));
  loads.length = 0;
  const input = [...named, { role: "user", content: "And then?" }];
  expect((await gateway.ask({ model: "tutti", input }, undefined, RESPONSES)).status).toBe(200);
  expect(loads.filter((run) => run === `r_${tail}`)).toHaveLength(1);
  expect(gateway.asked().at(-1)?.body.messages).toContainEqual({ role: "assistant", content: "An answer." });
});

it.each(["/v1/runs/:id/cancel", "/v1/responses/:id/cancel"])(
  "counts %s, which shows a run, as a read",
  async (path) => {
    const gateway = await start({ mallory: {} });
    const answered = await gateway.ask({ model: "tutti", input: "?" }, "mallory", RESPONSES);
    const { id } = await body(answered);
    const run = answered.headers.get("x-tutti-run-id")!;
    const address = path.replace(":id", path.startsWith("/v1/runs") ? run : id);
    const statuses = await Promise.all(
      Array.from({ length: 400 }, async () => (await gateway.ask({}, "mallory", address)).status),
    );
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
  },
);

it("counts what is held by key and in all, lets the only one in, and forgets it once", () => {
  const held = new HeldBytes();
  const key = (id: string) => ({ id }) as never;
  const letGo = held.take(key("a"), MOST_BYTES_OF_KEY + 1);
  expect(() => held.take(key("a"), 1)).toThrow("Wait for some of them");
  const others = ["b", "c", "d"].map((id) => held.take(key(id), MOST_BYTES_OF_KEY - 1));
  expect(() => held.take(undefined, 10)).toThrow("being answered here have 256 MB");
  letGo();
  letGo();
  expect(() => held.take(key("a"), MOST_BYTES_OF_KEY)).not.toThrow();
  for (const other of others) other();
  expect(sizeOf({ role: "assistant", content: [{ text: "four" }], toolCalls: [{ input: "{}" }] })).toBe(15);
});
