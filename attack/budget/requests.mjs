// Requests that try to cost more than they seem to. Each line has a key of its own with a budget of half a dollar to
// a dollar, and is sent until its tries are over, whatever is answered. What the fields truly cost is in
// fake-provider/bill.mjs.
import { question } from "../tools/stage.mjs";

const CHAT = "/v1/chat/completions";
const MESSAGES = "/v1/messages";
const RESPONSES = "/v1/responses";

const message = (name, content) => [{ role: "user", content: content ?? question(name) }];
const parts = (name, list) => message(name, [{ type: "text", text: question(name) }, ...list]);
const repeat = (count, item) => Array.from({ length: count }, (_, i) => item(i));

/** A relayed chat completion; `fields` take the place of the usual ones. */
const relayed = (fields, model = "fake/reason") => ({
  path: CHAT,
  toBody: (name) => ({
    model,
    messages: message(name),
    max_tokens: 1_000,
    ...(typeof fields === "function" ? fields(name) : fields),
  }),
});
const claude = (fields, headers) => ({
  path: MESSAGES,
  headers: { "anthropic-version": "2023-06-01", ...headers },
  toBody: (name) => ({
    model: "claude/reason",
    max_tokens: 1_000,
    messages: message(name),
    ...(typeof fields === "function" ? fields(name) : fields),
  }),
});
const raw = (toText) => ({ path: CHAT, toBody: (name) => toText(JSON.stringify(message(name))) });
const team = (path, model, fields) => ({
  path,
  tries: 4,
  toBody: (name) =>
    path === RESPONSES
      ? { model, input: question(name), ...fields }
      : { model, messages: message(name), ...fields },
});

const image = (i) => ({ type: "image_url", image_url: { url: `https://images.invalid/${i}.png` } });
const file = (i) => ({ type: "file", file: { file_id: `file-${i}` } });
const document = (i) => ({
  type: "document",
  source: { type: "url", url: `https://files.invalid/${i}.pdf` },
});
const noSpaces = "QUJD".repeat(250_000);
const workflow = { steps: repeat(32, (i) => ({ worker: 1, subtask: `Do part ${i}.`, access: [] })) };

/** What honest people send: it must be answered, or a budget would be kept by serving nobody. */
export const HONEST = relayed({ max_tokens: 500 }, "fake/plain");

/** Name → request. Tries are six where nothing else is said. */
export const REQUESTS = {
  "n-64": relayed({ n: 64 }),
  "n-text": relayed({ n: "64" }),
  "n-float": relayed({ n: 63.5 }),
  "two-token-fields": relayed({ max_completion_tokens: 1, max_tokens: 16_384, n: 8 }),
  "token-field-of-another-dialect": relayed({ max_tokens: 1, max_output_tokens: 16_384 }),
  "no-token-field": relayed({ max_tokens: undefined }),
  "no-token-field-streamed": relayed({ max_tokens: undefined, stream: true }),
  "tokens-as-text": relayed({ max_tokens: "16384" }),
  "tokens-float": relayed({ max_tokens: 16_383.5 }),
  "tokens-negative": relayed({ max_tokens: -1 }),
  "tokens-zero": relayed({ max_tokens: 0 }),
  "tokens-null": relayed({ max_tokens: null, max_completion_tokens: null }),
  "tokens-huge": relayed({ max_tokens: 1e308 }),
  "tokens-list": relayed({ max_tokens: [1] }),
  "100-image-urls": relayed((name) => ({ messages: parts(name, repeat(100, image)), max_tokens: 10 })),
  "60-file-ids": relayed((name) => ({ messages: parts(name, repeat(60, file)), max_tokens: 10 })),
  "text-that-looks-like-an-image": relayed((name) => ({
    messages: message(name, `${question(name)} base64,${noSpaces}`),
    max_tokens: 10,
  })),
  "text-called-base64": relayed((name) => ({
    messages: [
      { role: "user", content: question(name), name: "base64" },
      { role: "user", content: noSpaces },
    ],
    max_tokens: 10,
  })),
  "service-tier": relayed({ service_tier: "priority", max_tokens: 12_000 }),
  "list-of-models": relayed({ models: ["fake/reason", "expensive/model"], max_tokens: 2_000 }),
  "hosted-tools": relayed({ tools: repeat(30, () => ({ type: "web_search_preview" })), max_tokens: 10 }),
  "search-options": relayed({ web_search_options: { search_context_size: "high" }, max_tokens: 10 }),
  plugins: relayed({ plugins: repeat(20, (i) => ({ id: `web-${i}` })), max_tokens: 10 }),
  prediction: relayed({
    prediction: { type: "content", content: "x".repeat(200_000) },
    n: 8,
    max_tokens: 10,
  }),
  "previous-response": relayed({ previous_response_id: "resp_of_100_pages", max_tokens: 10 }),
  conversation: relayed({ conversation: "conv_of_100_pages", max_tokens: 10 }),
  "doubled-name": raw((text) => `{"model":"fake/reason","n":1,"max_tokens":1000,"messages":${text},"n":64}`),
  "doubled-name-first": raw(
    (text) => `{"model":"fake/reason","n":64,"max_tokens":9000,"messages":${text},"max_tokens":16384}`,
  ),
  "escaped-name": raw((text) => `{"model":"fake/reason","\\u006e":64,"max_tokens":1000,"messages":${text}}`),
  "cache-for-an-hour": claude((name) => ({
    max_tokens: 10,
    messages: message(name, [
      {
        type: "text",
        text: question(name, "x ".repeat(150_000)),
        cache_control: { type: "ephemeral", ttl: "1h" },
      },
    ]),
  })),
  "beta-fast-mode": claude(
    { speed: "fast", max_tokens: 12_000 },
    { "anthropic-beta": "fast-mode-2026-02-01" },
  ),
  "documents-by-url": claude((name) => ({ messages: parts(name, repeat(60, document)), max_tokens: 10 })),
  "messages-without-limit": claude({ max_tokens: undefined }),
  "messages-streamed": claude({ max_tokens: 12_000, stream: true }),
  "messages-server-tools": claude({
    tools: repeat(30, (i) => ({ type: "web_search_20250305", name: `s${i}` })),
  }),
  "cut-streams": { ...relayed({ max_tokens: 4_000, stream: true }, "fake/cut"), tries: 10 },
  "silent-then-cut": { ...relayed({ max_tokens: 4_000 }, "fake/silent"), tries: 14 },
  "team-with-effort": team(CHAT, "tutti", {
    reasoning_effort: "max",
    tutti: { budget_usd: 1_000, max_calls: 1e6 },
  }),
  "team-fast": team(CHAT, "tutti-fast", { max_tokens: 1e9 }),
  "team-ultra": team(CHAT, "tutti-ultra", { stream: true, tutti: { rounds: 10 } }),
  "team-in-messages": team(MESSAGES, "tutti-ultra", { max_tokens: 1e6 }),
  "team-in-responses": team(RESPONSES, "tutti", { max_output_tokens: 1e6, reasoning: { effort: "xhigh" } }),
  "workflow-of-32-steps": team(CHAT, "tutti", { tutti: { workflow, pool: "pair" } }),
  "worker-in-messages": team(MESSAGES, "fake/reason", { max_tokens: 1e6 }),
  "worker-in-responses": team(RESPONSES, "fake/reason", {}),
  "claude-in-chat": team(CHAT, "claude/reason", { max_completion_tokens: 1, max_tokens: 1e6 }),
  "gemini-in-chat": team(CHAT, "gemini/plain", {}),
  "gemini-in-responses": team(RESPONSES, "gemini/plain", { stream: true }),
};
