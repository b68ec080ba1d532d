// Faults on either side: clients that leave or do not read, providers that break off, a gateway that is told to
// end. What goes on after a kill is in restart.test.ts. Over the socket; where the process itself must die, in one of its own.

import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ChatReply, ChatRequest } from "../testing/gateway/chat-server.ts";
import {
  PRICE,
  startTestGateway,
  type TestGateway,
  type TestGatewayOptions,
} from "../testing/gateway/gateway.ts";
import { startScene as startServedScene } from "../testing/gateway/served.ts";
import { renderWorkflow } from "../workflow/render.ts";

// Processes take seconds to start on a busy machine.
vi.setConfig({ testTimeout: 90_000 });

let closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.reverse()) await close();
  closing = [];
});

async function start(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const gateway = await startTestGateway(options);
  closing.push(() => gateway.close());
  return gateway;
}

/** Replies as tests read them: by their names, whatever their shape. */
type Loose = ReturnType<typeof JSON.parse>;

async function body(response: Response | Promise<Response>): Promise<Loose> {
  return (await response).json();
}

/** The answer that a stream of any dialect is made of. */
function saidIn(text: string): string {
  const events = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data]): Loose => JSON.parse(data!));
  return events
    .map(({ type, delta, choices }) => {
      if (choices) return choices[0]?.delta.content ?? "";
      if (type === "response.output_text.delta") return delta;
      return delta?.type === "text_delta" ? delta.text : "";
    })
    .join("");
}

const QUESTION = "What is 6 × 7?";
const MESSAGES = [{ role: "user", content: QUESTION }];
const DOORS = [
  { path: "/v1/chat/completions", ask: { messages: MESSAGES } },
  { path: "/v1/responses", ask: { input: QUESTION } },
  { path: "/v1/messages", ask: { max_tokens: 1000, messages: MESSAGES } },
];

describe("a client that leaves mid-stream", () => {
  it.each(
    DOORS.flatMap((door) => ["tutti", "tutti-fast", "stub/alpha"].map((model) => ({ ...door, model }))),
  )("stops what $model does at $path soon; the journal has it", async ({ path, ask, model }) => {
    const gateway = await start({
      reply: () => ({ text: "one two three four five six seven", chunks: 7, delayMs: 150 }),
    });
    const leaving = new AbortController();
    const response = await fetch(`${gateway.url}${path}`, {
      method: "POST",
      body: JSON.stringify({ model, ...ask, stream: true }),
      signal: leaving.signal,
    });
    let seen = "";
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    while (!seen.includes("one")) seen += (await reader.read()).value ?? "";
    leaving.abort();
    await expect.poll(() => gateway.asked()[0]!.closedEarly, { timeout: 5_000, interval: 10 }).toBe(true);
    const runId = response.headers.get("x-tutti-run-id")!;
    await expect
      .poll(async () => (await body(fetch(`${gateway.url}/v1/runs/${runId}`))).stopReason)
      .toBe("cancelled");
    const run = await body(fetch(`${gateway.url}/v1/runs/${runId}`));
    expect(run.steps).toHaveLength(1);
    expect(run.costUsd).toBeGreaterThan(0);
    const isRelayed = model.startsWith("stub/") && path.includes("chat");
    if (!isRelayed) expect(run.steps[0].partial ?? run.answer).toContain("one");
    // Nobody else was asked because of it.
    expect(gateway.asked()).toHaveLength(1);
  });
});

