import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { createHome, runTutti } from "../../testing/command.ts";
import { startChatServer } from "../../testing/gateway/chat-server.ts";
import { checkNode, type Finding } from "./checks.ts";

vi.setConfig({ testTimeout: 60_000 });

async function examine(env: Record<string, string> = {}, cwd?: string) {
  const { code, stdout } = await runTutti(["doctor", "--json"], { env, cwd });
  const found = JSON.parse(stdout) as Finding[];
  return { code, stdout, of: (name: string) => found.find((finding) => finding.name === name) };
}

describe("tutti doctor", () => {
  it("says that only the simulation would answer, and how to change that", async () => {
    const { code, of } = await examine();
    expect(of("workers")).toMatchObject({
      state: "warning",
      mend: expect.stringContaining("OPENAI_API_KEY"),
    });
    for (const name of ["node", "tutti", "config", "journal"])
      expect(of(name)).toMatchObject({ state: "ok" });
    expect(of("engine")).toBeDefined();
    expect(code).toBe(0);
  });

  it("names the workers of a server that answers", async () => {
    const server = await startChatServer({ models: ["good"], reply: () => "hello" });
    const { code, of } = await examine({ OPENAI_BASE_URL: server.baseUrl });
    expect(of("workers")).toMatchObject({ state: "ok", detail: "openai/good" });
    expect([code, server.requests]).toEqual([0, []]);
    await server.close();
  });

  it("fails where what is configured cannot be asked, and where the journal cannot be opened", async () => {
    const home = createHome();
    mkdirSync(join(home, "journal.db"));
    const { code, of } = await examine({ OPENAI_BASE_URL: "http://127.0.0.1:9/v1", TUTTI_HOME: home });
    expect(of("workers")).toMatchObject({
      state: "failed",
      detail: expect.stringContaining("nobody answers"),
    });
    expect(of("journal")).toMatchObject({ state: "failed", mend: expect.stringContaining("TUTTI_HOME") });
    expect(code).toBe(1);
  });

  it("says whether a key is taken, without showing it", async () => {
    const server = await startChatServer({ models: ["good"], reply: () => "hello" });
    const key = { OPENAI_API_KEY: "a-key-only-for-this-test" };
    const fine = await examine({ OPENAI_BASE_URL: server.baseUrl, ...key });
    expect(fine.of("OPENAI_API_KEY")).toMatchObject({
      state: "ok",
      detail: expect.stringContaining("takes it and lists 1 chat model"),
    });
    await server.close();
    const refusing = await startChatServer({ listStatus: 401, reply: () => "hello" });
    const { code, of, stdout } = await examine({ OPENAI_BASE_URL: refusing.baseUrl, ...key });
    expect(of("OPENAI_API_KEY")).toMatchObject({
      state: "failed",
      detail: expect.stringContaining("refuses it (401)"),
      mend: expect.stringContaining("export OPENAI_API_KEY="),
    });
    expect(stdout).not.toContain(key.OPENAI_API_KEY);
    expect(code).toBe(1);
    await refusing.close();
  });

  it("asks the addresses of a config, each once, and says which of them nobody answers at or refuse the key", async () => {
    const good = await startChatServer({ models: ["good"], reply: () => "hello" });
    const refusing = await startChatServer({ listStatus: 401, reply: () => "hello" });
    const cwd = createHome();
    const workers = [
      { id: "fine", model: "x/good", baseUrl: good.baseUrl },
      { id: "gone", model: "x/gone", baseUrl: "http://127.0.0.1:9/v1" },
      { id: "gone-too", model: "x/gone-too", baseUrl: "http://127.0.0.1:9/v1" },
      { id: "refused", model: "x/refused", baseUrl: refusing.baseUrl },
    ];
    writeFileSync(join(cwd, "tutti.config.json"), JSON.stringify({ workers }));
    const { code, of } = await examine({}, cwd);
    expect([code, of("fine"), of("workers")?.state]).toEqual([1, undefined, "ok"]);
    expect(of("gone, gone-too")).toMatchObject({
      state: "failed",
      detail: "nobody answers at http://127.0.0.1:9/v1",
      mend: expect.stringContaining("baseUrl"),
    });
    expect(of("refused")).toMatchObject({ state: "failed", detail: expect.stringContaining("(401)") });
    await good.close();
    await refusing.close();
  });

  it("says where the journal is, how large, of which format, and that it can be written", async () => {
    const { of } = await examine();
    expect(of("journal")?.detail).toMatch(/journal\.db, \d+\.\d MB, format \d+, writable$/);
    expect(of("local servers")).toMatchObject({ state: "ok" });
  });

  it("says that a config must be trusted, and how", async () => {
    const cwd = createHome();
    writeFileSync(join(cwd, "tutti.config.ts"), "export default {};");
    const { code, of } = await examine({}, cwd);
    expect(of("config")).toMatchObject({ state: "failed", mend: "read it, then: tutti config trust" });
    expect(code).toBe(1);
  });

  it("draws a line for each finding, with what mends it", async () => {
    const { stdout } = await runTutti(["doctor"]);
    expect(stdout).toMatch(/^✓ node +v\d/);
    expect(stdout).toMatch(/\n! workers .+/);
    expect(stdout).toMatch(/→ export OPENAI_API_KEY/);
  });
});

it("knows a Node that is too old", () => {
  expect(checkNode("v20.18.1")).toMatchObject({ state: "failed" });
  expect(checkNode("v20.19.0")).toMatchObject({ state: "ok" });
});
