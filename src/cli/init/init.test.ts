// `tutti init` as people run it, against servers on this machine.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { parse } from "yaml";
import { createHome, runTutti } from "../../testing/command.ts";
import { type ChatReply, type ChatServer, startChatServer } from "../../testing/gateway/chat-server.ts";
import { hasTmux, openTerminal } from "../../testing/tmux.ts";

vi.setConfig({ testTimeout: 60_000 });

const KEY = "a-key-only-for-this-test";
let server: ChatServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** This machine by an address that is not known to be one's own: what is asked there may cost money. */
async function toUnknownHost(): Promise<string> {
  server ??= await startChatServer({ models: ["good", "other"], reply: () => "ready" });
  return server.baseUrl.replace("127.0.0.1", "[::ffff:127.0.0.1]");
}

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

  it("says which key is refused, and goes on with the others", async () => {
    const refusing = await startChatServer({ listStatus: 401, reply: () => "hello" });
    const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: refusing.baseUrl };
    const { code, stderr } = await init([], { env });
    expect(stderr.replace(/\s+/g, " ")).toMatch(/! anthropic is left out: .+ refuses the key \(401\)/);
    expect([code, stderr.includes(KEY)]).toEqual([0, false]);
    await refusing.close();
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

  it("asks nobody whose price is unknown without a yes, and everybody with one", async () => {
    const env = { OPENAI_BASE_URL: await toUnknownHost() };
    const unasked = await init([], { env });
    expect(unasked.stderr).toMatch(/whether it replies \(its price is unknown\)/);
    expect(unasked.stderr).toMatch(/Not asked, since nobody said yes: tutti init --yes/);
    expect([unasked.code, server!.requests]).toEqual([0, []]);
    expect((await init(["--yes"], { env })).stderr).toMatch(/✓ openai\/good/);
    expect(server!.requests.map(({ model }) => model).sort()).toEqual(["good", "other"]);
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
      models: ['x"\nstore: "/tmp/elsewhere', "plain: {}", 'odd"#name:', "good"],
      reply: () => "ready",
    });
    const { code, text } = await init([]);
    expect(code).toBe(0);
    const { workers, ...rest } = parse(text);
    expect(Object.keys(rest).sort()).toEqual(["limits", "quality"]);
    expect(workers.map(({ model }: { model: string }) => model).sort()).toEqual([
      "openai/good",
      'openai/odd"#name:',
    ]);
    expect(text).toMatch(/^ {2}# openai\/x" store: "\/tmp\/elsewhere: a config cannot hold such a name$/m);
    expect(server.requests.map(({ model }) => model).sort()).toEqual(["good", 'odd"#name:']);
  });
});

describe.skipIf(!hasTmux)("tutti init on a terminal (needs tmux)", () => {
  async function open(words: string, env: Record<string, string> = {}) {
    server ??= await startChatServer({ models: ["good", "other"], reply: () => "ready" });
    const home = createHome();
    const all = { TUTTI_HOME: home, OPENAI_BASE_URL: server.baseUrl, OPENAI_API_KEY: KEY, ...env };
    const cwd = createHome();
    const terminal = openTerminal(words, all, cwd);
    return { ...terminal, home, again: (more: string) => openTerminal(more, all, cwd) };
  }

  it("asks before it asks, before it replaces and before it measures; no is no", async () => {
    const first = await open("init", { OPENAI_BASE_URL: await toUnknownHost() });
    try {
      await first.shows(/Ask them\? yes or no:/);
      first.keys("no", "Enter");
      await first.shows(/Wrote tutti\.config\.yaml[\s\S]+Measure them now\?[\s\S]+yes or no:/);
      first.keys("no", "Enter");
      await first.shows(/Later: tutti pool calibrate[\s\S]+Next: tutti ask[\s\S]+left with 0/);
      expect(server!.requests).toEqual([]);
    } finally {
      first.close();
    }
    const second = first.again("init");
    try {
      await second.shows(/is there already\. Replace it\? yes or no:/);
      second.keys("no", "Enter");
      await second.shows(/nothing was changed\.[\s\S]+left with 2/);
    } finally {
      second.close();
    }
  }, 90_000);

  it("measures the workers after a yes, and the next command knows it", async () => {
    const { home, again, ...terminal } = await open("init");
    try {
      await terminal.shows(/✓ openai\/good[\s\S]+60 small[\s\S]+yes or no:/);
      terminal.keys("yes", "Enter");
      await terminal.shows(/Next: tutti ask[\s\S]+left with 0/);
      expect(terminal.shown()).toMatch(/openai\/other +0 %/);
      // A tiny question and sixty tasks for each of the two.
      expect(server!.requests).toHaveLength(122);
      expect(existsSync(join(home, "calibration"))).toBe(true);
    } finally {
      terminal.close();
    }
  }, 120_000);
});
