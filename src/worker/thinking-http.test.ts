// Models that think aloud, over real HTTP: nothing of it in the answer, nor in what other steps are handed.

import { afterEach, describe, expect, it } from "vitest";
import { type ChatReply, startChatServer } from "../testing/gateway/chat-server.ts";
import { createTutti } from "../tutti/tutti.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (let close = closing.pop(); close; close = closing.pop()) await close();
});

async function open(replies: Record<string, () => ChatReply>) {
  const models = Object.keys(replies);
  const server = await startChatServer({ models, reply: ({ model }) => replies[model]!() });
  const workers = models.map((model) => ({ id: model, model: `local/${model}`, baseUrl: server.baseUrl }));
  const tutti = createTutti({ workers, store: "memory", retries: 0 }, { env: {}, onNotice: () => {} });
  closing.push(
    () => server.close(),
    () => tutti.close(),
  );
  return { server, tutti };
}

const step = (worker: number, access: "all" | number[] = []) => ({ worker, subtask: "Answer.", access });

describe("a worker that thinks aloud", () => {
  it.each(["<think>SECRET 41?</think>\n42", "SECRET 41?\n</think>\n\n42"])(
    "%j: the next step reads the answer alone",
    async (text) => {
      const { tutti, server } = await open({
        thinker: () => ({ text, chunks: text.length }),
        writer: () => "It is 42.",
      });
      const run = await tutti.ask("What is 6 × 7?", { workflow: { steps: [step(0), step(1, "all")] } });
      expect(run).toMatchObject({ answer: "It is 42.", stopReason: "done" });
      expect(run.steps[0]).toMatchObject({ reply: "42", reasoning: expect.stringContaining("SECRET") });
      expect(JSON.stringify(server.requests[1]!.messages)).toContain("42");
      expect(JSON.stringify(server.requests[1]!.messages)).not.toContain("SECRET");
    },
  );

  it("streams its answer without its thinking", async () => {
    const text = "<think>SECRET</think>\n42";
    const { tutti } = await open({ thinker: () => ({ text, chunks: text.length }) });
    const shown = { answer: "", progress: "" };
    const stream = tutti.stream("What is 6 × 7?", { workflow: { steps: [step(0)] } });
    for await (const event of stream)
      if (event.type === "step-delta") shown[event.answer ? "answer" : "progress"] += event.text;
    expect(shown).toEqual({ answer: "42", progress: "SECRET" });
  });

  it("without an opening tag is shown once by mistake, and never again", async () => {
    const text = "SECRET\n</think>\n42";
    const { tutti } = await open({ odd: () => ({ text, chunks: text.length }) });
    const ask = async () => {
      let answer = "";
      const stream = tutti.stream("What is 6 × 7?", { workflow: { steps: [step(0)] } });
      for await (const event of stream) if (event.type === "step-delta" && event.answer) answer += event.text;
      return { shown: answer, answer: (await stream.result).answer };
    };
    expect(await ask()).toEqual({ shown: "SECRET\n42", answer: "42" });
    expect(await ask()).toEqual({ shown: "42", answer: "42" });
  });

  it("and says nothing else has no reply: the next one is asked", async () => {
    const { tutti } = await open({ thinker: () => "<think>hm</think>", writer: () => "42" });
    const run = await tutti.ask("What is 6 × 7?", { workflow: { steps: [step(0)] } });
    expect(run.answer).toBe("42");
    expect(run.steps[0]!.failures).toMatchObject([{ worker: "thinker", error: { code: "empty-reply" } }]);
  });

  it("plans all the same, also where the plan stands in its thinking", async () => {
    const plan = 'model_id = [1]\nsubtasks = ["Answer it."]\naccess_list = [[]]';
    const { tutti, server } = await open({ thinker: () => `<think>${plan}</think>`, writer: () => "42" });
    const run = await tutti.ask("Why is 6 × 7 = 42? Explain it.", { conductor: "thinker" });
    expect(run).toMatchObject({ answer: "42", conductorCalls: 1 });
    expect(server.requests).toHaveLength(2);
  });
});
