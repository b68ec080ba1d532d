// Runs of two gateways on one Postgres as clients see them, with real processes: a stream goes on at the other one behind the last
// event that was seen, two requests with one idempotency key are one, and a run is cancelled at whichever gateway.

import { afterEach, describe, expect, it, vi } from "vitest";
import type { ChatReply, ChatRequest } from "../../testing/gateway/chat-server.ts";
import { type Served, startScene } from "../../testing/gateway/served.ts";
import { createTestDatabase, noPostgres, POSTGRES, readTables } from "../../testing/stores.ts";
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
const PLAN = renderWorkflow({
  steps: [
    { worker: 0, subtask: "first part", access: [] },
    { worker: 1, subtask: "last part", access: "all" },
  ],
});
const asked = { model: "tutti", input: "What is 6 × 7?" };

async function startTwo(reply: (request: ChatRequest) => ChatReply | Promise<ChatReply>) {
  const scene = await startScene(closing, reply, PLAN);
  const address = await createTestDatabase();
  const args = ["--postgres", address];
  const gateways = await Promise.all([scene.serve({ args }), scene.serve({ args })]);
  return { ...scene, address, first: gateways[0]!, second: gateways[1]! };
}

function createLatch() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

interface SeenEvent {
  id?: string;
  type: string;
  data: Loose;
}

/** The events of a stream as they come. `leave` breaks the connection off. */
function read(address: string, init: RequestInit = {}) {
  const controller = new AbortController();
  closing.push(() => controller.abort());
  const events: SeenEvent[] = [];
  const over = (async () => {
    const response = await fetch(address, { ...init, signal: controller.signal });
    let text = "";
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const blocks = text.split("\n\n");
      text = blocks.pop()!;
      for (const block of blocks) {
        const field = (name: string) =>
          block
            .split("\n")
            .find((line) => line.startsWith(`${name}: `))
            ?.slice(name.length + 2);
        const data = field("data");
        if (data?.startsWith("{"))
          events.push({ id: field("id"), type: field("event")!, data: JSON.parse(data) });
      }
    }
  })().catch(() => {});
  return { events, over, leave: () => controller.abort() };
}

const post = (gateway: Served, asking: object) =>
  read(`${gateway.url}/v1/responses`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(asking),
  });
const textOf = (events: readonly SeenEvent[]) =>
  events.map(({ type, data }) => (type === "response.output_text.delta" ? data.delta : "")).join("");

/** A last step that writes two sentences, the second when it is told to; the journal has the first by then. */
const WORDS = "Forty-two it is, as everybody knows by now. And that was all that could be said of it.";
function toSlowTeam(latch: { opened: Promise<void> }) {
  return async ({ model }: ChatRequest): Promise<ChatReply> => {
    if (model !== "beta") return `done by ${model}`;
    await latch.opened;
    return { text: WORDS, chunks: 8, delayMs: 400 };
  };
}

