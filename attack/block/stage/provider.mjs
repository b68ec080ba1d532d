// A provider on loopback that speaks chat completions, streamed and not. What it does depends on the model:
// "planner" sends everything to the first worker, "flood" streams a million tiny pieces, "line" one line of 64 MB,
// "large" replies with 4 MB, "drip" never ends, and any other answers at once.
import { createServer } from "node:http";

const PLAN = 'model_id = [0]\nsubtasks = ["Answer."]\naccess_list = [[]]';
const piece = (content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
const END = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage: { prompt_tokens: 9, completion_tokens: 9 } })}\n\ndata: [DONE]\n\n`;

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  if (request.method === "GET") return response.end(JSON.stringify({ object: "list", data: [] }));
  const { model, stream } = JSON.parse(Buffer.concat(chunks));
  const text = model === "planner" ? PLAN : model === "large" ? "x".repeat(4_000_000) : "An answer.";
  if (!stream) {
    const message = { role: "assistant", content: text };
    response.setHeader("content-type", "application/json");
    const usage = { prompt_tokens: 9, completion_tokens: 9 };
    return response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }], usage }));
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  if (model === "flood") await send(response, Array(1_000).fill(piece("x").repeat(1_000)));
  else if (model === "line")
    await send(response, ["data: ", ...Array(1_000).fill("x".repeat(64_000)), "\n\n"]);
  else if (model === "drip") return drip(response);
  else response.write(piece(text));
  response.end(END);
});

async function send(response, texts) {
  for (const text of texts) {
    if (response.destroyed) return;
    if (response.write(text)) continue;
    await new Promise((done) => {
      const go = () => done(response.off("drain", go).off("close", go));
      response.on("drain", go).on("close", go);
    });
  }
}

function drip(response) {
  const timer = setInterval(() => response.write(piece("x").repeat(100)), 5);
  response.on("close", () => clearInterval(timer));
}

server.listen(0, "127.0.0.1", () => process.send({ url: `http://127.0.0.1:${server.address().port}/v1` }));
process.on("disconnect", () => process.exit());
