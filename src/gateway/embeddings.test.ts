// Embeddings behind the gateway: a server that reads questions, and may charge for it, is a model like any other. A key
// reaches it only where it may, and one with a budget never, because nobody reserves what it charges.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { saveCalibration } from "../calibration/file.ts";
import {
  startEmbeddingServer,
  toMadeUpCalibration,
  toMadeUpEmbeddings,
  toMadeUpQuestion,
} from "../testing/embeddings.ts";
import { closing, start } from "../testing/gateway/keyed-gateway.ts";

it("questions of a key that may not ask it, or has a budget, are read by their words", async () => {
  const server = await startEmbeddingServer();
  const home = mkdtempSync(join(tmpdir(), "tutti-embeddings-"));
  closing.push(() => rmSync(home, { recursive: true, force: true }));
  const measured = { ...toMadeUpCalibration(40), workers: ["stub/alpha", "stub/beta"] };
  const encoder = `acme/small at ${new URL(server.url).host}`;
  await saveCalibration(home, "own", { ...measured, embeddings: toMadeUpEmbeddings(measured, encoder) });
  const gateway = await start(
    {
      free: {},
      budget: { budget: { usd: 1, window: "total" } },
      without: { without: ["acme"] },
      only: { only: ["stub"] },
      both: { only: ["stub", "acme/small"] },
    },
    { home, config: { embeddings: { model: "acme/small", baseUrl: `${server.url}/v1` } } },
  );
  const embedded: Record<string, number> = {};
  for (const [number, key] of Object.keys(gateway.secrets).entries()) {
    server.requests.length = 0;
    const messages = [{ role: "user", content: toMadeUpQuestion(50 + number) }];
    expect((await gateway.ask({ model: "tutti", messages }, key)).status).toBe(200);
    embedded[key] = server.requests.length;
  }
  expect(embedded).toEqual({ free: 1, budget: 0, without: 0, only: 0, both: 1 });
});