describe("an upstream that dies", () => {
  const half = ({ model }: ChatRequest): ChatReply =>
    model === "alpha" ? { cutAfter: "Half an" } : "An answer.";

  it.each(DOORS)("before the first word at $path: another worker takes over", async ({ path, ask }) => {
    const gateway = await start({
      reply: ({ model }) => (model === "alpha" ? { cutAfter: "" } : "An answer."),
    });
    const streamed = await gateway.post(path, { model: "tutti", ...ask, stream: true });
    const text = await streamed.text();
    expect(saidIn(text)).toBe("An answer.");
    expect(text).toMatch(/\[DONE\]|"response.completed"|"message_stop"/);
    expect(gateway.asked().map(({ model }) => model)).toEqual(["alpha", "beta"]);
  });

  it.each(DOORS)(
    "in the middle of a reply that is not streamed at $path: another takes over",
    async (door) => {
      const gateway = await start({ reply: half });
      const response = await gateway.post(door.path, { model: "tutti", ...door.ask });
      expect(response.status).toBe(200);
      const text = await response.text();
      expect(text).toContain("An answer.");
      expect(text).not.toContain("Half an");
    },
  );

  it.each([
    ...DOORS.map((door) => ({ ...door, model: "tutti" })),
    ...DOORS.map((door) => ({ ...door, model: "stub/alpha" })),
  ])("in the middle of a stream of $model at $path: an error of the dialect ends it", async (door) => {
    const gateway = await start({ reply: half });
    const response = await gateway.post(door.path, { model: door.model, ...door.ask, stream: true });
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(saidIn(text)).toBe("Half an");
    const datas = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data!);
    const errors = datas.filter((data) => data !== "[DONE]").map((data): Loose => JSON.parse(data));
    if (door.path.includes("chat")) {
      expect(errors.at(-1).error.message).toMatch(/stub\/alpha/);
      expect(datas).not.toContain("[DONE]");
    } else if (door.path.includes("responses")) {
      expect(errors.at(-1)).toMatchObject({ type: "response.failed", response: { status: "failed" } });
      expect(errors.at(-1).response.error.message).toMatch(/stub\/alpha/);
    } else {
      expect(errors.at(-1)).toMatchObject({ type: "error", error: { type: "api_error" } });
      expect(text).toMatch(/\nevent: error\ndata: .*\n\n$/);
    }
    // The journal has what the client has.
    const { data } = await body(fetch(`${gateway.url}/v1/runs`));
    expect(data[0].stopReason).toBe("answer-cut");
  });

  it.each(DOORS)("for good at $path: an error of the dialect that no SDK repeats", async ({ path, ask }) => {
    const fail = () => ({ status: 500, body: { error: { message: "oops" } } });
    const plan = renderWorkflow({ steps: [{ worker: 0, subtask: "Answer it.", access: [] }] });
    const isPlanning = ({ messages }: ChatRequest) => JSON.stringify(messages).includes("You conduct a team");
    const gateway = await start({
      reply: fail,
      // The planner is a member of the pool, too: it would take over.
      plan: (request) => (isPlanning(request) ? plan : fail()),
    });
    const whole = await gateway.post(path, { model: "tutti", ...ask });
    expect(whole.status).toBe(502);
    expect(whole.headers.get("x-should-retry")).toBe("false");
    expect((await body(whole)).error.message).toMatch(/stub\//);
    // The stream has begun with what the team did, so the status is out.
    const streamed = await gateway.post(path, { model: "tutti", ...ask, stream: true });
    expect(await streamed.text()).toMatch(/"(error|response)":\{.*stub\//);
    // Without that, a failure still has a status of its own.
    const quiet = { "x-tutti-progress": "off" };
    const silent = await gateway.post(path, { model: "tutti", ...ask, stream: true }, quiet);
    expect(silent.status).toBe(502);
    expect((await body(silent)).error.message).toMatch(/stub\//);
  });
});

describe("a slow reader", () => {
  const PIECE = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "x".repeat(16_000) } }] })}\n\n`;
  const TOTAL_BYTES = 200_000_000;

  /** Sends much more than any buffer holds, as fast as it is taken. */
  async function startFlood() {
    let taken = 0;
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { "content-type": "text/event-stream" });
      const pour = () => {
        while (taken < TOTAL_BYTES) {
          taken += PIECE.length;
          if (!response.write(PIECE)) {
            response.once("drain", pour);
            return;
          }
        }
        response.end("data: [DONE]\n\n");
      };
      pour();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closing.push(() => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    });
    return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, taken: () => taken };
  }

  function ask(url: string, sent: object): Socket {
    const { hostname, port } = new URL(url);
    const text = JSON.stringify(sent);
    const socket = connect({ host: hostname, port: Number(port) });
    closing.push(() => socket.destroy());
    socket.pause();
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    );
    return socket;
  }

  it("of what is passed through slows the provider down: nothing piles up here", async () => {
    const flood = await startFlood();
    const gateway = await start({
      config: {
        workers: [
          { id: "stub/alpha", model: "stub/alpha", baseUrl: flood.baseUrl, price: PRICE },
          { id: "stub/beta", model: "stub/beta", baseUrl: flood.baseUrl, price: PRICE },
        ],
      },
    });
    const before = process.memoryUsage().rss;
    const socket = ask(gateway.url, { model: "stub/alpha", messages: MESSAGES, stream: true });
    let last = -1;
    // Until the provider can send no more.
    await expect
      .poll(
        () => {
          const isStill = flood.taken() > 0 && flood.taken() === last;
          last = flood.taken();
          return isStill;
        },
        { timeout: 20_000, interval: 300 },
      )
      .toBe(true);
    expect(flood.taken()).toBeLessThan(TOTAL_BYTES / 4);
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
    // Nobody else waits for it: it goes on only when this one has its answer.
    expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
    // It goes on when the client does.
    const stoppedAt = flood.taken();
    socket.resume();
    await expect.poll(() => flood.taken(), { timeout: 20_000 }).toBeGreaterThan(stoppedAt + 1_000_000);
    socket.destroy();
  });

  it("of a run holds nobody up, and has its whole answer when it reads on", async () => {
    const long = "word ".repeat(400_000);
    const config = { maxOutputTokens: 400_000 };
    const gateway = await start({ reply: () => ({ text: long, chunks: 400 }), config });
    const socket = ask(gateway.url, { model: "tutti", messages: MESSAGES, stream: true });
    await expect.poll(() => gateway.asked()[0]?.endedAt, { timeout: 20_000 }).toBeDefined();
    const other = await body(
      gateway.post("/v1/chat/completions", {
        model: "tutti",
        messages: [{ role: "user", content: "Other?" }],
      }),
    );
    expect(other.choices[0].message.content).toHaveLength(long.length);
    let text = "";
    const whole = new Promise<void>((resolve) => {
      socket.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
        if (text.endsWith("0\r\n\r\n")) resolve();
      });
    });
    socket.resume();
    await whole;
    const plain = text.replace(/\r\n[0-9a-f]+\r\n/g, "");
    expect(plain).toContain("[DONE]");
    expect([...plain.matchAll(/word /g)]).toHaveLength(400_000);
  });
});

describe("the process", () => {
  const PLAN = renderWorkflow({
    steps: [
      { worker: 0, subtask: "first part", access: [] },
      { worker: 1, subtask: "second part", access: [0] },
      { worker: 2, subtask: "last part", access: "all" },
    ],
  });

  const startScene = (reply: (request: ChatRequest) => ChatReply | Promise<ChatReply>) =>
    startServedScene(closing, reply, PLAN);

  it.each(["tutti-fast", "stub/alpha"])(
    "told to end finishes what %s streams, takes nothing new and says so",
    async (model) => {
      let release = () => {};
      const gate = new Promise<void>((resolve) => {
        release = resolve;
      });
      const scene = await startScene(async () => {
        await gate;
        return { text: "one two three four five six", chunks: 6, delayMs: 100 };
      });
      const served = await scene.serve();
      const streaming = served.post("/v1/chat/completions", { model, messages: MESSAGES, stream: true });
      await expect.poll(() => scene.upstream.requests.length, { timeout: 20_000 }).toBe(1);
      served.signal("SIGTERM");
      await expect.poll(async () => (await fetch(`${served.url}/ready`)).status).toBe(503);
      expect((await fetch(`${served.url}/health`)).status).toBe(200);
      const refused = await served.post("/v1/chat/completions", { model: "tutti", messages: MESSAGES });
      expect(refused.status).toBe(503);
      expect((await body(refused)).error.code).toBe("server_is_overloaded");
      expect(refused.headers.get("x-should-retry")).toBe("true");
      release();
      const text = await (await streaming).text();
      expect(saidIn(text)).toBe("one two three four five six");
      expect(text).toContain("[DONE]");
      expect((await served.finished).code).toBe(0);
      expect(scene.upstream.requests).toHaveLength(1);
      // What it streamed is in the journal that it left.
      const again = await scene.serve();
      const { data } = await body(fetch(`${again.url}/v1/runs`));
      expect(data.map(({ state, stopReason }: Loose) => [state, stopReason])).toEqual([["ended", "done"]]);
    },
  );

  it("told twice to end does not wait", async () => {
    const scene = await startScene(() => ({ hang: true }));
    const served = await scene.serve();
    const lost = served
      .post("/v1/chat/completions", { model: "tutti-fast", messages: MESSAGES })
      .catch(() => "lost");
    await expect.poll(() => scene.upstream.requests.length, { timeout: 20_000 }).toBe(1);
    served.signal("SIGTERM");
    await expect.poll(async () => (await fetch(`${served.url}/ready`)).status).toBe(503);
    served.signal("SIGTERM");
    expect((await served.finished).code).toBe(143);
    expect(await lost).toBe("lost");
  });

  it("told to end stops what does not end in time, and journals it", async () => {
    const scene = await startScene(({ model }) => (model === "alpha" ? "the first part" : { hang: true }));
    const served = await scene.serve({ config: { gateway: { shutdownMs: 300 } } });
    const whole = served.post("/v1/chat/completions", { model: "tutti", messages: MESSAGES });
    const relayed = served
      .post("/v1/chat/completions", { model: "stub/gamma", messages: MESSAGES })
      .catch(() => "lost");
    await expect.poll(() => scene.asked("beta") + scene.asked("gamma"), { timeout: 20_000 }).toBe(2);
    served.signal("SIGTERM");
    expect((await served.finished).code).toBe(0);
    await Promise.allSettled([whole, relayed]);
    const again = await scene.serve();
    const { data } = await body(fetch(`${again.url}/v1/runs`));
    expect(data.map(({ stopReason }: Loose) => stopReason)).toEqual(["cancelled", "cancelled"]);
    expect(JSON.stringify(data)).toContain("the first part");
  });
});
