// What is configured and fails is an error with what to do; the rehearsal never answers in its place, and never in silence.

import { afterEach, describe, expect, it, vi } from "vitest";
import { runTutti } from "../testing/command.ts";
import { type ChatServer, startChatServer } from "../testing/gateway/chat-server.ts";

vi.setConfig({ testTimeout: 60_000 });

const CLOSED = "http://127.0.0.1:9/v1";
const KNOWN = "What is 17 * 23?";
const servers: ChatServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(options: { models?: string[]; listStatus?: number }): Promise<string> {
  const server = await startChatServer({ ...options, reply: () => "real" });
  servers.push(server);
  return server.baseUrl;
}

async function expectRefusal(env: Record<string, string>, message: RegExp): Promise<void> {
  for (const args of [["ask", KNOWN], ["ask", "--quiet", KNOWN], ["pool"]]) {
    const { code, stdout, stderr } = await runTutti(args, { env });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/rehearsal/i);
    expect([code, stdout]).toEqual([1, ""]);
  }
}

describe("where something is configured", () => {
  it("a closed port behind OPENAI_BASE_URL is an error that names it", async () => {
    await expectRefusal(
      { OPENAI_BASE_URL: CLOSED },
      /openai: nobody answers at http:\/\/127\.0\.0\.1:9\/v1\. Start that server, or mend OPENAI_BASE_URL/,
    );
  });

  it("a 401 on the list of models is an error that names the key", async () => {
    const OPENAI_BASE_URL = await serve({ listStatus: 401 });
    await expectRefusal(
      { OPENAI_BASE_URL, OPENAI_API_KEY: "a-key-only-for-this-test" },
      /refuses the key \(401\): put a valid one into OPENAI_API_KEY/,
    );
    await expectRefusal({ OPENAI_BASE_URL }, /refuses the key \(401\): set OPENAI_API_KEY/);
  });

  it("a list without a chat model is an error that names OPENAI_MODEL", async () => {
    const OPENAI_BASE_URL = await serve({ models: ["nomic-embed-text"] });
    await expectRefusal({ OPENAI_BASE_URL }, /lists no chat model\. Name its models in OPENAI_MODEL/);
  });

  it("the address of the provider itself without its key is an error", async () => {
    await expectRefusal(
      { OPENAI_BASE_URL: "https://api.openai.com/v1" },
      /OPENAI_BASE_URL is set and its key is missing: set OPENAI_API_KEY/,
    );
  });

  it("a server that dies after its list was read is an error too", async () => {
    const env = { OPENAI_BASE_URL: CLOSED, OPENAI_MODEL: "gone" };
    const { code, stdout, stderr } = await runTutti(["ask", "--quiet", KNOWN], { env });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("Nobody replied");
  });

  it("and what answers is real", async () => {
    const OPENAI_BASE_URL = await serve({ models: ["good"] });
    const { code, stdout, stderr } = await runTutti(["ask", "--quiet", "Write a haiku"], {
      env: { OPENAI_BASE_URL },
    });
    expect([code, stdout, stderr]).toEqual([0, "real\n", ""]);
  });
});

describe("the rehearsal", () => {
  it.each([[[]], [["--quiet"]], [["--json"]]])("is named with %j", async (flags) => {
    const { code, stderr } = await runTutti(["ask", ...flags, KNOWN]);
    expect(stderr).toMatch(/simulated workers/);
    expect(code).toBe(0);
  });

  it("says so on standard error when its pool is listed as JSON", async () => {
    const { stdout, stderr } = await runTutti(["pool", "--json"]);
    expect(stderr.replaceAll("\n", " ")).toContain("rehearsal pool (simulated workers)");
    expect(JSON.parse(stdout).length).toBeGreaterThan(2);
  });

  it.each([[[]], [["--pool", "rehearsal"]]])(
    "says before anybody is asked that it cannot answer, in one line with an example: %j",
    async (flags) => {
      const { code, stdout, stderr } = await runTutti(["ask", "--quiet", ...flags, "Write a haiku"]);
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr.trim().split("\n")).toHaveLength(1);
      expect(stderr).toMatch(/cannot answer this question/);
      expect(stderr).toMatch(/OPENAI_API_KEY, or run Ollama: ollama serve, then ollama pull/);
      const example = /tutti ask "([^"]+)"/.exec(stderr)![1]!;
      expect((await runTutti(["ask", "--quiet", example])).code).toBe(0);
    },
  );
});
