// What a request truly costs at the fake provider, from what was sent alone. It is the most expensive reading of each field
// that a real provider has: a gateway that keeps a budget must have reserved at least this. Pure.

/** Dollars per million tokens; the gateway's config says the same of these models. */
export const PRICE = { inputUsd: 2, outputUsd: 10 };
/** What a model of a `models` list costs, that nobody in the config has named. */
const DEAR_FACTOR = 20;
const TIER_FACTOR = 2;
const HOSTED_TOOL_USD = 0.03;
/** What a model writes at the most, and what it writes where no field says less. The config says so too. */
export const MOST_OUTPUT_TOKENS = 16_384;
const IMAGE_TOKENS = 1_500;
const FILE_TOKENS = 10_000;
/** A conversation that is stored at the provider and only named. */
const STORED_TOKENS = 100_000;
const CACHE_WRITE = { "5m": 1.25, "1h": 2 };
const TOKEN_FIELDS = ["max_tokens", "max_completion_tokens", "max_output_tokens"];

/**
 * `thinks`: the model reasons up to its limit, which is billed and never shown. `replyTokens` is what it shows.
 * Returns what is billed and the usage that an honest provider reports.
 */
export function billOf(body, { textBytes, thinks, replyTokens, headers = {} }) {
  const parts = countParts(body);
  const limit = limitOf(body);
  const n = toCount(body.n) ?? toCount(body.generationConfig?.candidateCount) ?? 1;
  const written = thinks ? limit : Math.min(replyTokens, limit);
  const predicted = body.prediction ? JSON.stringify(body.prediction).length / 4 : 0;
  const outputTokens = Math.ceil((written + predicted) * n);
  const inputTokens = Math.ceil(
    Math.max(0, textBytes - parts.dataBytes) / 4 +
      parts.images * IMAGE_TOKENS +
      parts.files * FILE_TOKENS +
      (body.previous_response_id || body.conversation ? STORED_TOKENS : 0),
  );
  const factor = (isTier(body, headers) ? TIER_FACTOR : 1) * (Array.isArray(body.models) ? DEAR_FACTOR : 1);
  const write = parts.ttl ? CACHE_WRITE[parts.ttl] : 1;
  const tokensUsd = (inputTokens * write * PRICE.inputUsd + outputTokens * PRICE.outputUsd) / 1e6;
  return {
    usd: tokensUsd * factor + hostedTools(body) * HOSTED_TOOL_USD,
    inputTokens,
    outputTokens,
    reasoningTokens: Math.max(0, outputTokens - replyTokens * n),
    cacheWriteTokens: parts.ttl ? inputTokens : 0,
  };
}

/** Of several fields the largest: some servers know one name, some another. */
function limitOf(body) {
  const given = [...TOKEN_FIELDS.map((name) => body[name]), body.generationConfig?.maxOutputTokens]
    .map(toCount)
    .filter((value) => value !== undefined);
  return Math.min(MOST_OUTPUT_TOKENS, given.length > 0 ? Math.max(...given) : MOST_OUTPUT_TOKENS);
}

/** As lenient servers read numbers: "5" is five, 5.5 is six. What is no number is as if it were not there. */
function toCount(value) {
  const number = typeof value === "string" ? Number(value) : value;
  return typeof number === "number" && number >= 1 ? Math.ceil(number) : undefined;
}

function isTier({ service_tier: tier, speed }, headers) {
  const isFast = String(headers["anthropic-beta"] ?? "").includes("fast-mode") && speed === "fast";
  return isFast || tier === "priority" || tier === "fast";
}

function hostedTools({ tools, web_search_options: search, plugins }) {
  const list = Array.isArray(tools) ? tools : [];
  const hosted = list.filter((tool) => tool?.type && tool.type !== "function" && tool.type !== "custom");
  return hosted.length + (search ? 1 : 0) + (Array.isArray(plugins) ? plugins.length : 0);
}

/** Images, files and addresses anywhere in the conversation; their own bytes are not text. */
function countParts(body) {
  const found = { images: 0, files: 0, dataBytes: 0, ttl: undefined };
  const stack = [body];
  while (stack.length > 0) {
    const value = stack.pop();
    if (Array.isArray(value)) stack.push(...value.slice(0, 10_000));
    if (typeof value !== "object" || value === null || Array.isArray(value)) continue;
    if (value.cache_control) found.ttl = value.cache_control.ttl === "1h" ? "1h" : (found.ttl ?? "5m");
    if (/image/.test(value.type)) found.images++;
    if (/file|document|audio|video/.test(value.type)) found.files++;
    const data = value.image_url?.url ?? value.source?.data ?? value.file?.file_data;
    if (typeof data === "string" && /image|file|document/.test(value.type)) found.dataBytes += data.length;
    stack.push(...Object.values(value));
  }
  return found;
}
