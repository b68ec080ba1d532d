// Clients as people have them: each asks, and where its connection breaks does what our guide tells it to. One that named its
// request (an idempotency key, or the id of its response) comes back for that very answer at any gateway; one that did not asks
// anew. Every request ends in one of three ways: answered, told why not, or neither.
import { setTimeout as wait } from "node:timers/promises";
import { parse, send } from "../../attack/tools/http.mjs";
import { question } from "../../attack/tools/stage.mjs";

/** Far longer than anything takes here: a machine with much else to do is no fault. */
const PATIENCE_MS = 180_000;
const AGAIN_MS = 250;
/** One lane in so many asks with a key whose budget is soon spent. */
const TIGHT_LANE = 4;
const TEAM = { pool: "fake/plain,fake/slow,fake/planner" };
const OVER = ["completed", "failed", "cancelled", "incomplete"];
/** What SDKs send again by themselves. */
const AGAIN = [408, 409, 429, 502, 503, 504];

/** Each kind of client: what it sends, whether its reply is whole, and how it comes back. */
const KINDS = {
  team: {
    isNamed: true,
    path: "/v1/chat/completions",
    toBody: (text) => ({ model: "tutti", stream: true, messages: toMessages(text), tutti: TEAM }),
    isWhole: (text) => text.includes("data: [DONE]"),
  },
  messages: {
    isNamed: true,
    path: "/v1/messages",
    toBody: (text) => ({ model: "tutti", max_tokens: 500, messages: toMessages(text), tutti: TEAM }),
    isWhole: (text) => parse(text)?.stop_reason !== undefined,
  },
  response: {
    path: "/v1/responses",
    toBody: (text) => ({ model: "tutti", stream: true, input: text, tutti: TEAM }),
    isWhole: (text) => text.includes('"response.completed"'),
    idOf: (text) => /"id":"(resp_[^"]+)"/.exec(text)?.[1],
  },
  background: {
    isNamed: true,
    path: "/v1/responses",
    toBody: (text) => ({ model: "tutti", background: true, input: text, tutti: TEAM }),
    isWhole: (text) => parse(text)?.id !== undefined,
    idOf: (text) => parse(text)?.id,
    isRead: true,
  },
  relay: {
    path: "/v1/chat/completions",
    toBody: toRelayBody,
    isWhole: (text) => text.includes("data: [DONE]"),
  },
  /** Passed through, and sent again for the same reply. */
  named: {
    isNamed: true,
    path: "/v1/chat/completions",
    toBody: toRelayBody,
    isWhole: (text) => text.includes("data: [DONE]"),
    serialOf: (text) => Number(/reply-(\d+) /.exec(textOf(text))?.[1]),
  },
};

function toRelayBody(text) {
  return { model: "fake/slow", stream: true, max_tokens: 500, messages: toMessages(text) };
}
/** What a stream of chunks says. */
const textOf = (stream) =>
  [...stream.matchAll(/^data: (\{.*)$/gm)]
    .map(([, json]) => parse(json)?.choices?.[0]?.delta?.content ?? "")
    .join("");
const toMessages = (content) => [{ role: "user", content }];

export function createClients(scene) {
  const told = { asked: 0, answered: 0, cut: 0, streamsCut: 0, refused: {}, neither: [] };
  /** Ids of responses that were promised in the background. */
  const promised = [];
  /** Questions that were passed through under a name: which reply of the provider each was answered with. */
  const relayed = [];
  let number = 0;

  /** One request of this kind to its end. */
  async function ask(kindName, key) {
    told.asked++;
    const kind = KINDS[kindName];
    const until = performance.now() + PATIENCE_MS;
    for (let body, serial; ; await wait(AGAIN_MS)) {
      // Whoever did not name the request asks something new.
      if (body === undefined || !kind.isNamed) {
        serial = ++number;
        body = kind.toBody(question(key.name, `Question ${serial} of kind ${kindName}: what is it?`));
      }
      const headers = kind.isNamed ? { "idempotency-key": `${kindName}-${serial}` } : {};
      const gateway = scene.pick();
      if (gateway) {
        const reply = await askOnce(gateway, kind, { body, headers, key });
        if (reply.id) return finish(await read(reply.id, key, until), kindName, serial);
        if (reply.end) return finish(reply, kindName, serial);
        if (reply.isCut) told.cut++;
        if (reply.isCut && body.stream && reply.hasBegun) told.streamsCut++;
      }
      if (performance.now() > until) return void told.neither.push(`${kindName} ${serial}: never answered`);
    }
  }

  async function askOnce(gateway, { path, isWhole, idOf, isRead, serialOf }, { body, headers, key }) {
    const { status, text, error } = await send(`${gateway.url}${path}`, {
      body,
      headers: { authorization: `Bearer ${key.secret}`, ...headers },
      timeoutMs: PATIENCE_MS,
    });
    if (error === "timeout") return { end: "neither", why: "hangs" };
    if (status >= 400) return toRefusal(status, text);
    const id = idOf?.(text);
    if (status === 200 && isWhole(text) && isRead) promised.push({ id, key });
    if (status === 200 && isWhole(text) && serialOf)
      relayed.push({ name: key.name, text: body.messages[0].content, serial: serialOf(text) });
    if (status === 200 && isWhole(text)) return isRead ? { id } : { end: "answered" };
    const code = /event: (?:error|response\.failed)|"error":\{"message"/.test(text) && codeOf(text);
    if (code) return AGAIN_CODES.has(code) ? { isCut: true } : { end: "told", why: code };
    return { isCut: true, hasBegun: text.length > 0, id };
  }

  /** The answer by its id, at whichever gateway lives. */
  async function read(id, key, until) {
    for (;;) {
      const gateway = scene.pick();
      const headers = { authorization: `Bearer ${key.secret}` };
      const { status, text } = gateway ? await send(`${gateway.url}/v1/responses/${id}`, { headers }) : {};
      const state = parse(text)?.status;
      if (status === 200 && OVER.includes(state))
        return state === "completed" ? { end: "answered" } : { end: "told", why: state };
      if (status === 404) return { end: "neither", why: `${id} is lost` };
      if (performance.now() > until) return { end: "neither", why: `${id} is ${state ?? status} for ever` };
      await wait(AGAIN_MS);
    }
  }

  function finish({ end, why }, kind, serial) {
    if (end === "answered") told.answered++;
    else if (end === "told") told.refused[why] = (told.refused[why] ?? 0) + 1;
    else told.neither.push(`${kind} ${serial}: ${why}`);
    return end;
  }

  return {
    told,
    promised,
    relayed,
    ask,
    /** So many lanes ask one thing after the other until `isOver`. */
    async load({ lanes, random, isOver }) {
      const kinds = Object.keys(KINDS);
      const [wide, tight = wide] = scene.keys;
      const lane = async (i) => {
        while (!isOver()) {
          const end = await ask(random.pick(kinds), i % TIGHT_LANE === 0 ? tight : wide);
          if (end !== "answered") await wait(AGAIN_MS);
        }
      };
      await Promise.all(Array.from({ length: lanes }, (_, i) => lane(i)));
    },
  };
}

const AGAIN_CODES = new Set(["overloaded", "journal_failed", "run_busy"]);
const codeOf = (text) => /"code":\s*"([^"]+)"/.exec(text)?.[1] ?? "error";

function toRefusal(status, text) {
  const error = parse(text)?.error;
  if (!error?.message) return { end: "neither", why: `${status} without a word` };
  const code = error.code ?? error.type;
  if (AGAIN.includes(status) && !/budget/.test(`${code} ${error.message}`)) return {};
  return { end: "told", why: code };
}
