// Five providers on the loopback, in one server: a good model, a slow one, a terse one, one that fails, one that chats.
import { createServer } from "node:http";
import { setTimeout as wait } from "node:timers/promises";

const PLAN =
  'model_id = [0, 1]\nsubtasks = ["Add the numbers", "Check the sum"]\naccess_list = [[], ["all"]]';
const REPLIES = {
  good: () => "17 and 25 are 42.\nAnswer: 42",
  slow: () => wait(300).then(() => "Answer: 42"),
  terse: () => "42",
  failing: () => undefined,
  chatty: () => `${"Let me think about that at length. ".repeat(20)}\nAnswer: 42`,
};

export const PROVIDERS = Object.keys(REPLIES);

/** Each provider at its own path: http://127.0.0.1:PORT/NAME/v1. */
export async function startProviders() {
  const server = createServer(async (request, response) => {
    const [, name] = request.url.split("/");
    let body = "";
    for await (const piece of request) body += piece;
    const { stream = false, model } = body === "" ? {} : JSON.parse(body);
    const isPlan = body.includes("access_list");
    const text = await (isPlan && name !== "failing" ? PLAN : REPLIES[name]?.());
    if (text === undefined) {
      response.writeHead(500, { "content-type": "application/json" });
      response.end('{"error":{"message":"out of order"}}');
      return;
    }
    const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
    const chunk = (choice, rest = {}) => ({
      id: "c",
      object: "chat.completion.chunk",
      created: 0,
      model,
      choices: [choice],
      ...rest,
    });
    if (stream) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const write = (value) => response.write(`data: ${JSON.stringify(value)}\n\n`);
      write(chunk({ index: 0, delta: { role: "assistant", content: text } }));
      write(chunk({ index: 0, delta: {}, finish_reason: "stop" }, { usage }));
      response.end("data: [DONE]\n\n");
      return;
    }
    response.writeHead(200, { "content-type": "application/json" });
    const message = { role: "assistant", content: text };
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    response.end(JSON.stringify({ id: "c", object: "chat.completion", created: 0, model, choices, usage }));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: server.address().port, close: () => server.close() };
}
