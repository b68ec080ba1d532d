// What asking costs: list prices by model, the cost of a usage, and an upper bound of the input before
// it is sent. Prices come from the catalogue inside @pydantic/genai-prices (loaded at first use).
// Covered: prices that change by date, cached input, the higher price that some providers ask for long prompts. Not
// covered: discounts of one's own contract; a price in the config overrides the catalogue.

import type { ConditionalPrice, ModelPrice, Provider } from "@pydantic/genai-prices";
import type {
  Message,
  Part,
  PoolMember,
  Price,
  Rates,
  ToolDefinition,
  Usage,
  WorkerRequest,
} from "./types.ts";

const HOUR_MS = 3_600_000;

/** Undefined where the catalogue does not know the model: unknown is never taken for free. */
export async function priceOf(provider: string, model: string, now = Date.now()): Promise<Price | undefined> {
  const { findProvider } = await import("@pydantic/genai-prices");
  return priceFrom(findProvider({ providerId: provider }), model, now);
}

/** The same for a model behind an address, such as `https://api.groq.com/openai/v1`. */
export async function priceAt(baseUrl: string, model: string, now = Date.now()): Promise<Price | undefined> {
  const { findProvider } = await import("@pydantic/genai-prices");
  return priceFrom(findProvider({ providerApiUrl: baseUrl }), model, now);
}

/** The longest input that a model of this provider takes, where the catalogue knows it. */
export async function contextOf(provider: string, model: string): Promise<number | undefined> {
  const { calcPrice, findProvider } = await import("@pydantic/genai-prices");
  const found = findProvider({ providerId: provider });
  return found && calcPrice({}, model, { provider: found })?.model.context_window;
}

async function priceFrom(
  provider: Provider | undefined,
  model: string,
  now: number,
): Promise<Price | undefined> {
  if (!provider) return undefined;
  const { calcPrice } = await import("@pydantic/genai-prices");
  const priceAtTime = (time: number) => {
    const found = calcPrice({}, model, { provider, timestamp: new Date(time) });
    return found ? { entry: found.model, price: toPrice(found.model_price, model) } : undefined;
  };
  const found = priceAtTime(now);
  if (!found?.price || !variesByHour(found.entry.prices)) return found?.price;
  // A run may outlast a cheap hour, and the budget must hold: the most expensive hour of the day counts.
  const hours = Array.from({ length: 24 }, (_, hour) => priceAtTime(now + hour * HOUR_MS)?.price);
  return hours.reduce((highest, price) =>
    (price?.outputUsd ?? 0) > (highest?.outputUsd ?? 0) ? price : highest,
  );
}

function variesByHour(prices: ConditionalPrice[] | ModelPrice): boolean {
  return Array.isArray(prices) && prices.some(({ constraint }) => constraint?.type === "time_of_date");
}

function toPrice(entry: ModelPrice, model: string): Price | undefined {
  const isEmbedding = /embed/i.test(model);
  const price = toRates(entry, 0, isEmbedding);
  // OpenRouter's free variants have empty entries; so have models that nobody has priced yet.
  if (!price) return model.endsWith(":free") ? { inputUsd: 0, outputUsd: 0 } : undefined;
  // No model has more than one: should there be others, the first one with the price of the last is on the high side.
  const starts = Object.values(entry).flatMap((value) =>
    typeof value === "object" ? value.tiers.map(({ start }) => start) : [],
  );
  const long = starts.length > 0 && toRates(entry, Math.max(...starts), isEmbedding);
  return long ? { ...price, long: { ...long, aboveInputTokens: Math.min(...starts) } } : price;
}

/** Of requests with this much input. */
function toRates(entry: ModelPrice, inputTokens: number, isEmbedding: boolean): Rates | undefined {
  const rate = (field: string) => {
    const value = entry[field];
    if (typeof value !== "object") return value;
    return value.tiers.findLast(({ start }) => start <= inputTokens)?.price ?? value.base;
  };
  const inputUsd = rate("input_mtok");
  // Nothing comes out of a model of embeddings that would be billed.
  const outputUsd = rate("output_mtok") ?? (isEmbedding ? 0 : undefined);
  if (inputUsd === undefined || outputUsd === undefined) return undefined;
  return {
    inputUsd,
    outputUsd,
    cachedInputUsd: rate("cache_read_mtok"),
    cacheWriteUsd: rate("cache_write_mtok"),
  };
}

export function ratesFor(price: Price, inputTokens: number): Rates {
  return price.long && inputTokens > price.long.aboveInputTokens ? price.long : price;
}

/** The most that this much can cost: some providers write prompts to their cache unasked, at a higher price. */
export function mostCostOf(inputTokens: number, outputTokens: number, price: Price): number {
  const { inputUsd, cacheWriteUsd = 0, outputUsd } = ratesFor(price, inputTokens);
  return (inputTokens * Math.max(inputUsd, cacheWriteUsd) + outputTokens * outputUsd) / 1_000_000;
}

/** A reply of usual length, to compare prices before anything is written. */
const USUAL_OUTPUT_TOKENS = 600;

