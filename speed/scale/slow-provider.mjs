// A provider that takes between one and five seconds for each call, by the number in its question, and keeps how long it really
// took: what a run takes beyond the calls it waited for is ours. Chat completions, streamed. Prints its address.
import { createServer } from "node:http";

const LEAST_MS = 1_000;
const SPREAD_MS = 4_000;
const CHUNK = { id: "chatcmpl-slow", created: 1, model: "slow", object: "chat.completion.chunk" };
const usage = { prompt_tokens: 40, completion_tokens: 10, total_tokens: 50 };
const toEvent = (fields) => `data: ${JSON.stringify({ ...CHUNK, ...fields })}\n\n`;
const REPLY = [
  toEvent({
    choices: [{ index: 0, delta: { content: "A reply that took its time." }, finish_reason: null }],
  }),
  toEvent({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
  toEvent({ choices: [], usage }),
  "data: [DONE]\n\n",
].join("");
/** By the number of the question: of all its calls together. */
const waitedMs = new Map();
let calls = 0;

const server = createServer((request, response) => {
  if (request.method === "GET") {
    const waited = request.url === "/waited" ? { calls, waitedMs: Object.fromEntries(waitedMs) } : {};
    return void response.end(JSON.stringify(waited));
  }
  const from = performance.now();
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const number = /\((\d{8})\)/.exec(Buffer.concat(chunks).toString())?.[1];
    calls++;
    // Another one for each call of a run, and the same in every measurement.
    const share = ((Number(number) * 2_654_435_761 + calls * 40_503) % 4_096) / 4_096;
    setTimeout(
      () => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end(REPLY);
        waitedMs.set(number, (waitedMs.get(number) ?? 0) + performance.now() - from);
      },
      LEAST_MS + SPREAD_MS * share,
    );
  });
});
server.keepAliveTimeout = 60_000;
server.listen({ port: 0, host: "127.0.0.1", backlog: 4_096 }, () =>
  console.log(`http://127.0.0.1:${server.address().port}`),
);
