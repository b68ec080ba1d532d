import { expect, it } from "vitest";
import { startChatServer } from "./chat-server.ts";

it("answers without a stream, lists its models, and shows which requests overlapped", async () => {
  const server = await startChatServer({
    models: ["a", "b"],
    reply: ({ model, count, countByModel }) => ({
      text: `${model} ${count} ${countByModel}`,
      firstDelayMs: 30,
    }),
  });
  const ask = async (model: string) => {
    const body = JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] });
    const response = await fetch(`${server.baseUrl}/chat/completions`, { method: "POST", body });
    const reply = (await response.json()) as { choices: [{ message: { content: string } }]; usage: object };
    expect(reply.usage).toMatchObject({ prompt_tokens: 10 });
    return reply.choices[0].message.content;
  };
  try {
    const list = (await (await fetch(`${server.baseUrl}/models`)).json()) as { data: { id: string }[] };
    expect(list.data.map(({ id }) => id)).toEqual(["a", "b"]);
    await Promise.all([ask("a"), ask("b")]);
    expect(await ask("a")).toBe("a 2 1");
    await server.idle();
    const [first, second, third] = server.requests;
    expect(second!.startedAt).toBeLessThan(first!.endedAt!);
    expect(third!.startedAt).toBeGreaterThanOrEqual(first!.endedAt!);
    expect(server.requests.map(({ closedEarly }) => closedEarly)).toEqual([false, false, false]);
  } finally {
    await server.close();
  }
});
