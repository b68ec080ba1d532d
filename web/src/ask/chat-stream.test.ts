import { afterEach, describe, expect, it, vi } from "vitest";
import { json, streamed, stubGateway } from "../../../src/testing/web-gateway.ts";
import { type ChatBody, streamChat } from "./chat-stream.ts";

afterEach(() => vi.unstubAllGlobals());

const BODY: ChatBody = { model: "tutti", messages: [{ role: "user", content: "How much is it?" }] };
const data = (chunk: unknown) => `data: ${typeof chunk === "string" ? chunk : JSON.stringify(chunk)}\n\n`;
const delta = (content: string | null) => data({ choices: [{ delta: { content } }] });

function chat(text: string, size = 1000, headers = {}) {
  const asked = stubGateway(streamed(text, size, headers));
  const [ids, texts]: [string[], string[]] = [[], []];
  const on = { runId: (id: string) => ids.push(id), text: (so: string) => texts.push(so) };
  return { asked, ids, texts, result: streamChat(BODY, on, new AbortController().signal) };
}

describe("a streamed answer", () => {
  const fields = { run_id: "r_1", calls: 2, cost_usd: 0.01, stop_reason: "done" };
  const text = [
    ": a comment\n\n",
    ...[delta(null), delta("It costs 5 € "), delta("— and no “more”.")],
    ...[data({ choices: [], tutti: fields }), data("[DONE]"), delta("never read")],
  ].join("");

  it.each([1, 2, 7, 64, 10_000])(
    "is put together from pieces of %i bytes, signs of several bytes too",
    async (size) => {
      const { asked, ids, texts, result } = chat(text, size, { "x-tutti-run-id": "r_1" });
      expect(await result).toEqual({ text: "It costs 5 € — and no “more”.", fields });
      expect(texts).toEqual(["It costs 5 € ", "It costs 5 € — and no “more”."]);
      expect(ids).toEqual(["r_1"]);
      expect(asked[0]).toMatchObject({ method: "POST", body: { ...BODY, stream: true } });
    },
  );

  it("fails with the words of an error that came in the middle", async () => {
    const { texts, result } = chat(
      delta("So far") + data({ error: { message: "The worker died.", code: "down" } }),
    );
    await expect(result).rejects.toMatchObject({ status: 502, code: "down", message: "The worker died." });
    expect(texts).toEqual(["So far"]);
  });

  it("is what arrived where the stream ends without a word", async () => {
    const { ids, result } = chat(delta("Half an ans"));
    expect(await result).toEqual({ text: "Half an ans", fields: undefined });
    expect(ids).toEqual([]);
  });

  it("is refused before it begins where the gateway refuses", async () => {
    stubGateway(json(429, { error: { message: "Too many.", code: "rate-limited" } }));
    await expect(streamChat(BODY, {}, new AbortController().signal)).rejects.toMatchObject({
      ...{ status: 429, message: "Too many." },
    });
  });
});
