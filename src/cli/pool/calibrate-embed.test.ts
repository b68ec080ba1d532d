// `tutti pool calibrate` with embeddings, and the questions that are asked after it, against servers on loopback.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createTutti } from "../../index.ts";
import { createHome, runTutti } from "../../testing/command.ts";
import { startEmbeddingServer, toMadeUpQuestion, toMadeUpVector } from "../../testing/embeddings.ts";
import { startChatServer } from "../../testing/gateway/chat-server.ts";
import { closing } from "../../testing/gateway/keyed-gateway.ts";
import { type ProviderServer, startProvider } from "../../testing/gateway/provider-server.ts";
import { step } from "../../testing/stage.ts";

const KEY = "the-key-of-the-embeddings";
const TASKS = 40;

/** "odd" answers odd questions rightly and "even" even ones. */
async function createWorld() {
  const home = createHome();
  const server = await startChatServer({
    models: ["odd", "even"],
    reply: ({ model, messages }) => {
      const number = Number(/Question (\d+)/.exec(JSON.stringify(messages))?.[1]);
      return `Answer: ${(number % 2 === 1) === (model === "odd") ? number : 0}`;
    },
  });
  closing.push(() => server.close());
  const rows = Array.from({ length: TASKS }, (_, i) => ({ prompt: toMadeUpQuestion(i), answer: 100 + i }));
  writeFileSync(join(home, "own.jsonl"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  const workers = ["odd", "even"].map((id) => ({
    ...{
      id,
      model: `openai-compatible/${id}`,
      baseUrl: server.baseUrl,
      price: { inputUsd: 0, outputUsd: 0 },
    },
  }));
  const toConfig = (embedding?: ProviderServer) => ({
    workers,
    ...(embedding && {
      embeddings: { model: "acme/small", baseUrl: `${embedding.url}/v1`, apiKeyEnv: "ACME_KEY" },
    }),
  });
  const env = { TUTTI_HOME: home, ACME_KEY: KEY };

  return {
    home,
    chats: server.requests,
    /** Through the command. */
    async calibrate(embedding?: ProviderServer, ...args: string[]) {
      writeFileSync(join(home, "c.json"), JSON.stringify(toConfig(embedding)));
      const flags = ["--tasks", "own.jsonl", "--yes", "--config", "c.json", ...args];
      return runTutti(["pool", "calibrate", ...flags], { cwd: home, env });
    },
    saved: () => JSON.parse(readFileSync(join(home, "calibration/own.json"), "utf8")),
    /** Through the library: what is believed of "odd" and "even" for a question. */
    open(embedding?: ProviderServer) {
      const notices: string[] = [];
      const onNotice = (text: string) => void notices.push(text);
      const tutti = createTutti({ ...toConfig(embedding), store: "memory" }, { env, onNotice });
      closing.push(() => tutti.close());
      const believe = async (number: number) => {
        const run = await tutti.ask(toMadeUpQuestion(number), {
          workflow: { steps: [step(0, "Answer it.")] },
        });
        const [start] = await (await tutti.store()).loadRun(run.id);
        expect(run.hasAnswer).toBe(true);
        return start?.type === "run-start" ? start.pool.slice(0, 2).map(({ profile }) => profile!) : [];
      };
      return { believe, notices };
    },
  };
}

describe("with embeddings in the config", () => {
  it("measured questions are embedded once, and questions that are asked are read by them", async () => {
    const [world, embedding] = [await createWorld(), await startEmbeddingServer()];
    const first = await world.calibrate(embedding);
    expect(first).toMatchObject({ code: 0 });
    expect(first.stderr).toContain(`${TASKS} questions embedded by acme/small at 127.0.0.1:`);
    expect(world.saved().embeddings).toMatchObject({ dimension: 4, vectors: expect.any(String) });
    expect(embedding.requests.map(({ headers }) => headers.authorization)).toEqual(
      Array(2).fill(`Bearer ${KEY}`),
    );
    const again = await world.calibrate(embedding, "--json");
    expect(JSON.parse(again.stdout)).toMatchObject({ calls: 0, embedded: { dimension: 4, tasks: TASKS } });
    expect(embedding.requests).toHaveLength(2);

    const { believe, notices } = world.open(embedding);
    const [odd, even] = await believe(501);
    expect(odd!.probability).toBeGreaterThan(0.75);
    expect(even!.probability).toBeLessThan(0.25);
    await believe(501);
    expect(embedding.requests).toHaveLength(3);
    const [oddNow, evenNow] = await believe(502);
    expect(oddNow!.probability).toBeLessThan(evenNow!.probability!);
    expect(notices).toEqual([]);
  });

  it("a calibration of before gets its vectors by the same command, which asks no worker twice", async () => {
    const world = await createWorld();
    await world.calibrate();
    const before = world.saved();
    expect(before).not.toHaveProperty("embeddings");
    const embedding = await startEmbeddingServer();
    const { believe, notices } = world.open(embedding);
    await believe(501);
    await believe(503);
    expect(notices).toEqual([
      expect.stringMatching(/fewer than 24 measured .*tutti pool calibrate adds them/),
    ]);
    expect(embedding.requests).toEqual([]);
    const asked = world.chats.length;
    await world.calibrate(embedding);
    expect(world.chats).toHaveLength(asked);
    const { embeddings: _, ...rest } = world.saved();
    expect({ ...rest, source: "" }).toEqual({ ...before, source: "" });
    // And they stay where embeddings are switched off for once.
    const kept = world.saved().embeddings;
    await world.calibrate();
    expect(world.saved().embeddings).toEqual(kept);
  });

  it("a server that fails costs one line and no answer; beliefs are those without embeddings", async () => {
    const world = await createWorld();
    await world.calibrate(await startEmbeddingServer());
    const { embeddings, ...plain } = world.saved();
    const down = await startProvider((response) => void response.writeHead(500).end(`no: ${KEY}`));
    const other = await startEmbeddingServer((text) => [...toMadeUpVector(text), 1]);
    const file = join(world.home, "calibration/own.json");
    const rename = ({ url }: ProviderServer) => {
      const encoder = `acme/small at ${new URL(url).host}`;
      writeFileSync(file, JSON.stringify({ ...plain, embeddings: { ...embeddings, encoder } }));
    };
    const without = world.open();
    const expected = await without.believe(501);
    for (const [server, line] of [
      [down, /^Embeddings by acme\/small at .* are not used: it answers 500\. Questions are read without/],
      [other, /5 numbers for a question where measured ones have 4/],
    ] as const) {
      rename(server);
      const { believe, notices } = world.open(server);
      expect(await believe(501)).toEqual(expected);
      expect(await believe(501)).toEqual(expected);
      expect(notices).toEqual([expect.stringMatching(line)]);
      expect(notices.join()).not.toContain(KEY);
    }
    expect(down.requests).toHaveLength(1);
    expect(without.notices).toEqual([]);

    rename(down);
    writeFileSync(join(world.home, "own.jsonl"), '{"prompt":"Question 999?","answer":999}\n');
    const failed = await world.calibrate(down);
    expect(failed.code).toBe(0);
    expect(failed.stderr).toMatch(/^Embeddings by acme\/small at .* could not be had: it answers 500\./m);
    expect(failed.stdout + failed.stderr).not.toContain(KEY);
  });
});
