// A provider that keeps its own bill, as a process of its own: chat completions, responses, Anthropic's messages and
// Google's protocol, streamed and not. It bills when a request arrives, in full, whatever becomes of the reply: that is
// what reasoning models do. Whose request it was it knows by a mark in the text ("bill-to-NAME."). How it behaves is in
// the model's name. What it billed is asked over a second port. Prints both addresses as one line of JSON.
import { createServer } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { billOf } from "./fake-provider/bill.mjs";
import { DIALECTS, planFor } from "./fake-provider/replies.mjs";

const REPLY_WORDS = 24;
/** About twenty megabytes: whoever has not cut the stream by then does not cut it. */
const ENDLESS_PIECES = 60_000;
const PIECE_TOKENS = 50;
const SILENT_MS = 250;
const SLOW_WORD_MS = 25;
const QUESTION = /Question \d+ of kind \w+/;
const MARK = /bill-to-([\w-]+)\./;

let serial = 0;
const calls = [];
const keysSeen = new Set();

const server = createServer(async (request, response) => {
  response.on("error", () => {});
  const chunks = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    return;
  }
  const raw = Buffer.concat(chunks).toString("utf8");
  const sent =
    request.headers.authorization ?? request.headers["x-api-key"] ?? request.headers["x-goog-api-key"];
  for (const value of Object.values(request.headers)) keysSeen.add(String(value));
  if (request.method === "GET") return json(response, 200, { object: "list", data: [] });
  const dialect = dialectOf(request.url);
  let body;
  try {
    body = JSON.parse(raw);
  } catch {
    return json(response, 400, { error: { message: "no JSON", type: "invalid_request_error" } });
  }
  if (typeof body !== "object" || body === null) body = {};
  const model = String(body.model ?? /models\/([^:]+):/.exec(request.url)?.[1] ?? "none");
  await answer({ request, response, dialect, body, model, raw, key: String(sent ?? "") }).catch((error) => {
    process.stderr.write(`${error.stack}
`);
    if (!response.headersSent)
      json(response, 400, { error: { message: "odd", type: "invalid_request_error" } });
  });
});

async function answer({ request, response, dialect, body, model, raw, key }) {
  const isRefusing = /refuse|html|redirect|echo-error/.test(model);
  const thinks = /reason|silent|slow|endless/.test(model);
  const number = ++serial;
  const isPlan = raw.includes("You conduct a team");
  const text = isPlan ? planFor(number) : `reply-${number} ${"word ".repeat(REPLY_WORDS)}`;
  const bill = billOf(body, {
    textBytes: Buffer.byteLength(raw),
    thinks: thinks && !isPlan,
    replyTokens: REPLY_WORDS + 2,
    headers: request.headers,
  });
  const call = {
    serial: number,
    mark: MARK.exec(raw)?.[1] ?? "nobody",
    /** Everybody whose words were sent. */
    marks: [...new Set(raw.match(/bill-to-[\w-]+/g) ?? [])],
    question: QUESTION.exec(raw)?.[0],
    at: Date.now(),
    usd: isRefusing ? 0 : bill.usd,
    model,
    isPlan,
    isServed: false,
  };
  calls.push(call);
  response.on("finish", () => {
    call.isServed = true;
  });
  if (isRefusing) return refuse(response, model, key);
  const isStream = body.stream === true || request.url.includes("streamGenerateContent");
  const { whole, piece } = DIALECTS[dialect];
  if (/silent/.test(model)) {
    await wait(SILENT_MS);
    return void request.socket.destroy();
  }
  if (!isStream) {
    if (/slow/.test(model)) await wait(SLOW_WORD_MS * REPLY_WORDS);
    return json(response, 200, whole(model, withKey(model, text, key), bill, body));
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  if (/endless/.test(model)) {
    for (let i = 0; i < ENDLESS_PIECES && !response.destroyed; i++) {
      if (!response.write(piece(model, `word `.repeat(PIECE_TOKENS)))) await drained(response);
    }
    return void response.end();
  }
  const words = withKey(model, text, key).match(isPlan ? /[\s\S]+/g : /\S+\s*/g);
  for (const each of DIALECTS[dialect].stream(model, words, bill, body)) {
    if (response.destroyed) return;
    response.write(each);
    if (/slow/.test(model) && !isPlan) await wait(SLOW_WORD_MS);
    if (/cut/.test(model) && !isPlan) return void setTimeout(() => request.socket.destroy(), SLOW_WORD_MS);
  }
  response.end();
}

/** A provider, or somebody between, that tells the key it was given, in the forms in which keys are written. */
function withKey(model, text, key) {
  return /echo/.test(model) ? `${formsOf(key).join(" ")} ${text}` : text;
}

function formsOf(key) {
  const secret = key.replace(/^Bearer /, "");
  const base64 = Buffer.from(`key=${secret}`).toString("base64");
  return [secret, encodeURIComponent(secret), base64, base64.replaceAll("+", "-").replaceAll("/", "_")];
}

function refuse(response, model, key) {
  const [plain, percent, base64] = formsOf(key);
  if (/redirect/.test(model)) {
    const location = `http://${process.env.ATTACK_REDIRECT_TO ?? "127.0.0.1:9"}/v1/stolen?key=${percent}`;
    return void response.writeHead(307, { location, "x-told": plain }).end("elsewhere");
  }
  if (/html/.test(model)) {
    const page = `<html><script>alert(1)</script>${plain} ${percent} ${base64}</html>`;
    return void response.writeHead(502, { "content-type": "text/html", "x-told": plain }).end(page);
  }
  const status = /echo-error/.test(model) ? 400 : 429;
  const message = `Incorrect API key provided: ${plain}, ${percent}, ${base64}`;
  const headers = { "x-told": plain, "x-told-too": base64, "access-control-allow-origin": "*" };
  json(response, status, { error: { message, type: "x", code: plain } }, headers);
}

function dialectOf(url) {
  if (url.includes("/messages")) return "messages";
  if (url.includes("/responses")) return "responses";
  return url.includes("generateContent") || url.includes("GenerateContent") ? "google" : "chat";
}

function json(response, status, value, headers = {}) {
  const text = JSON.stringify(value);
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

function drained(response) {
  return new Promise((done) => {
    response.once("drain", done);
    response.once("close", done);
  });
}

function bill() {
  const byMark = {};
  for (const { mark, usd } of calls) {
    byMark[mark] ??= { usd: 0, calls: 0 };
    byMark[mark].usd += usd;
    byMark[mark].calls++;
  }
  return byMark;
}

const control = createServer((request, response) => {
  const answers = { "/bill": bill, "/calls": () => calls, "/headers": () => [...keysSeen] };
  json(response, 200, answers[request.url]?.() ?? {});
});

// Whoever started us is gone.
process.stdin.resume().on("end", () => process.exit(0));

server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  control.listen(0, "127.0.0.1", () => {
    const toUrl = (each) => `http://127.0.0.1:${each.address().port}`;
    console.log(JSON.stringify({ url: toUrl(server), control: toUrl(control) }));
  });
});
