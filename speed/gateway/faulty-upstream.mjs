// A provider on a bad day: chat completions, streamed and not; one request of five goes wrong. It keeps count of what
// it served to the end, by the mark that is in each question. In a process of its own; prints its address.
// Run: node speed/gateway/faulty-upstream.mjs <seed> <share of faults>
import { createServer } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { createRandom, hashSeed } from "../../dist/base/random.js";
import { renderWorkflow } from "../../dist/workflow/render.js";

const [seed = "1", share = "0.2"] = process.argv.slice(2);
const FAULTS = ["500", "429", "cut", "hang-up", "slow"];
const SLOW_MS = 1_000;
const PLANS = [
  { steps: [{ worker: 0, subtask: "Answer it.", access: [] }] },
  {
    steps: [
      { worker: 1, subtask: "Think about it.", access: [] },
      { worker: 2, subtask: "Answer it.", access: "all" },
    ],
  },
].map((plan) => renderWorkflow(plan));

const started = Date.now();
let requests = 0;
const faults = Object.fromEntries(FAULTS.map((name) => [name, 0]));
/** By mark: how many replies of workers were served whole. */
const served = {};

const server = createServer(async (request, response) => {
  if (request.url === "/counts")
    return void response.end(JSON.stringify({ requests, faults, served, started }));
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  const { model, stream, stream_options: options } = JSON.parse(text);
  const mark = /mark-\d+/.exec(text)?.[0] ?? "none";
  const random = createRandom(hashSeed(Number(seed), requests++));
  const fault = random.next() < Number(share) ? random.pick(FAULTS) : undefined;
  if (fault) faults[fault]++;
  if (fault === "hang-up") return void request.socket.destroy();
  if (fault === "500" || fault === "429") {
    const error = { message: "a bad day", type: "server_error", param: null, code: null };
    return void response
      .writeHead(Number(fault), { "content-type": "application/json" })
      .end(JSON.stringify({ error }));
  }
  if (fault === "slow") await wait(SLOW_MS);
  // Any of them may be asked to plan, where the planner fails.
  const isPlan = text.includes("You conduct a team");
  const words = isPlan
    ? [random.pick(PLANS)]
    : Array.from({ length: random.integer(2, 30) }, (_, number) => `word${number} `);
  response.on("finish", () => {
    if (fault !== "cut" && !isPlan) served[mark] = (served[mark] ?? 0) + 1;
  });
  const usage = { prompt_tokens: 40, completion_tokens: words.length, total_tokens: 40 + words.length };
  const head = { id: "chatcmpl-load", created: 1, model };
  if (!stream) {
    const message = { role: "assistant", content: words.join("") };
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    const whole = JSON.stringify({ ...head, object: "chat.completion", choices, usage });
    response.writeHead(200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(whole),
    });
    if (fault !== "cut") return void response.end(whole);
    response.write(whole.slice(0, whole.length / 2));
    await wait(5);
    return void response.destroy();
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (fields) =>
    response.write(`data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", ...fields })}\n\n`);
  const pieces = fault === "cut" ? words.slice(0, random.integer(0, words.length - 1)) : words;
  for (const content of pieces) {
    send({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
    if (random.next() < 0.2) await wait(random.integer(1, 20));
    if (response.destroyed) return;
  }
  if (fault === "cut") return void response.destroy();
  send({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
  if (options?.include_usage) send({ choices: [], usage });
  response.end("data: [DONE]\n\n");
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
