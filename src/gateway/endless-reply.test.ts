// A member of a team whose provider never ends: cut off, paid for on the high side, and somebody else answers. Over the
// socket.

import { expect, it } from "vitest";
import { body, type Keyed, start } from "../testing/gateway/keyed-gateway.ts";
import {
  chatEvent,
  EVENTS,
  type ProviderServer,
  startProvider,
  writeForEver,
} from "../testing/gateway/provider-server.ts";

const QUESTION = { model: "tutti-fast", messages: [{ role: "user", content: "Hello?" }], max_tokens: 50 };

async function begin(): Promise<{ gateway: Keyed; provider: ProviderServer }> {
  const provider = await startProvider((response, { body: asked }) => {
    response.writeHead(200, EVENTS);
    if (JSON.parse(asked).model === "endless") writeForEver(response, chatEvent({ content: "and so on " }));
    else response.end(`${chatEvent({ content: "Mine." }, "stop")}data: [DONE]\n\n`);
  });
  const workers = ["endless", "honest"].map((name) => ({
    id: `acme/${name}`,
    model: `acme/${name}`,
    baseUrl: `${provider.url}/v1`,
    thinking: "tagged" as const,
    price: { inputUsd: 1, outputUsd: 2 },
    profile: { success: name === "endless" ? 0.9 : 0.1 },
  }));
  return { gateway: await start({}, { config: { workers, conductor: undefined } }), provider };
}

it("somebody else answers where nothing has been shown yet", async () => {
  const { gateway, provider } = await begin();
  const response = await gateway.post("/v1/chat/completions", QUESTION);
  expect((await body(response)).choices[0].message.content).toBe("Mine.");
  await expect.poll(() => provider.cut()).toBe(1);
  const { steps } = await body(gateway.get(`/v1/runs/${response.headers.get("x-tutti-run-id")}`));
  const [failure] = steps[0].failures;
  expect(failure.error.code).toBe("endless-reply");
  // At the least as much as was written before it was cut off: no token is shorter than a byte.
  expect(failure.costUsd).toBeGreaterThan((60_000 * 2) / 1e6);
});

it("a stream that has begun ends with an error, and not with the provider", async () => {
  const { gateway, provider } = await begin();
  const response = await gateway.post("/v1/chat/completions", { ...QUESTION, stream: true });
  const text = await response.text();
  expect(text.length).toBeLessThan(10_000_000);
  expect(text).toContain('"error":{');
  await expect.poll(() => provider.cut()).toBe(1);
});
