// A provider that calls a tool in every reply, at once: chat completions. Prints its address.
import { createServer } from "node:http";

let count = 0;
const server = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    const id = `call_${++count}`;
    const call = { id, type: "function", function: { name: "read", arguments: '{"path":"src/a.ts"}' } };
    const message = { role: "assistant", content: "I read on.", tool_calls: [call] };
    const head = { id: `chatcmpl-${count}`, created: 1, model: "zero" };
    const usage = { prompt_tokens: 40, completion_tokens: 20, total_tokens: 60 };
    const delta = { ...message, tool_calls: [{ index: 0, ...call }] };
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (fields) =>
      response.write(
        `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [], ...fields })}\n\n`,
      );
    send({ choices: [{ index: 0, delta, finish_reason: null }] });
    send({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }], usage });
    response.end("data: [DONE]\n\n");
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
