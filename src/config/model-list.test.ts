// Lists of models as a server may write them. Others are in discover.test.ts.

import type { ServerResponse } from "node:http";
import { expect, it } from "vitest";
import { startProvider } from "../testing/gateway/provider-server.ts";
import { listModels } from "./model-list.ts";

async function list(answer: (response: ServerResponse) => void) {
  const { url } = await startProvider(answer);
  return listModels({ protocol: "openai-compatible", baseUrl: url, apiKey: "k" }, { timeoutMs: 30_000 });
}

it("what is too long for a name is none: it would be repeated in errors", async () => {
  const data = [{ id: "good" }, { id: "x".repeat(1_000_000) }, { id: "y".repeat(256) }];
  const models = await list((response) => response.end(JSON.stringify({ data })));
  expect(models).toEqual({ ok: true, models: ["good", "y".repeat(256)] });
});

it("a list without end is given up", async () => {
  const models = await list((response) => response.end(`{"data":[${" ".repeat(9_000_000)}]}`));
  expect(models.ok).toBe(false);
});
