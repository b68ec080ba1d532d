// Clients of every dialect at once, streamed and not, some of which leave: what each of them got, judged as its SDK
// would.
import { request } from "node:http";

const KINDS = [
  {
    path: "/v1/chat/completions",
    body: (text, user) => ({ messages: [{ role: "user", content: text }], user }),
  },
  { path: "/v1/responses", body: (input, user) => ({ input, user }) },
  {
    path: "/v1/messages",
    body: (text, user) => ({
      max_tokens: 500,
      messages: [{ role: "user", content: text }],
      metadata: { user_id: user },
    }),
  },
];
const MODELS = ["tutti", "tutti-fast", "stub/alpha"];
const LEAVING = 0.15;
const PATIENCE_MS = 60_000;

/** Until `endAt`; every client asks one thing after the other. */
export async function load({ url, agent, random, connections, endAt, firstMark, onResult }) {
  let mark = firstMark;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (Date.now() < endAt) onResult(await ask({ url, agent, random, mark: `mark-${++mark}` }));
    }),
  );
  return mark;
}

function ask({ url, agent, random, mark }) {
  const { path, body } = random.pick(KINDS);
  const model = random.pick(MODELS);
  const stream = random.next() < 0.5;
  const leavesAfterMs = random.next() < LEAVING ? random.integer(0, 300) : undefined;
  const kind = `${path.slice(4)} ${model}${stream ? " stream" : ""}`;
  const text = JSON.stringify({ model, stream, ...body(`${mark}: what is it?`, mark) });
  const startedAt = performance.now();
  return new Promise((resolve) => {
    let outcome = { status: 0, text: "" };
    let left = false;
    const done = (problem) => {
      clearTimeout(leaving);
      clearTimeout(late);
      const verdict = left ? "left" : (problem ?? judge(path, stream, outcome));
      resolve({ kind, mark, verdict, left, ms: performance.now() - startedAt, ...outcome });
    };
    const asking = request(
      `${url}${path}`,
      { method: "POST", agent, headers: { "content-type": "application/json" } },
      (response) => {
        outcome = { status: response.statusCode, text: "" };
        response.setEncoding("utf8").on("data", (chunk) => {
          outcome.text += chunk;
        });
        response.on("end", () => done()).on("error", (error) => done(`broken: ${error.code}`));
      },
    );
    asking.on("error", (error) => done(`no answer: ${error.code}`));
    const leaving =
      leavesAfterMs === undefined
        ? undefined
        : setTimeout(() => {
            left = true;
            asking.destroy();
            done();
          }, leavesAfterMs);
    const late = setTimeout(() => {
      asking.destroy();
      done(`no answer within ${PATIENCE_MS / 1000} s`);
    }, PATIENCE_MS);
    asking.end(text);
  });
}

/** "answer", "error" (in the dialect's shape), or what is wrong. */
function judge(path, stream, { status, text }) {
  if (status >= 400 || !stream) {
    const body = parse(text);
    if (status >= 400)
      return hasErrorShape(path, body) ? "error" : `no error of the dialect: ${text.slice(0, 200)}`;
    const isWhole = path.includes("chat")
      ? typeof body?.choices?.[0]?.message?.content === "string"
      : path.includes("responses")
        ? body?.status === "completed"
        : body?.type === "message" && body.stop_reason !== null;
    return isWhole ? "answer" : `no answer of the dialect: ${text.slice(0, 200)}`;
  }
  const datas = text.match(/^data: .*$/gm)?.map((line) => line.slice(6)) ?? [];
  const last = datas.at(-1);
  if (path.includes("chat")) {
    if (last === "[DONE]") return "answer";
    return hasErrorShape(path, parse(last)) ? "error" : `a stream without an end: ${text.slice(-200)}`;
  }
  const { type } = parse(last) ?? {};
  if (type === "response.completed" || type === "message_stop") return "answer";
  if (type === "response.failed" || type === "response.incomplete" || type === "error") return "error";
  return `a stream without an end: ${text.slice(-200)}`;
}

function hasErrorShape(path, body) {
  if (typeof body?.error?.message !== "string") return false;
  return path.includes("messages") ? body.type === "error" : "code" in body.error && "type" in body.error;
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
