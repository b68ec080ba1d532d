// After a finished loop of tools the client asks its next question, and a new run begins: its worker is sent the loop byte for
// byte as it was sent then, and what the client has edited since as the client has it now. Over the socket.

import { expect, it } from "vitest";
import type { ChatRequest } from "../testing/gateway/chat-server.ts";
import type { Loose } from "../testing/gateway/doors.ts";
import { startTestGateway } from "../testing/gateway/gateway.ts";
import { body, closing, start } from "../testing/gateway/keyed-gateway.ts";

const TOOLS = [{ name: "read", input_schema: { type: "object", properties: {} } }];

/** Thinks and calls `read` at the first two turns after each question, then answers. */
const agent = ({ messages }: ChatRequest) => {
  const said = messages.filter(({ role }) => role === "assistant").length;
  if (said % 3 === 2) return `Done with ${said}.`;
  return {
    text: `Turn ${said}.`,
    reasoning: `Thought ${said}.`,
    toolCalls: [{ id: `of-the-provider-${said}`, name: "read", arguments: `{ "path" : "${said}.ts" }` }],
  };
};

/** A client of the Messages dialect, which writes arguments anew, and whose every question ends its loop. */
async function startClient() {
  const gateway = await startTestGateway({ reply: agent });
  closing.push(() => gateway.close());
  const history: Loose[] = [];
  const ask = async (question: string, model: string, pool?: string[]) => {
    const first = gateway.asked().length;
    history.push({ role: "user", content: question });
    for (let calls: Loose[] = [{}]; calls.length > 0; ) {
      const sent = { model, max_tokens: 500, messages: history, tools: TOOLS, tutti: { pool } };
      const { content = [] } = await body(gateway.post("/v1/messages", sent));
      history.push({ role: "assistant", content });
      calls = content.filter(({ type }: Loose) => type === "tool_use");
      const results = calls.map(({ id, input }) => ({
        ...{ type: "tool_result", tool_use_id: id, content: `What is in ${JSON.stringify(input)}` },
      }));
      const reminders = ["The first reminder.", "The second one."].map((text) => ({ type: "text", text }));
      if (calls.length > 0) history.push({ role: "user", content: [...results, ...reminders] });
    }
    return gateway.asked().slice(first) as Loose[];
  };
  return { ask, history };
}

it.each([
  ["tutti-fast", ["stub/alpha"]],
  ["stub/alpha", undefined],
])(
  "%s: what a loop has sent comes again byte for byte, with thoughts, in the runs after it",
  async (model, pool) => {
    const { ask } = await startClient();
    let before = "";
    for (const question of ["One.", "Two.", "Three."]) {
      for (const { messages } of await ask(question, model, pool)) {
        const sent = JSON.stringify(messages).slice(0, -1);
        expect(sent.slice(0, before.length)).toBe(before);
        before = sent;
      }
    }
    const last = JSON.parse(`${before}]`) as Loose[];
    const ids = last.flatMap(({ tool_calls: calls = [] }) => calls.map(({ id }: Loose) => id));
    expect(ids).toEqual([0, 1, 3, 4, 6, 7].map((turn) => `of-the-provider-${turn}`));
    expect(last.find(({ role }) => role === "assistant").reasoning_content).toBe("Thought 0.");
  },
);

it("a reply that the client has edited is sent as edited, without the thoughts it had", async () => {
  const { ask, history } = await startClient();
  await ask("One.", "stub/alpha");
  const calling = history.filter(({ role }) => role === "assistant");
  calling[0].content.find(({ type }: Loose) => type === "text").text = "Redacted.";
  calling[1].content.find(({ type }: Loose) => type === "tool_use").input = { path: "redacted" };
  const [{ messages }] = (await ask("Two.", "stub/alpha")) as [Loose];
  const sent = JSON.stringify(messages);
  expect(messages[1].content).toBe("Redacted.");
  expect(sent).toContain("redacted");
  expect(sent).not.toMatch(/Thought|of-the-provider|Turn 0/);
});

it("another worker gets the conversation without thoughts and ids of the one before", async () => {
  const { ask } = await startClient();
  await ask("One.", "stub/alpha");
  const asked = await ask("Two.", "stub/beta");
  expect(asked[0].model).toBe("beta");
  expect(JSON.stringify(asked[0].messages)).not.toMatch(/Thought|of-the-provider/);
  expect(JSON.stringify(asked[0].messages)).toContain("Turn 0.");
});

it("what another key's run has said is told to nobody who repeats it", async () => {
  const gateway = await start({ ada: {}, bob: {} }, { reply: agent });
  const path = "/v1/messages";
  const asked = { model: "stub/alpha", max_tokens: 500, tools: TOOLS };
  const opening = { role: "user", content: "One." };
  const { content } = await body(gateway.ask({ ...asked, messages: [opening] }, "ada", path));
  const { id } = content.find(({ type }: Loose) => type === "tool_use");
  const result = {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: id, content: "It is empty." }],
  };
  const messages = [opening, { role: "assistant", content }, result];
  await body(gateway.ask({ ...asked, messages }, "bob", path));
  const sent = JSON.stringify(gateway.asked().at(-1)!.messages);
  expect(sent).toContain("It is empty.");
  expect(sent).not.toMatch(/Thought|of-the-provider/);
});
