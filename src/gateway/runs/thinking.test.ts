// Models that think aloud, read by clients who cannot take back what they have read. Streamed, over the socket.

import { afterEach, describe, expect, it } from "vitest";
import type { ChatReply } from "../../testing/gateway/chat-server.ts";
import { startTestGateway, type TestGateway } from "../../testing/gateway/gateway.ts";

let gateway: TestGateway | undefined;
afterEach(() => gateway?.close());

async function start(reply: (count: number) => ChatReply): Promise<TestGateway> {
  gateway = await startTestGateway({
    reply: ({ countByModel }) => reply(countByModel),
    config: { retries: 1 },
    isThinkingUnknown: true,
  });
  return gateway;
}

const said = { role: "user", content: "Compare quicksort and mergesort, and say which one you would use." };
const DOORS: Record<string, { body: object; textOf(event: Record<string, never>): unknown }> = {
  "/v1/chat/completions": {
    body: { model: "tutti", messages: [said] },
    textOf: (event) => (event as { choices?: { delta: { content?: string } }[] }).choices?.[0]?.delta.content,
  },
  "/v1/messages": {
    body: { model: "tutti", max_tokens: 500, messages: [said] },
    textOf: (event) => (event as { delta?: { type?: string; text?: string } }).delta?.text,
  },
  "/v1/responses": {
    body: { model: "tutti", input: [said] },
    textOf: (event) =>
      (event as { type?: string }).type === "response.output_text.delta"
        ? (event as { delta?: string }).delta
        : "",
  },
};

/** The pieces of the answer, as a client reads them. */
async function read(path: string): Promise<{ pieces: string[]; raw: string }> {
  const { body, textOf } = DOORS[path]!;
  const response = await gateway!.post(path, { ...body, stream: true });
  const raw = await response.text();
  const events = [...raw.matchAll(/^data: (\{.+)$/gm)].map(([, data]) => JSON.parse(data!));
  return { pieces: events.map((event) => String(textOf(event) ?? "")).filter(Boolean), raw };
}

describe.each(Object.keys(DOORS))("streamed by %s", (path) => {
  it.each(["Okay, SECRET 41?\n</think>\n\nMergesort.", "<think>SECRET 41?</think>\nMergesort."])(
    "%j: the answer is there, and none of the thinking, the first time and after",
    async (text) => {
      await start(() => ({ text, chunks: text.length }));
      for (const _ of ["first", "second"]) {
        const { pieces, raw } = await read(path);
        expect(pieces.join("")).toBe("Mergesort.");
        expect(raw).not.toContain("SECRET");
      }
    },
  );
});

describe("a model that does not think aloud", () => {
  it("streams from its first reply", async () => {
    const text = "Mergesort, since it keeps its promise.";
    await start(() => ({ text, chunks: 8, delayMs: 20 }));
    const { pieces } = await read("/v1/chat/completions");
    expect(pieces.join("")).toBe(text);
    expect(pieces.length).toBeGreaterThan(1);
  });

  it("and begins as if it did is held until its first reply is over, and streams from then on", async () => {
    const text = "First sort by merging, since that keeps its promise.";
    await start(() => ({ text, chunks: 8, delayMs: 20 }));
    expect((await read("/v1/chat/completions")).pieces).toEqual([text]);
    const { pieces } = await read("/v1/chat/completions");
    expect(pieces.join("")).toBe(text);
    expect(pieces.length).toBeGreaterThan(1);
  });
});
