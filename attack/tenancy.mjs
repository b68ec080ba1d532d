// One key tries to see, change or go on with what another key has; and requests without a good key try every route.
import { createHash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { parse, send } from "./tools/http.mjs";
import { openStage, question } from "./tools/stage.mjs";

const SECRET_WORDS = "alice-keeps-this-4711";
const TRIES = 110;
const TOOLS = [
  { type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } },
];

export default {
  name: "tenancy",
  what: "reach what another key has, or anything without a key",
  tries: TRIES,
  run,
};

async function run() {
  const stage = await openStage();
  const alice = await stage.createKey({ name: "alice" });
  const bob = await stage.createKey({ name: "bob" });
  const problems = [];
  const owned = await prepare(stage, alice.secret);
  const tries = toTries(owned, alice);
  for (const { what, path, ...request } of tries) {
    const { status, text, headers } = await stage.ask(path, {
      key: bob.secret,
      timeoutMs: 3_000,
      ...request,
    });
    const isTold = text.includes(SECRET_WORDS) || owned.ids.some((id) => headers["x-tutti-run-id"] === id);
    if (isTold || (request.isRefused && status === 200))
      problems.push(`${what}: ${status} ${text.slice(0, 80)}`);
  }
  problems.push(...(await findDamage(stage, alice.secret, owned)));
  const mixed = (await stage.provider.calls()).filter(({ marks }) => marks.length > 1);
  if (mixed.length > 0) problems.push(`${mixed.length} calls had words of two keys`);

  const doors = await toDoors(stage, alice);
  for (const { what, path, ...request } of doors) {
    const { status } = await send(`${stage.gateway.url}${path}`, { timeoutMs: 3_000, ...request });
    if (![400, 401, 403].includes(status)) problems.push(`${what} at ${path}: ${status}`);
  }
  await stage.close();
  return {
    tries: tries.length + doors.length,
    ok: problems.length === 0,
    result:
      `${problems.length} through: ${tries.length} tries at another key's runs, ${doors.length} without a good key` +
      (problems.length > 0 ? `; first: ${problems[0].slice(0, 160)}` : ""),
    details: { problems },
  };
}

/** What Alice has: finished, running in the background, waiting for a tool, passed through, kept for a repeat. */
async function prepare(stage, key) {
  const ask = async (path, body, headers) => {
    const reply = await stage.ask(path, { key, body, headers });
    return { ...reply, runId: reply.headers["x-tutti-run-id"], body: parse(reply.text) };
  };
  const words = question("alice", SECRET_WORDS);
  const messages = [{ role: "user", content: words }];
  const team = await ask("/v1/chat/completions", { model: "tutti", messages, tutti: { pool: "pair" } });
  const kept = await ask(
    "/v1/chat/completions",
    { model: "fake/plain", max_tokens: 50, messages },
    { "x-tutti-content": "keep", "idempotency-key": "same" },
  );
  const response = await ask("/v1/responses", { model: "tutti-fast", input: words, tutti: { pool: "pair" } });
  const background = await ask("/v1/responses", {
    model: "tutti-fast",
    input: words,
    background: true,
    tutti: { pool: "fake/slow" },
  });
  const waiting = await ask("/v1/chat/completions", {
    model: "tutti-fast",
    messages,
    tools: TOOLS,
    tutti: { pool: "fake/tool" },
  });
  const call = waiting.body?.choices?.[0]?.message?.tool_calls?.[0];
  const ids = [team, kept, response, background, waiting].map(({ runId }) => runId).filter(Boolean);
  if (ids.length < 5 || !call)
    throw new Error(`Alice could not prepare: ${ids.length} runs, ${waiting.text.slice(0, 200)}`);
  return { ids, messages, response: response.body.id, background: background.body.id, call };
}

