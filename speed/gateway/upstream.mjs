// A provider that answers at once: chat completions, streamed and not, in a process of its own. Prints its address.
import { createServer } from "node:http";

const WORDS = Array.from({ length: 20 }, (_, number) => `word${number} `);
const usage = { prompt_tokens: 40, completion_tokens: 20, total_tokens: 60 };
const head = { id: "chatcmpl-zero", created: 1, model: "zero" };
const message = { role: "assistant", content: "A reply that is there at once." };
const whole = Buffer.from(
  JSON.stringify({
    ...head,
    object: "chat.completion",
    choices: [{ index: 0, message, finish_reason: "stop" }],
    usage,
  }),
);
const toEvent = (fields) =>
  `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", ...fields })}\n\n`;
const toDelta = (delta, finish_reason = null) => toEvent({ choices: [{ index: 0, delta, finish_reason }] });
const [first, ...rest] = WORDS.map((content) => toDelta({ content }));
const others = [...rest, toDelta({}, "stop"), toEvent({ choices: [], usage }), "data: [DONE]\n\n"].join("");

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    // Some gateways ask for more than answers, such as a list of models.
    if (request.method !== "POST" || chunks.length === 0) return void response.writeHead(404).end("{}");
    if (!JSON.parse(Buffer.concat(chunks).toString()).stream) {
      response.writeHead(200, { "content-type": "application/json", "content-length": whole.length });
      response.end(whole);
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(first);
    setImmediate(() => response.end(others));
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
