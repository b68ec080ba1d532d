// What people meet, over real HTTP: a server of models that are good, slow, failing, thinking and chatty (talking-models.ts).

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createHome, runTutti } from "../testing/command.ts";
import type { ChatServer } from "../testing/gateway/chat-server.ts";
import { startTalkingModels } from "../testing/gateway/talking-models.ts";

vi.setConfig({ testTimeout: 60_000 });

const QUESTION = "Compare quicksort and mergesort for nearly sorted input, and say which one you would use.";

let server: ChatServer;
beforeAll(async () => {
  server = await startTalkingModels();
});
afterAll(() => server.close());

async function ask(models: string, ...flags: string[]) {
  const before = server.requests.length;
  const env = {
    TUTTI_HOME: createHome(),
    OPENAI_API_KEY: "a key for a test",
    OPENAI_BASE_URL: server.baseUrl,
    OPENAI_MODEL: models,
  };
  const finished = await runTutti(["ask", "--allow-unknown-price", ...flags, QUESTION], { env });
  const said = `${finished.stdout}${finished.stderr}`.replace(/\s+/g, " ");
  return { ...finished, said, asked: server.requests.slice(before).map(({ model }) => model) };
}

describe("a pool that is broken", () => {
  it("is an error, and nothing is simulated", async () => {
    const { code, stdout, said } = await ask("failing", "--quiet");
    expect([code, stdout]).toEqual([1, ""]);
    expect(said).toMatch(/failing.*out of order/);
    expect(said).not.toMatch(/rehearsal|simulated/i);
  });
});

describe("a question with an image", () => {
  const withImage = (...flags: string[]) => {
    const path = join(createHome(), "dot.png");
    writeFileSync(path, Buffer.from("89504e470d0a1a0a", "hex"));
    return ["--file", path, ...flags];
  };

  it("is refused before anybody is asked where nobody sees images", async () => {
    const { code, stdout, said, asked } = await ask("deepseek-chat,qwen3-8b", ...withImage());
    expect([code, stdout, asked]).toEqual([2, "", []]);
    expect(said).toContain(
      "nobody in the pool sees images (there are: openai/qwen3-8b, openai/deepseek-chat)",
    );
  });

  it("goes to those of whom that is not known", async () => {
    const { code, asked } = await ask("deepseek-chat,good", ...withImage("--model", "good"));
    expect([code, asked]).toEqual([0, ["good"]]);
    expect(JSON.stringify(server.requests.at(-1)!.messages)).toContain("data:image/png;base64,");
  });
});

describe("a planner", () => {
  it("that is dead is replaced, and the answer is real", async () => {
    const { code, stdout, asked, said } = await ask("failing,good");
    expect([code, stdout]).toEqual([0, "**Good** reply to message 1.\n"]);
    expect(asked[0]).toBe("failing");
    expect(asked).toContain("good");
    expect(said).toMatch(/failing/);
  });

  it.each(["chatty", "thinking"])("that is %s has its plan read", async (planner) => {
    const { code, asked, said } = await ask(`good,${planner}`, "--conductor", planner);
    expect(code).toBe(0);
    expect(asked).toEqual([planner, "good", planner]);
    expect(said).not.toContain("SECRET");
  });

  it("that writes none is said to have written none, and the question is answered all the same", async () => {
    const { code, said, stdout } = await ask("good,unopened", "--conductor", "unopened");
    expect(code).toBe(0);
    expect(said).toMatch(/No plan: .+answers alone/);
    expect(stdout).toBe("**Good** reply to message 1.\n");
  });
});

describe("a worker", () => {
  it("that is slow falls to the deadline, with what has arrived", async () => {
    const { code, stdout, said } = await ask("slow", "--deadline-ms", "2500");
    expect(stdout).toMatch(/^(slowly )+slowly\s*$/);
    expect(said).toMatch(/2\.5 s/);
    expect(code).toBe(0);
  });

  it.each(["thinking", "unopened"])(
    "that is %s answers without its thinking, piped and as JSON",
    async (model) => {
      const plain = await ask(model);
      expect([plain.code, plain.stdout]).toEqual([0, "Thought through.\n"]);
      expect(plain.said).not.toContain("SECRET");
      const { stdout } = await ask(model, "--json");
      expect(JSON.parse(stdout)).toMatchObject({ answer: "Thought through." });
    },
  );
});
