// `tutti init` as people run it, against servers on this machine.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { parse } from "yaml";
import { createHome, runTutti } from "../../testing/command.ts";
import { type ChatReply, type ChatServer, startChatServer } from "../../testing/gateway/chat-server.ts";

vi.setConfig({ testTimeout: 60_000 });

const KEY = "a-key-only-for-this-test";
let server: ChatServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function init(args: string[], options: { reply?: (model: string) => ChatReply; env?: object } = {}) {
  const { reply = () => "ready", env = {} } = options;
  server ??= await startChatServer({ models: ["good", "other"], reply: ({ model }) => reply(model) });
  const home = createHome();
  const all = { OPENAI_BASE_URL: server.baseUrl, OPENAI_API_KEY: KEY, TUTTI_HOME: home, ...env };
  // Trust is not kept beside the config that it is for.
  const cwd = createHome();
  const run = (more: string[]) => runTutti(more, { env: all, cwd });
  const file = join(cwd, "tutti.config.yaml");
  return {
    ...(await run(["init", ...args])),
    run,
    file,
    text: existsSync(file) ? readFileSync(file, "utf8") : "",
  };
}

describe("tutti init", () => {
  it("writes a config without a key that the next command uses, also without a terminal", async () => {
    const { code, stdout, stderr, text, run } = await init([]);
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toMatch(/Found 2 workers:\n {2}openai\/good {2}from OPENAI_BASE_URL/);
    expect(stderr).toMatch(/✓ openai\/good/);
    expect(stderr).toMatch(/Conductor: openai\/good\n {2}openai\/good is the strongest/);
    expect(stderr).toMatch(/Measure: tutti pool calibrate\n.+\(60\s+small\s+tasks\s+each,\s+free\)/);
    expect(stderr).toMatch(/Next: tutti ask "/);
    expect(text).not.toContain(KEY);
    expect(parse(text)).toMatchObject({
      workers: [
        { model: "openai/good", baseUrl: server!.baseUrl, apiKeyEnv: "OPENAI_API_KEY" },
        { model: "openai/other" },
      ],
      quality: "balanced",
      limits: { usd: 1 },
    });
    const next = await run(["ask", "--quiet", "Write a haiku"]);
    expect([next.code, next.stdout]).toEqual([0, "ready\n"]);
  });

  it("asks each worker one tiny question, and leaves out who does not reply, with why", async () => {
    const reply = (model: string): ChatReply => (model === "other" ? { status: 500, body: "no" } : "ready");
    const { code, stderr, text } = await init([], { reply });
    expect(code).toBe(0);
    expect(stderr).toMatch(/✗ openai\/other {2}left out: /);
    expect(parse(text).workers).toHaveLength(1);
    expect(text).toMatch(/\n {2}# openai\/other: /);
    expect(server!.requests.filter(({ model }) => model === "good")).toHaveLength(1);
  });

  it("writes nothing where nobody replies", async () => {
    const { code, stderr, file } = await init([], { reply: () => ({ status: 401, body: "no" }) });
    expect(code).toBe(1);
    expect(stderr).toMatch(/None of them replies, so nothing was written\. openai\/good: /);
    expect(existsSync(file)).toBe(false);
  });

  it("never replaces a config unless it is told to", async () => {
    const { run, file, text } = await init([]);
    writeFileSync(file, "rounds: 2\n");
    const again = await run(["init"]);
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining("tutti init --force") });
    expect(readFileSync(file, "utf8")).toBe("rounds: 2\n");
    expect((await run(["init", "--force"])).code).toBe(0);
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it("asks for nothing that costs money without a yes", async () => {
    // A provider's own address is never asked here: its list cannot be read without a network.
    const env = {
      OPENAI_BASE_URL: "",
      OPENAI_API_KEY: "",
      ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
      ANTHROPIC_API_KEY: KEY,
    };
    const { stderr } = await init([], { env });
    expect(stderr).toMatch(/One tiny question to each of them .+ in all\)/);
    expect(server!.requests).toEqual([]);
  });

  it("tells all of it as JSON alone", async () => {
    const { code, stdout, stderr } = await init(["--json", "--yes"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toMatchObject({
      file: "tutti.config.yaml",
      workers: [{ id: "openai/good", check: { ok: true } }, { id: "openai/other" }],
      leftOut: [],
      conductor: { id: "openai/good", reason: expect.any(String) },
      calibrate: { tasks: 60, mostUsd: 0, command: "tutti pool calibrate" },
      next: expect.stringMatching(/^tutti ask /),
    });
  });

  it("says how to get a key or Ollama where there is nothing, and writes nothing", async () => {
    const home = createHome();
    const { code, stdout, stderr } = await runTutti(["init"], { env: { TUTTI_HOME: home }, cwd: home });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/export OPENAI_API_KEY=.+ollama serve, then ollama pull/);
    expect(existsSync(join(home, "tutti.config.yaml"))).toBe(false);
  });

  it("keeps a stranger's names of models from becoming fields of the config", async () => {
    server = await startChatServer({
      models: ['x"\nstore: "/tmp/elsewhere', "plain: {}", "good"],
      reply: () => "ready",
    });
    const { code, text, stderr } = await init([]);
    if (code === 0) expect(Object.keys(parse(text)).sort()).toEqual(["limits", "quality", "workers"]);
    else expect(stderr).toMatch(/model/);
  });
});
