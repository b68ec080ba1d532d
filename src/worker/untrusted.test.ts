// What a provider may not do to us, whatever protocol it speaks: send our key elsewhere, have it repeated, write for
// ever, or be asked at another path than its own. Over real HTTP.

import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import type { TuttiError } from "../base/errors.ts";
import { registerSecret } from "../base/redact.ts";
import { listModels } from "../config/model-list.ts";
import {
  chatEvent,
  EVENTS,
  type ProviderServer,
  startProvider,
  writeForEver,
} from "../testing/gateway/provider-server.ts";
import { loadModel, PROTOCOLS, type ProviderProtocol } from "./models.ts";
import { createModelWorker } from "./provider.ts";
import type { WorkerEvent, WorkerRequest } from "./types.ts";

const KEY = "sk-upstream-3f9a/Zq+71=LmNoPqRsTuVwXyZ0123456789";
const ALL = Object.keys(PROTOCOLS) as ProviderProtocol[];
const never = new AbortController().signal;
const question: WorkerRequest = { messages: [{ role: "user", content: "6 times 7?" }], maxOutputTokens: 100 };

function workerAt(
  { url }: ProviderServer,
  protocol: ProviderProtocol,
  model = "m",
  fetch?: typeof globalThis.fetch,
) {
  const address = { provider: "test", protocol, model, baseUrl: `${url}/v1`, apiKey: KEY, fetch };
  return createModelWorker("test/m", () => loadModel(address));
}

/** Everything that came, and how it ended. */
async function collect(
  worker: ReturnType<typeof workerAt>,
  request = question,
): Promise<{ events: WorkerEvent[]; error?: TuttiError }> {
  const events: WorkerEvent[] = [];
  try {
    for await (const event of worker.ask(request, never)) events.push(event);
    return { events };
  } catch (error) {
    return { events, error: error as TuttiError };
  }
}

const data = (fields: object) => `data: ${JSON.stringify(fields)}\n\n`;
const named = (fields: { type: string }) => `event: ${fields.type}\n${data(fields)}`;

/** The beginning of a reply in each protocol, and a piece of text. */
const STREAMS: Record<ProviderProtocol, { head: string; text: (text: string) => string }> = {
  openai: { head: "", text: (content) => chatEvent({ content }) },
  "openai-compatible": { head: "", text: (content) => chatEvent({ content }) },
  mistral: { head: "", text: (content) => chatEvent({ content }) },
  anthropic: {
    head:
      named({
        type: "message_start",
        message: {
          id: "m",
          type: "message",
          role: "assistant",
          model: "m",
          content: [],
          usage: { input_tokens: 1, output_tokens: 1 },
        },
      } as { type: string }) +
      named({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } } as {
        type: string;
      }),
    text: (text) =>
      named({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } } as {
        type: string;
      }),
  },
  google: {
    head: "",
    text: (text) => data({ candidates: [{ content: { role: "model", parts: [{ text }] } }] }),
  },
};

describe("a redirect", () => {
  it.each(ALL)("of %s is not followed: the other host hears nothing, and is named", async (protocol) => {
    const other = await startProvider((response) => response.end("{}"));
    for (const status of [301, 302, 303, 307, 308]) {
      const provider = await startProvider((response) => {
        response.writeHead(status, { location: `${other.url}/v1/steal?key=1` }).end();
      });
      for (const fetch of [undefined, globalThis.fetch]) {
        const { error } = await collect(workerAt(provider, protocol, "m", fetch));
        expect(error).toMatchObject({ code: "bad-response", retryable: false });
        expect(error!.message).toContain(`${new URL(other.url).host} (${status})`);
        expect(error!.message).not.toContain("steal");
      }
      const list = await listModels(
        { protocol, baseUrl: `${provider.url}/v1`, apiKey: KEY },
        { timeoutMs: 5_000 },
      );
      expect(list).toMatchObject({ ok: false, why: expect.stringContaining(new URL(other.url).host) });
      expect(provider.requests).toHaveLength(3);
    }
    expect(other.requests).toEqual([]);
  });

  it("to another path of the same host is not followed either", async () => {
    const provider = await startProvider((response, { path }) => {
      if (path.endsWith("/other")) response.end("{}");
      else response.writeHead(307, { location: "/other" }).end();
    });
    for (const protocol of ALL) {
      const { error } = await collect(workerAt(provider, protocol));
      expect(error).toMatchObject({ code: "bad-response" });
    }
    expect(provider.requests.filter(({ path }) => path === "/other")).toEqual([]);
  });
});

