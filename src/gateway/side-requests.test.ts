// What agents ask beside their work goes to the cheapest worker that can take it; what may be work does not. Over the socket.

import { afterEach, describe, expect, it } from "vitest";
import type { Loose } from "../testing/gateway/doors.ts";
import { startTestGateway } from "../testing/gateway/gateway.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** `beta` is the cheapest. Nobody answers: who would have been asked is what counts here. */
async function start() {
  const gateway = await startTestGateway({
    config: {
      workers: ["alpha", "beta", "planner"].map((name) => ({
        id: `stub/${name}`,
        model: `stub/${name}`,
        baseUrl: "http://127.0.0.1:9",
        price: name === "beta" ? { inputUsd: 0.1, outputUsd: 0.2 } : { inputUsd: 1, outputUsd: 2 },
      })),
    },
  });
  closing.push(() => gateway.close());
  return gateway;
}

const TITLE =
  "Generate a concise title of at most 6 words for this coding session. Reply with the title only.";
const chat = (system: string, text: string, more: object = {}) => ({
  model: "tutti",
  messages: [
    { role: "system", content: system },
    { role: "user", content: text },
  ],
  ...more,
});

describe("a request beside the work", () => {
  it.each<[string, Loose, boolean]>([
    ["a title", chat(TITLE, "Make the parser faster."), true],
    ["a ping", { model: "tutti", max_tokens: 1, messages: [{ role: "user", content: "quota" }] }, true],
    [
      "a summary",
      chat("Summarize this conversation in one short sentence.", "user: hi\nassistant: hello"),
      true,
    ],
    [
      "a title with tools",
      chat(TITLE, "x", {
        tools: [{ type: "function", function: { name: "f", parameters: { type: "object" } } }],
      }),
      false,
    ],
    [
      "a question about titles",
      chat("You help writers.", "Write a short title for my novel about bees."),
      false,
    ],
    ["a long summary", chat("Summarize this conversation briefly.", "word ".repeat(8_000)), false],
  ])("%s", async (_, body, isSide) => {
    const gateway = await start();
    const response = await gateway.post("/v1/chat/completions", body);
    await response.text();
    const { data } = (await (await fetch(`${gateway.url}/v1/runs`)).json()) as Loose;
    const run = (await (await fetch(`${gateway.url}/v1/runs/${data[0].id}`)).json()) as Loose;
    if (!isSide) return expect(run.settings.side).toBeUndefined();
    expect(run.settings.side).toMatchObject({ kind: "side-request", worker: 1 });
    expect(run.settings.side.usd).toBeLessThan(run.settings.side.usualUsd);
    expect(run.settings.conductorReason).toContain("stub/beta is the cheapest that can");
  });
});