/** What one ask of a worker is expected to cost: as it was measured, else by its price. Undefined: unknown, which is not free. */
export function usualUsd(
  { price, profile, maxOutputTokens = USUAL_OUTPUT_TOKENS }: PoolMember,
  inputTokens: number,
): number | undefined {
  if (profile?.callUsd !== undefined) return profile.callUsd;
  if (!price) return undefined;
  if (price.mostCallUsd !== undefined) return price.mostCallUsd;
  const output = Math.min(maxOutputTokens, USUAL_OUTPUT_TOKENS);
  return (inputTokens * price.inputUsd + output * price.outputUsd) / 1e6;
}

export function costOf(usage: Usage, list: Price): number {
  const price = ratesFor(list, usage.inputTokens);
  const cached = Math.min(usage.cachedInputTokens, usage.inputTokens);
  const written = Math.min(usage.cacheWriteTokens ?? 0, usage.inputTokens - cached);
  const micro =
    (usage.inputTokens - cached - written) * price.inputUsd +
    cached * (price.cachedInputUsd ?? price.inputUsd) +
    written * (price.cacheWriteUsd ?? price.inputUsd) +
    usage.outputTokens * price.outputUsd;
  // Neither a report nor a price can make anything cheaper than free.
  return micro > 0 ? micro / 1_000_000 : 0;
}

/**
 * What caches saved of this: input that was read from one at its lower price, less what was written into one at its higher
 * price. Below 0 where more was written than was read, as in the first turn of a conversation.
 */
export function cacheSavingOf(usage: Usage, list: Price): number {
  return costOf({ ...usage, cachedInputTokens: 0, cacheWriteTokens: 0 }, list) - costOf(usage, list);
}

// ---- The upper bound --------------------------------------------------------------------------

/** Role markers and separators: chat templates in use take 3 to 8 tokens a message. */
const MESSAGE_TOKENS = 16;
/** A large image: Claude up to 4.8 K, Gemini 1.1 K, GPT-5 and later up to 10 K patches. GPT-4o mini's 48 K are not covered. */
export const IMAGE_TOKENS = 10_000;
/** Providers add instructions of their own when there are tools or a schema: Claude up to 0.8 K. */
const TOOLS_TOKENS = 1_024;
const TOOL_TOKENS = 32;
/** The words around the text of a document. */
const FILE_BYTES = 256;

/** The same for a step before its messages are written: its bytes, and what the output settings add. */
export function boundInputTokens(bytes: number, messages: number, images: number, extras?: Extras): number {
  return MESSAGE_TOKENS * (1 + messages) + bytes + IMAGE_TOKENS * images + extraTokens(extras);
}

interface Extras {
  tools?: readonly ToolDefinition[];
  responseFormat?: WorkerRequest["responseFormat"];
}

/**
 * Never less than what a provider will count. Tokenizers in use are made of bytes, so no token is
 * shorter than one: the UTF-8 length bounds the text (about four times too high for English).
 */
export function estimateInputTokens(messages: readonly Message[], extras?: Extras): number {
  let tokens = MESSAGE_TOKENS + extraTokens(extras);
  for (const message of messages) tokens += MESSAGE_TOKENS + contentTokens(message);
  return tokens;
}

function extraTokens({ tools = [], responseFormat }: Extras = {}): number {
  let tokens = tools.length > 0 || responseFormat ? TOOLS_TOKENS : 0;
  for (const tool of tools) tokens += TOOL_TOKENS + bytesOf(JSON.stringify(tool));
  if (responseFormat) tokens += bytesOf(JSON.stringify(responseFormat));
  return tokens;
}

/** What a document adds as text: its own, or where nobody could read it as much as its bytes. */
export function attachmentBytes(part: Part): number {
  if (part.type !== "file") return 0;
  return bytesOf(part.text ?? part.file) + FILE_BYTES;
}

/** Providers look at each page of a document as a picture too. */
export function attachmentImages(part: Part): number {
  return part.type === "text" ? 0 : part.type === "image" ? 1 : part.pages;
}

function contentTokens(message: Message): number {
  let tokens = 0;
  if (typeof message.content === "string") tokens += bytesOf(message.content);
  else
    for (const part of message.content)
      tokens +=
        part.type === "text"
          ? bytesOf(part.text)
          : attachmentBytes(part) + IMAGE_TOKENS * attachmentImages(part);
  if (message.role === "assistant") {
    for (const call of message.toolCalls ?? [])
      tokens += MESSAGE_TOKENS + bytesOf(call.id + call.name + call.input);
  }
  if (message.role === "tool") {
    tokens += bytesOf(message.toolCallId + message.toolName);
    tokens += IMAGE_TOKENS * (message.images?.length ?? 0);
  }
  return tokens;
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

// ---- Sums of tokens ------------------------------------------------------------------------------

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  const cacheWriteTokens = (a.cacheWriteTokens ?? 0) + (b.cacheWriteTokens ?? 0);
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
    ...(cacheWriteTokens > 0 && { cacheWriteTokens }),
  };
}