describe("our key, repeated by a provider", () => {
  const base64 = Buffer.from(`Bearer ${KEY}`).toString("base64");
  const expectClean = (shown: string) => {
    for (const form of [KEY, encodeURIComponent(KEY), KEY.replaceAll("/", "\\/"), base64.slice(12, -4)])
      expect(shown).not.toContain(form);
  };

  it.each(ALL)("of %s is in no text, wherever it is cut", async (protocol) => {
    const { head, text } = STREAMS[protocol];
    const bytes = head + text(`hello ${KEY} and ${base64} again`);
    const provider = await startProvider(async (response) => {
      response.writeHead(200, EVENTS);
      for (const piece of bytes.match(/.{1,9}/gs)!) {
        response.write(piece);
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    });
    const { events } = await collect(workerAt(provider, protocol));
    expect(JSON.stringify(events)).toContain("hello");
    expectClean(JSON.stringify(events));
  });

  it.each(ALL)("of %s is in no error", async (protocol) => {
    registerSecret(KEY);
    const echo = `no: ${KEY} ${encodeURIComponent(KEY)} ${KEY.replaceAll("/", "\\/")} ${base64}`;
    const bodies = [echo, `{"error":{"message":"${echo}"}}`, `{"detail":"${echo}"}`];
    for (const body of bodies) {
      const provider = await startProvider((response) => {
        response.writeHead(401, { "content-type": "application/json" }).end(body);
      });
      const { error } = await collect(workerAt(provider, protocol));
      expect(error).toMatchObject({ code: "auth" });
      expectClean(error!.message);
    }
  });
});

describe("a stream without an end", () => {
  const endless = async (protocol: ProviderProtocol, head: string, text: string) => {
    const provider = await startProvider((response: ServerResponse) => {
      response.writeHead(200, EVENTS).write(head);
      writeForEver(response, text);
    });
    const { events, error } = await collect(workerAt(provider, protocol));
    expect(error?.message).toContain("test/m");
    // A line that does not end is no chat stream to begin with.
    expect(["endless-reply", "bad-response"]).toContain(error?.code);
    // Nobody keeps what nobody asked for.
    expect(JSON.stringify(events).length).toBeLessThan(1_000_000);
    await expect.poll(() => provider.cut()).toBe(1);
  };

  it.each(ALL)("of %s is cut off, and the connection closed", async (protocol) => {
    const { head, text } = STREAMS[protocol];
    await endless(protocol, head, text("all work and no play "));
  });

  const call = (args: string) => ({
    tool_calls: [{ index: 0, id: "c1", function: { name: "add", arguments: args } }],
  });
  it.each<[string, string]>([
    ["reasoning", chatEvent({ reasoning_content: "hmm " })],
    ["arguments of a tool", chatEvent(call("1"))],
    ["ever new tool calls", chatEvent({ tool_calls: [{ function: { name: "add", arguments: "{}" } }] })],
    ["empty pieces", chatEvent({ content: "" })],
    ["comments", ": ping\n\n"],
    ["one line", "x".repeat(1_000)],
    ["JSON in one piece", '{"a":['],
  ])(
    "of %s is cut off",
    async (_, text) => {
      for (const protocol of ["openai-compatible", "mistral"] as const) await endless(protocol, "", text);
    },
    30_000,
  );

  const delta = (delta: object) =>
    named({ type: "content_block_delta", index: 0, delta } as { type: string });
  it.each<[ProviderProtocol, string, string]>([
    ["anthropic", "pings", named({ type: "ping", pad: "x".repeat(2_000) } as { type: string })],
    ["anthropic", "empty pieces", delta({ type: "text_delta", text: "" })],
    ["google", "comments", ": ping\n\n"],
    ["google", "one line", "x".repeat(1_000)],
    ["google", "thoughts", data({ candidates: [{ content: { parts: [{ text: "hmm ", thought: true }] } }] })],
  ])(
    "of %s with %s is cut off",
    async (protocol, _, text) => {
      await endless(protocol, STREAMS[protocol].head, text);
    },
    60_000,
  );

  it("an error page without an end is cut off too", async () => {
    for (const protocol of ALL) {
      const provider = await startProvider((response) => {
        writeForEver(response.writeHead(400, { "content-type": "application/json" }), '{"error":"');
      });
      const { error } = await collect(workerAt(provider, protocol));
      expect(error).toMatchObject({ status: 400 });
      await expect.poll(() => provider.cut()).toBe(1);
    }
  }, 60_000);

  it("what is as long as was asked for is not", async () => {
    const text = "word ".repeat(100);
    const provider = await startProvider((response) => {
      response.writeHead(200, EVENTS);
      for (const word of text.match(/.{1,5}/g)!) response.write(chatEvent({ content: word }));
      response.end(`${chatEvent({}, "stop")}data: [DONE]\n\n`);
    });
    const { events, error } = await collect(workerAt(provider, "openai-compatible"));
    expect(error).toBeUndefined();
    expect(events.map((event) => (event.type === "text-delta" ? event.text : "")).join("")).toBe(text);
  });
});

describe("the name of a model in a path", () => {
  it.each([
    ["gemini-3-pro", "/v1/models/gemini-3-pro:streamGenerateContent?alt=sse"],
    ["models/gemini-3-pro", "/v1/models/gemini-3-pro:streamGenerateContent?alt=sse"],
    ["tunedModels/mine", "/v1/tunedModels/mine:streamGenerateContent?alt=sse"],
    ["x?y=", "/v1/models/x%3Fy%3D:streamGenerateContent?alt=sse"],
    ["x#y", "/v1/models/x%23y:streamGenerateContent?alt=sse"],
    ["%2e%2e%2fx", "/v1/models/%252e%252e%252fx:streamGenerateContent?alt=sse"],
    ["a b", "/v1/models/a%20b:streamGenerateContent?alt=sse"],
    ["x\\..\\y", "/v1/models/x%5C..%5Cy:streamGenerateContent?alt=sse"],
    ["@evil.example", "/v1/models/%40evil.example:streamGenerateContent?alt=sse"],
  ])("%j leads to no other one", async (model, path) => {
    const provider = await startProvider((response) => response.writeHead(404).end());
    await collect(workerAt(provider, "google", model));
    expect(provider.requests.map((request) => request.path)).toEqual([path]);
  });

  it.each(["../../x?y=", "models/../../x", "a//b", "a/./b", "..", "/x", "x/", ""])(
    "%j is no name",
    async (model) => {
      const provider = await startProvider((response) => response.writeHead(404).end());
      const { error } = await collect(workerAt(provider, "google", model));
      expect(error).toMatchObject({ code: "unknown-model" });
      expect(provider.requests).toEqual([]);
    },
  );
});