function toTries({ ids, messages, response, background, call }, alice) {
  const look = (what, path) => ({ what, path });
  const change = (what, path, method = "POST") => ({
    what,
    path,
    method,
    body: method === "POST" ? {} : undefined,
    isRefused: true,
  });
  const bobs = (text = "And?") => question("bob", text);
  const odd = (id) => [
    id.toUpperCase(),
    `%72${id.slice(1)}`,
    `${id}.0.0`,
    `${id}/`,
    `./${id}`,
    `${id}%00`,
    `${id}?key=${alice.id}`,
  ];
  return [
    ...ids.flatMap((id) => [
      look("a run", `/v1/runs/${id}`),
      look("its events", `/v1/runs/${id}/events`),
      look("its messages", `/v1/runs/${id}/messages`),
      change("cancel a run", `/v1/runs/${id}/cancel`),
    ]),
    ...odd(ids[0]).map((id) => look("an odd id", `/v1/runs/${id}`)),
    ...[response, background].flatMap((id) => [
      look("a response", `/v1/responses/${id}`),
      look("a response as a stream", `/v1/responses/${id}?stream=true`),
      look("its input", `/v1/responses/${id}/input_items`),
      change("cancel a response", `/v1/responses/${id}/cancel`),
      change("delete a response", `/v1/responses/${id}`, "DELETE"),
      {
        what: "go on with it",
        path: "/v1/responses",
        body: { model: "tutti-fast", input: bobs(), previous_response_id: id, tutti: { pool: "pair" } },
      },
      {
        what: "refer to it",
        path: "/v1/responses",
        body: {
          model: "tutti-fast",
          input: [
            { type: "item_reference", id },
            { role: "user", content: bobs() },
          ],
          tutti: { pool: "pair" },
        },
      },
      {
        what: "refer to its message",
        path: "/v1/responses",
        body: {
          model: "tutti-fast",
          input: [
            { type: "item_reference", id: id.replace("resp_", "msg_") },
            { role: "user", content: bobs() },
          ],
          tutti: { pool: "pair" },
        },
      },
    ]),
    look("all runs", "/v1/runs"),
    look("runs of that key", `/v1/runs?key=${alice.id}`),
    look("runs by their words", `/v1/runs?search=${SECRET_WORDS}`),
    look("runs by id", `/v1/runs?id=${ids[0]}&nested=true`),
    look("the bill of that key", `/v1/usage?group=key,user&key=${alice.id}`),
    { what: "the keys", path: "/v1/keys", isRefused: true },
    { what: "a key of an admin", path: "/v1/keys", body: { name: "more", isAdmin: true }, isRefused: true },
    change("revoke that key", `/v1/keys/${alice.id}`, "DELETE"),
    { what: "everybody's metrics", path: "/metrics", isRefused: true },
    { what: "trainings", path: "/v1/trainings", isRefused: true },
    { what: "benches", path: "/v1/benches", isRefused: true },
    {
      what: "the result of her tool",
      path: "/v1/chat/completions",
      body: {
        model: "tutti-fast",
        tools: TOOLS,
        tutti: { pool: "fake/tool" },
        messages: [
          { role: "user", content: bobs() },
          { role: "assistant", content: null, tool_calls: [call] },
          { role: "tool", tool_call_id: call.id, content: "found" },
        ],
      },
    },
    {
      what: "the result of her tool, in messages",
      path: "/v1/messages",
      body: {
        model: "tutti-fast",
        max_tokens: 50,
        tutti: { pool: "fake/tool" },
        tools: [{ name: "look", input_schema: { type: "object" } }],
        messages: [
          { role: "user", content: bobs() },
          { role: "assistant", content: [{ type: "tool_use", id: call.id, name: "look", input: {} }] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: "found" }] },
        ],
      },
    },
    {
      // Her very bytes: the words in the reply would be Bob's own, so only the run tells.
      what: "her idempotency key",
      path: "/v1/chat/completions",
      headers: { "idempotency-key": "same" },
      body: { model: "fake/plain", max_tokens: 50, messages },
    },
    {
      what: "the same body, to join",
      path: "/v1/chat/completions",
      body: { model: "tutti", messages, tutti: { pool: "pair" } },
    },
  ];
}

/** What is not as Alice left it. */
async function findDamage(stage, key, { ids, background, response }) {
  const problems = [];
  for (const id of ids) {
    const { status } = await stage.ask(`/v1/runs/${id}`, { key });
    if (status !== 200) problems.push(`Alice's run ${id} is gone: ${status}`);
  }
  for (let i = 0; i < 50; i++) {
    const { status } = parse((await stage.ask(`/v1/responses/${background}`, { key })).text) ?? {};
    if (status === "completed") break;
    if (status === "cancelled" || i === 49) problems.push(`Alice's background response is ${status}`);
    if (status === "cancelled") break;
    await wait(100);
  }
  const { text } = await stage.ask(`/v1/responses/${response}`, { key });
  if (parse(text)?.status !== "completed") problems.push("Alice's response is gone");
  return problems;
}

/** Every route that needs a key, with each way not to have one. */
async function toDoors(stage, { secret }) {
  const revoked = await stage.createKey({ name: "revoked" });
  await stage.ask(`/v1/keys/${revoked.id}`, { method: "DELETE" });
  const chat = {
    model: "fake/plain",
    max_tokens: 5,
    messages: [{ role: "user", content: question("nobody") }],
  };
  const routes = [
    { path: "/v1/chat/completions", body: chat },
    { path: "/chat/completions", body: chat },
    { path: "/v1/responses", body: { model: "tutti", input: "x" } },
    { path: "/v1/messages", body: { ...chat } },
    ...["/v1/models", "/v1/runs", "/v1/usage", "/v1/keys", "/v1/pool", "/metrics"].map((path) => ({ path })),
  ];
  const half = secret.slice(0, -8);
  const forms = {
    "no key": {},
    "a wrong key": { authorization: `Bearer sk-tutti-${"A".repeat(43)}` },
    "half a key": { authorization: `Bearer ${half}` },
    "a key and more": { "x-api-key": `${secret}x` },
    "upper case": { authorization: `Bearer ${secret.toUpperCase()}` },
    basic: { authorization: `Basic ${Buffer.from(`x:${secret}`).toString("base64")}` },
    "no scheme": { authorization: secret },
    percent: { authorization: `Bearer ${secret.replace("-", "%2D")}` },
    "two keys": { authorization: `Bearer wrong, Bearer ${secret}` },
    "a cookie": { cookie: `key=${secret}; authorization=Bearer ${secret}` },
    "for a proxy": { "proxy-authorization": `Bearer ${secret}` },
    "its hash": { authorization: `Bearer ${createHash("sha256").update(secret).digest("hex")}` },
    "a revoked key": { authorization: `Bearer ${revoked.secret}` },
    "a wrong key before a right one": { authorization: "Bearer wrong", "x-api-key": secret },
  };
  const doors = routes.flatMap((route) =>
    Object.entries(forms).map(([what, headers]) => ({ what, ...route, headers })),
  );
  const asked = routes.map(({ path, body }) => ({
    what: "a key in the address",
    path: `${path}?key=${secret}&api_key=${secret}`,
    body,
  }));
  return [...doors, ...asked];
}
