// kill −9 in the middle of a run: the journal knows what was paid for, and resuming does not pay twice.

import { describe, expect, it } from "vitest";
import { createHome, runTutti, startTutti } from "../testing/command.ts";
import { type ChatReply, type ChatServer, startChatServer } from "../testing/gateway/chat-server.ts";

const PLAN = `A chain.
model_id = [0, 1, 0]
subtasks = ["first part", "second part", "last part"]
access_list = [[], [0], ["all"]]`;

interface Scene {
  server: ChatServer;
  env: Record<string, string>;
  /** Resolves when the last step is asked for the first time. */
  lastAsked: Promise<void>;
  countOf(part: string): number;
}

async function createScene(lastReply: (asks: number) => ChatReply): Promise<Scene> {
  const asks = new Map<string, number>();
  let resolveLast = () => {};
  const lastAsked = new Promise<void>((resolve) => {
    resolveLast = resolve;
  });
  const server = await startChatServer({
    models: ["alpha", "beta"],
    reply: ({ messages }) => {
      const text = JSON.stringify(messages);
      if (text.includes("You conduct a team")) return PLAN;
      const part = /<<< your subtask · \w+\\n(.*?)\\n>>>/.exec(text)![1]!;
      asks.set(part, (asks.get(part) ?? 0) + 1);
      if (part !== "last part") return `done: ${part}`;
      resolveLast();
      return lastReply(asks.get(part)!);
    },
  });
  const env = { OPENAI_BASE_URL: server.baseUrl, TUTTI_HOME: createHome() };
  return { server, env, lastAsked, countOf: (part) => asks.get(part) ?? 0 };
}

describe("a killed process", () => {
  it("leaves a run that resumes: finished steps are asked once, the one that was running again", async () => {
    const scene = await createScene((asks) => (asks === 1 ? { hang: true } : "the whole answer"));
    const { child, finished } = startTutti(["ask", "a long question"], { env: scene.env });
    await scene.lastAsked;
    child.kill("SIGKILL");
    await finished;

    const listed = await runTutti(["runs", "--json"], { env: scene.env });
    const [summary] = JSON.parse(listed.stdout);
    expect(summary).toMatchObject({ state: "interrupted", question: "a long question" });

    const resumed = await runTutti(["runs", "resume", summary.id, "--json"], { env: scene.env });
    expect(resumed.stderr).not.toMatch(/\bat .*\.js:/);
    const run = JSON.parse(resumed.stdout);
    expect(run).toMatchObject({ id: summary.id, answer: "the whole answer", stopReason: "done" });
    expect(resumed.code).toBe(0);
    expect([scene.countOf("first part"), scene.countOf("second part"), scene.countOf("last part")]).toEqual([
      1, 1, 2,
    ]);

    const again = await runTutti(["runs", "resume", summary.id], { env: scene.env });
    expect(again.code).toBe(1);
    expect(again.stderr).toMatch(/is over/);
    await scene.server.close();
  });

  it("keeps what had arrived of the answer", async () => {
    const scene = await createScene(() => ({ text: "word ".repeat(40), chunks: 40, delayMs: 50 }));
    const { child, finished } = startTutti(["ask", "a long question"], { env: scene.env });
    let shown = "";
    await new Promise<void>((resolve) => {
      child.stdout!.on("data", (text: string) => {
        shown += text;
        // More than a second of text: at least one piece has been flushed to the journal by then.
        if (shown.length > 5 * 28) resolve();
      });
    });
    child.kill("SIGKILL");
    await finished;
    const listed = await runTutti(["runs", "--json"], { env: scene.env });
    const shownRun = await runTutti(["runs", "show", JSON.parse(listed.stdout)[0].id, "--json"], {
      env: scene.env,
    });
    expect(JSON.parse(shownRun.stdout).steps[2].partial).toMatch(/^(word ){15,}/);
    await scene.server.close();
  });

  it("is told from a living one: a run is not performed by two processes", async () => {
    const scene = await createScene(() => ({ hang: true }));
    const { child, finished } = startTutti(["ask", "a long question"], { env: scene.env });
    await scene.lastAsked;
    const listed = await runTutti(["runs", "--json"], { env: scene.env });
    const [summary] = JSON.parse(listed.stdout);
    expect(summary.state).toBe("running");
    const refused = await runTutti(["runs", "resume", summary.id], { env: scene.env });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/another process/);
    child.kill("SIGKILL");
    await finished;
    await scene.server.close();
  });
});
