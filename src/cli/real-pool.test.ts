// A pool of real servers as a user meets it at the terminal: who is a worker, who is left out, who conducts and why.

import { afterEach, describe, expect, it, vi } from "vitest";
import { createHome, runTutti } from "../testing/command.ts";
import { type ChatReply, type ChatServer, startChatServer } from "../testing/gateway/chat-server.ts";

vi.setConfig({ testTimeout: 60_000 });

const QUESTION = "Compare quicksort and mergesort for nearly sorted input, and say which one you would use.";
const PLAN = 'Two.\nmodel_id = [0, 1]\nsubtasks = ["Draft", "Finish"]\naccess_list = [[], ["all"]]';
const servers: ChatServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(models: string[], reply: (model: string, isPlan: boolean) => ChatReply) {
  const server = await startChatServer({
    models,
    reply: ({ model, messages }) =>
      reply(model, JSON.stringify(messages).includes("You conduct a team of models")),
  });
  servers.push(server);
  const env = { OPENAI_BASE_URL: server.baseUrl, TUTTI_HOME: createHome() };
  return { server, run: (...args: string[]) => runTutti(args, { env }) };
}

const good = (_: string, isPlan: boolean): ChatReply => (isPlan ? PLAN : "fine");

describe("tutti pool", () => {
  it("says who conducts and why", async () => {
    const { run } = await serve(["small-7b", "large-70b"], good);
    const { stdout, code } = await run("pool");
    expect(stdout.replaceAll("\n", " ")).toMatch(
      /Conductor: openai\/large-70b \(openai\/large-70b is the strongest of/,
    );
    expect(code).toBe(0);
    const entries = JSON.parse((await run("pool", "--json")).stdout) as { id: string; conducts?: string }[];
    expect(entries.filter(({ conducts }) => conducts).map(({ id }) => id)).toEqual(["openai/large-70b"]);
  });

  it("has no embedding model, also where it is named", async () => {
    const { run, server } = await serve(["good", "nomic-embed-text", "bge-reranker", "whisper-1"], good);
    const ids = (JSON.parse((await run("pool", "--json")).stdout) as { id: string }[]).map(({ id }) => id);
    expect(ids).toEqual(["openai/good"]);
    const { code, stderr } = await run("ask", "--pool", "openai/nomic-embed-text", QUESTION);
    expect([code, server.requests]).toEqual([2, []]);
    expect(stderr).toMatch(/nomic-embed-text/);
  });

  it("names the models beyond those that a pool takes", async () => {
    const { run } = await serve(
      Array.from({ length: 11 }, (_, i) => `model-${i + 1}b`),
      good,
    );
    const entries = JSON.parse((await run("pool", "--json")).stdout) as { id: string; state: string }[];
    const over = entries.filter(({ state }) => state === "over-limit").map(({ id }) => id);
    expect(over.sort()).toEqual(["openai/model-1b", "openai/model-2b", "openai/model-3b"]);
    const { stderr } = await run("ask", QUESTION);
    expect(stderr.replace(/\s+/g, " ")).toMatch(
      /are left out: a pool takes 8 of the 11 models of its server/,
    );
  });
});

describe("tutti ask", () => {
  it("asks the only model itself, without a plan", async () => {
    const { run, server } = await serve(["only"], good);
    expect(await run("ask", "--quiet", QUESTION)).toMatchObject({ code: 0, stdout: "fine\n" });
    expect(server.requests).toHaveLength(1);
  });

  it("replaces a planner that is dead", async () => {
    const { run, server } = await serve(["large-70b", "small-7b"], (model, isPlan) =>
      isPlan && model === "large-70b" ? { status: 401, body: "no" } : good(model, isPlan),
    );
    const { code, stdout } = await run("ask", "--quiet", QUESTION);
    expect([code, stdout]).toEqual([0, "fine\n"]);
    expect(server.requests.slice(0, 2).map(({ model }) => model)).toEqual(["large-70b", "small-7b"]);
  });

  it("says that a plan was cut, pays for it once, and shows the whole prompt afterwards", async () => {
    const { run, server } = await serve(["large-70b", "small-7b"], (model, isPlan) =>
      isPlan ? { text: "Let me think", finishReason: "length" } : good(model, isPlan),
    );
    const { code, stderr, stdout } = await run("ask", QUESTION);
    expect([code, stdout]).toEqual([0, "fine\n"]);
    expect(stderr.replace(/\s+/g, " ")).toContain("finish_reason length");
    expect(server.requests).toHaveLength(2);
    const runs = JSON.parse((await run("runs", "--json")).stdout) as { id: string }[];
    const shown = (await run("runs", "show", runs[0]!.id, "--messages")).stdout.replace(/\s+/g, " ");
    expect(shown).toContain("You conduct a team of models");
    expect(shown).toContain("Write the workflow for the task now.");
    expect(shown).toMatch(/Limits: 40 calls, \$1, 600 seconds/);
  });

  it.each(["large-70b", "openai/large-70b"])(
    "takes %s for a worker, with or without its provider",
    async (name) => {
      const { run, server } = await serve(["large-70b", "small-7b"], good);
      expect(await run("ask", "--quiet", "--pool", name, QUESTION)).toMatchObject({
        code: 0,
        stdout: "fine\n",
      });
      expect(server.requests.map(({ model }) => model)).toEqual(["large-70b"]);
    },
  );

  it("offers the nearest model of the server's list for one that it does not have", async () => {
    const { run, server } = await serve(["gpt-5", "gpt-5-mini"], (model) =>
      model.startsWith("gpt-5") ? "fine" : { status: 404, body: { error: { message: "no such model" } } },
    );
    const wrong = await run("ask", "--model", "openai/gpt-9", QUESTION);
    expect([wrong.code, wrong.stdout]).toEqual([1, ""]);
    expect(wrong.stderr.replace(/\s+/g, " ")).toContain('no model "gpt-9". Did you mean "gpt-5"?');
    const far = await run("ask", "--model", "openai/something-else", QUESTION);
    expect(far.stderr.replace(/\s+/g, " ")).toContain("There are: gpt-5, gpt-5-mini.");
    expect(server.requests.map(({ model }) => model)).toEqual(["gpt-9", "something-else"]);
  });

  it.each([
    [
      "This model's maximum context length is 2048 tokens. However, you asked for 3100.",
      "maximum context length",
    ],
    ["The model `tiny` is not a valid model ID", 'no model "tiny"'],
    ["Invalid model: tiny", 'no model "tiny"'],
    ["tiny does not support tools", "does not support tools"],
  ])("tells a request that a model cannot take from a model that is not there: %s", async (message, said) => {
    const { run } = await serve(["large-70b"], () => ({ status: 400, body: { error: { message } } }));
    const { code, stderr } = await run("ask", "--model", "openai/tiny", QUESTION);
    expect([code, stderr.replace(/\s+/g, " ")]).toEqual([1, expect.stringContaining(said)]);
  });

  it("offers the nearest worker and Conductor for a wrong one", async () => {
    const { run } = await serve(["large-70b", "small-7b"], good);
    expect((await run("ask", "--pool", "openai/large-7ob", "--quality", "hgh", QUESTION)).stderr).toContain(
      '"high"',
    );
    expect((await run("ask", "--pool", "lagre-70b", QUESTION)).stderr).toContain('Did you mean "large-70b"?');
    expect((await run("ask", "--conductor", "promted", QUESTION)).stderr).toContain(
      'Did you mean "prompted"?',
    );
    expect((await run("ask", "--pool", "rehersal", QUESTION)).stderr).toContain('Did you mean "rehearsal"?');
  });
});