describe.skipIf(!POSTGRES)(`a run at two gateways on one Postgres${noPostgres}`, () => {
  it("is streamed on at the other one, behind the last event that was seen, wherever that was", async () => {
    const latch = createLatch();
    const { first, second, asked: count } = await startTwo(toSlowTeam(latch));
    const here = post(first, { ...asked, background: true, stream: true });
    await expect.poll(() => here.events[0]?.type, SOON).toBe("response.created");
    const { id } = here.events[0]!.data.response;
    const from = (after: number | undefined) =>
      read(
        `${second.url}/v1/responses/${id}?stream=true${after === undefined ? "" : `&starting_after=${after}`}`,
      );
    const there = from(undefined);
    latch.open();
    // The other gateway tells the text while it is written.
    await expect.poll(() => textOf(there.events), SOON).not.toBe("");
    expect(there.events.at(-1)!.type).toBe("response.output_text.delta");
    there.leave();
    await expect.poll(() => textOf(here.events), SOON).not.toBe("");
    here.leave();
    for (const { events } of [here, there]) {
      const rest = from(events.at(-1)!.data.sequence_number);
      await rest.over;
      const all = [...events, ...rest.events];
      expect(all.at(-1)!.type).toBe("response.completed");
      expect(all.at(-1)!.data.response.output.at(-1).content[0].text).toBe(WORDS);
      expect(textOf(all)).toBe(WORDS);
      const numbers = all.map(({ data }) => data.sequence_number);
      expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
      expect(rest.events.some(({ type }) => type === "response.created")).toBe(false);
    }
    // Once more when it is over, at both: all of it, and what comes after an event in the middle.
    const whole = from(undefined);
    await whole.over;
    expect(textOf(whole.events)).toBe(WORDS);
    const middle = whole.events.find(({ type }) => type === "response.output_text.delta")!.data;
    const cut = read(
      `${first.url}/v1/responses/${id}?stream=true&starting_after=${middle.sequence_number - 10}`,
    );
    await cut.over;
    expect(textOf(cut.events)).toBe(WORDS.slice(-10));
    expect(["planner", "alpha", "beta"].map(count)).toEqual([1, 1, 1]);
  });

  it("tells its events at the other one, and goes on behind the last that was seen", async () => {
    const latch = createLatch();
    const { first, second } = await startTwo(toSlowTeam(latch));
    await first.post("/v1/responses", { ...asked, background: true });
    const [{ id }] = (await body(fetch(`${second.url}/v1/runs`))).data;
    const follow = (gateway: Served, after?: string) =>
      read(`${gateway.url}/v1/runs/${id}/events`, {
        headers: after === undefined ? {} : { "last-event-id": after },
      });
    const there = follow(second);
    await expect.poll(() => there.events.some(({ type }) => type === "step-end"), SOON).toBe(true);
    there.leave();
    const seen = there.events.length;
    const rest = follow(second, there.events[seen - 1]!.id);
    const owner = follow(first, there.events[seen - 1]!.id);
    latch.open();
    await Promise.all([rest.over, owner.over]);
    const whole = (events: readonly SeenEvent[]) =>
      events.map(({ type }) => type).filter((type) => !type.endsWith("-delta"));
    const all = [...there.events, ...rest.events];
    expect(whole(all)).toEqual(whole([...there.events, ...owner.events]));
    expect(whole(all).at(-1)).toBe("run-end");
    const pieces = all.filter(({ type, data }) => type === "step-delta" && data.step === 1);
    expect(WORDS.startsWith(pieces.map(({ data }) => data.text).join(""))).toBe(true);
    expect(pieces.length).toBeGreaterThan(0);
  });

  it("is one for two requests with the same idempotency key at the same moment, and both have its answer", async () => {
    const latch = createLatch();
    const { first, second, asked: count, address } = await startTwo(toSlowTeam(latch));
    const headers = { "idempotency-key": "Wilhelmina's order 7" };
    const replies = [first, second, first, second].map((gateway) =>
      gateway.post("/v1/responses", asked, headers),
    );
    await expect.poll(() => count("beta"), SOON).toBe(1);
    latch.open();
    const bodies = await Promise.all(replies.map(body));
    expect(new Set(bodies.map(({ id }) => id)).size).toBe(1);
    for (const each of bodies) expect(each.output.at(-1).content[0].text).toBe(WORDS);
    expect(["planner", "alpha", "beta"].map(count)).toEqual([1, 1, 1]);
    const other = await second.post("/v1/responses", { ...asked, input: "Another one?" }, headers);
    expect(other.status).toBe(409);
    await expect.poll(async () => (await readTables(address, "tutti")).turns, SOON).toEqual([]);
  });

  it("is cancelled at the one that does not perform it", async () => {
    const {
      first,
      second,
      asked: count,
    } = await startTwo(({ model }) => (model === "beta" ? { hang: true } : `done by ${model}`));
    const { id } = await body(first.post("/v1/responses", { ...asked, background: true }));
    await expect.poll(() => count("beta"), SOON).toBe(1);
    const cancelled = await body(second.post(`/v1/responses/${id}/cancel`, {}));
    expect(cancelled.status).toBe("cancelled");
    expect((await body(fetch(`${first.url}/v1/responses/${id}`))).status).toBe("cancelled");
  });

  it("answers at the other one whose gateway was killed while a client read along there", async () => {
    let isFirst = true;
    const { first, second } = await startTwo(({ model }) => {
      if (model !== "beta") return `done by ${model}`;
      const reply: ChatReply = isFirst ? { hang: true } : { text: WORDS };
      isFirst = false;
      return reply;
    });
    const { id } = await body(first.post("/v1/responses", { ...asked, background: true }));
    const there = read(`${second.url}/v1/responses/${id}?stream=true`);
    await expect.poll(() => there.events.length > 2 && !isFirst, SOON).toBe(true);
    first.signal("SIGKILL");
    await there.over;
    expect(there.events.at(-1)!.type).toBe("response.completed");
    expect(textOf(there.events)).toBe(WORDS);
  });

  it("waits for tools of the client, whose results may come to the other one, and is rated there", async () => {
    const call = { id: "call_1", name: "look_up", arguments: '{"what":"answer"}' };
    const {
      first,
      second,
      asked: count,
    } = await startTwo(({ model, messages }) =>
      model === "beta" && !messages.some(({ role }) => role === "tool")
        ? { text: "", toolCalls: [call], finishReason: "tool_calls" }
        : `done by ${model}`,
    );
    const tools = [
      {
        type: "function",
        name: "look_up",
        parameters: { type: "object", properties: { what: { type: "string" } } },
      },
    ];
    const waiting = await body(first.post("/v1/responses", { ...asked, tools }));
    const wanted = waiting.output.find(({ type }: Loose) => type === "function_call");
    expect(wanted.name).toBe("look_up");
    first.signal("SIGKILL");
    await first.finished;
    const results = [{ type: "function_call_output", call_id: wanted.call_id, output: "42" }];
    const over = await body(
      second.post("/v1/responses", {
        model: "tutti",
        previous_response_id: waiting.id,
        input: results,
        tools,
      }),
    );
    expect(over.status, JSON.stringify(over)).toBe("completed");
    expect(over.output.at(-1).content[0].text).toBe("done by beta");
    expect(["planner", "alpha", "beta"].map(count)).toEqual([1, 1, 2]);
    const [{ id }] = (await body(fetch(`${second.url}/v1/runs`))).data;
    expect((await second.post(`/v1/runs/${id}/feedback`, { score: 1 })).status).toBe(200);
    expect((await body(fetch(`${second.url}/v1/runs/${id}`))).feedback).toMatchObject([{ score: 1 }]);
  });
});
