// Our request in the words of the AI SDK: messages, images, tools, output settings → call options.
// Apart from provider.ts because this half is pure.

import type { LanguageModelV3CallOptions, LanguageModelV3Message } from "@ai-sdk/provider";
import { TuttiError } from "../base/errors.ts";
import { createGrowingList } from "../base/growing-fold.ts";
import { quote, splitOwn } from "./brief.ts";
import { type KnownModel, toThinkOptions } from "./think-options.ts";
import type { CacheMark, ImagePart, Message, Part, ReasoningPart, ToolCall, WorkerRequest } from "./types.ts";

type UserContent = Extract<LanguageModelV3Message, { role: "user" }>["content"];
type ToolContent = Extract<LanguageModelV3Message, { role: "tool" }>["content"];
type AssistantContent = Exclude<Extract<LanguageModelV3Message, { role: "assistant" }>["content"], string>;
type AssistantMessage = Extract<Message, { role: "assistant" }>;
type JsonSchema = NonNullable<
  Extract<LanguageModelV3CallOptions["responseFormat"], { type: "json" }>["schema"]
>;

/** What a model takes by URL, by media type, as the AI SDK describes it. */
type SupportedUrls = Record<string, RegExp[]>;

export interface CallDefaults {
  /** Who is asked, for error messages. */
  workerId: string;
  supportedUrls: SupportedUrls;
  /** False: images are named to it and not sent. */
  takesImages?: boolean;
  /** Reads PDF files itself. Others get their text. */
  takesPdf?: boolean;
  /** Whose settings of thinking are known. Absent: it is sent none. */
  known?: KnownModel;
  temperature?: number;
  providerOptions?: LanguageModelV3CallOptions["providerOptions"];
}

export function toCallOptions(request: WorkerRequest, defaults: CallDefaults): LanguageModelV3CallOptions {
  const { responseFormat, seed, toolChoice } = request;
  const think = toThinkOptions(request, defaults.known);
  return {
    prompt: toPrompt(request.messages, defaults),
    maxOutputTokens: think.maxOutputTokens,
    temperature: request.temperature ?? defaults.temperature,
    topP: request.topP,
    topK: request.topK,
    presencePenalty: request.presencePenalty,
    frequencyPenalty: request.frequencyPenalty,
    stopSequences: request.stop?.length ? request.stop : undefined,
    // Gemini takes a signed 32-bit integer and refuses anything larger.
    seed: seed === undefined ? undefined : Math.abs(Math.trunc(seed)) % 2 ** 31,
    responseFormat: responseFormat && {
      ...responseFormat,
      schema: responseFormat.schema as JsonSchema | undefined,
    },
    tools: request.tools?.length
      ? request.tools.map(({ isCached, ...tool }) => ({
          type: "function",
          ...tool,
          providerOptions: toCacheOptions(isCached),
          inputSchema: tool.inputSchema as JsonSchema,
        }))
      : undefined,
    toolChoice:
      request.tools?.length && toolChoice !== undefined
        ? typeof toolChoice === "object"
          ? { type: "tool", toolName: toolChoice.name }
          : { type: toolChoice }
        : undefined,
    providerOptions: toProviderOptions(request, {
      providerOptions: withDefaults(think.providerOptions, defaults.providerOptions),
    }),
  };
}

/** What the config says comes before what the request says. */
function withDefaults(
  asked: NonNullable<CallDefaults["providerOptions"]>,
  configured: CallDefaults["providerOptions"],
): CallDefaults["providerOptions"] {
  const names = Object.keys(asked);
  if (names.length === 0) return configured;
  const merged = names.map((name) => [name, { ...asked[name], ...configured?.[name] }]);
  return { ...configured, ...Object.fromEntries(merged) };
}

/** One call at a time has another name with every provider. */
function toProviderOptions(
  { tools, parallelToolCalls }: WorkerRequest,
  { providerOptions }: Pick<CallDefaults, "providerOptions">,
): CallDefaults["providerOptions"] {
  if (parallelToolCalls !== false || !tools?.length) return providerOptions;
  const { openai, anthropic, openaiCompatible } = providerOptions ?? {};
  return {
    ...providerOptions,
    openai: { parallelToolCalls, ...openai },
    openaiCompatible: { parallelToolCalls, ...openaiCompatible },
    anthropic: { disableParallelToolUse: true, ...anthropic },
  };
}

type PromptWriter = (messages: readonly Message[]) => readonly LanguageModelV3Message[];

/** By whose defaults they are written: of a loop that goes on only what is new is written. */
const promptWriters = new WeakMap<CallDefaults, PromptWriter>();

function toPrompt(messages: readonly Message[], defaults: CallDefaults): LanguageModelV3Message[] {
  let write = promptWriters.get(defaults);
  write ??= createGrowingList((message: Message) => [toPromptMessage(message, defaults)]);
  promptWriters.set(defaults, write);
  return write(messages).slice();
}

/** Of turns that come again with every later one, and are the same for every worker. */
const writtenMessages = new WeakMap<Message, LanguageModelV3Message>();

function toPromptMessage(message: Message, defaults: CallDefaults): LanguageModelV3Message {
  const isForAll = message.role === "assistant" || (message.role === "tool" && !message.images?.length);
  if (!isForAll) return writePromptMessage(message, defaults);
  const known = writtenMessages.get(message) ?? writePromptMessage(message, defaults);
  writtenMessages.set(message, known);
  return known;
}

function writePromptMessage(message: Message, defaults: CallDefaults): LanguageModelV3Message {
  switch (message.role) {
    case "system":
      return {
        role: "system",
        content: message.content,
        providerOptions: toCacheOptions(message.isCached),
      };
    case "user": {
      const parts: Part[] =
        typeof message.content === "string"
          ? splitOwn(message.content, message.ownLength).map((text) => ({ type: "text", text }))
          : message.content;
      return { role: "user", content: parts.map((part) => toUserPart(part, defaults)) };
    }
    case "assistant":
      return { role: "assistant", content: toAssistantParts(message) };
    case "tool": {
      const { toolCallId, toolName, content, images = [] } = message;
      const output =
        images.length === 0
          ? { type: "text" as const, value: content }
          : { type: "content" as const, value: toResultParts(content, images, defaults) };
      const providerOptions = toCacheOptions(message.isCached);
      return {
        role: "tool",
        content: [{ type: "tool-result", toolCallId, toolName, output, providerOptions }],
      };
    }
  }
}

/** The client's own marks are Anthropic's; to other providers they say nothing. */
function toCacheOptions(isCached: CacheMark | undefined) {
  const cacheControl = isCached === "1h" ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" };
  return isCached && { anthropic: { cacheControl } };
}

function toPartOptions(part: Exclude<Part, { type: "file" }>) {
  const cache = toCacheOptions(part.isCached);
  const imageDetail = part.type === "image" ? part.detail : undefined;
  return imageDetail ? { ...cache, openai: { imageDetail } } : cache;
}

/** Thoughts stand where they stood: providers refuse a turn whose parts come back in another order. */
function toAssistantParts({ content, toolCalls = [], reasoning = [] }: AssistantMessage): AssistantContent {
  const parts: AssistantContent = [];
  let characters = 0;
  let calls = 0;
  const goTo = (nextCharacter: number, nextCall: number) => {
    const text = content.slice(characters, nextCharacter);
    if (text !== "") parts.push({ type: "text", text });
    parts.push(...toolCalls.slice(calls, nextCall).map(toToolCallPart));
    [characters, calls] = [Math.max(characters, nextCharacter), Math.max(calls, nextCall)];
  };
  for (const thought of reasoning) {
    goTo(thought.behind?.characters ?? 0, thought.behind?.calls ?? 0);
    parts.push(toReasoningPart(thought));
  }
  goTo(content.length, toolCalls.length);
  return parts;
}

function toReasoningPart({ text, metadata }: ReasoningPart) {
  return { type: "reasoning" as const, text, providerOptions: metadata };
}

function toToolCallPart(call: ToolCall) {
  return {
    type: "tool-call" as const,
    toolCallId: call.id,
    toolName: call.name,
    input: parseInput(call.input),
    providerOptions: call.metadata,
  };
}

/** Some providers take objects only, so arguments that are no JSON travel inside one. */
function parseInput(input: string): unknown {
  try {
    return JSON.parse(input === "" ? "{}" : input);
  } catch {
    return { invalid: input };
  }
}

function toUserPart(part: Part, defaults: CallDefaults): UserContent[number] {
  if (part.type === "file") return toFilePart(part, defaults);
  const providerOptions = toPartOptions(part);
  if (part.type === "text") return { type: "text", text: part.text, providerOptions };
  if (defaults.takesImages === false) return { type: "text", text: "[an image, which you cannot see]" };
  const inline = /^data:([^;,]*)[^,]*?(;base64)?,(.*)$/s.exec(part.image);
  if (inline) {
    const [, declared, base64, payload = ""] = inline;
    const mediaType = part.mediaType ?? (declared || "image/*");
    const data = base64 ? payload : Buffer.from(decodeURIComponent(payload));
    return { type: "file", mediaType, data, providerOptions };
  }
  // We do not download images: a URL from a stranger would let them read what only this machine can reach.
  const mediaType = part.mediaType ?? "image/*";
  if (!isTakenByUrl(part.image, mediaType, defaults.supportedUrls)) {
    throw new TuttiError(
      "bad-request",
      `Worker "${defaults.workerId}" cannot take the image "${part.image.slice(0, 80)}" by its address. Give it as a data: URL.`,
    );
  }
  return { type: "file", mediaType, data: new URL(part.image), providerOptions };
}

function toFilePart(part: Extract<Part, { type: "file" }>, defaults: CallDefaults): UserContent[number] {
  const { file, mediaType, name, text } = part;
  if (defaults.takesPdf) {
    const data = file.slice(file.indexOf(",") + 1);
    return { type: "file", mediaType, data, filename: name };
  }
  if (text !== undefined)
    return { type: "text", text: quote(`text of the file ${JSON.stringify(name)}`, text) };
  throw new TuttiError(
    "bad-request",
    `Worker "${defaults.workerId}" takes no PDF files, and the text of ${JSON.stringify(name)} could not be taken out. Is unpdf installed? npm install unpdf`,
  );
}

type ResultPart = Extract<
  Extract<
    Extract<LanguageModelV3Message, { role: "tool" }>["content"][number],
    { type: "tool-result" }
  >["output"],
  { type: "content" }
>["value"][number];

/** What a tool returned where it is more than text. Who takes no images there gets them in a turn of the user (below). */
function toResultParts(text: string, images: readonly ImagePart[], defaults: CallDefaults): ResultPart[] {
  const parts: ResultPart[] = images.map((image) => {
    const part = toUserPart(image, defaults);
    if (part.type === "text") return { type: "text", text: part.text };
    const { mediaType, data } = part;
    if (data instanceof URL) return { type: "image-url", url: data.href };
    return { type: "image-data", mediaType, data: typeof data === "string" ? data : toBase64(data) };
  });
  return text === "" ? parts : [{ type: "text", text }, ...parts];
}

const toBase64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");

/**
 * Chat completions takes text alone from tools: images that they returned follow as a turn of the user, behind all results
 * of the same turn, because nothing may stand between those.
 */
const hasContentParts = (result: ToolContent[number]) =>
  result.type === "tool-result" && result.output.type === "content";

export function withImagesAfterResults(prompt: readonly LanguageModelV3Message[]): LanguageModelV3Message[] {
  const messages: LanguageModelV3Message[] = [];
  let waiting: UserContent = [];
  const flush = () => {
    if (waiting.length > 0) messages.push({ role: "user", content: waiting });
    waiting = [];
  };
  for (const message of prompt) {
    if (message.role !== "tool") {
      flush();
      messages.push(message);
      continue;
    }
    if (!message.content.some(hasContentParts)) {
      messages.push(message);
      continue;
    }
    const content = message.content.map((result) => {
      if (result.type !== "tool-result" || result.output.type !== "content") return result;
      const texts: string[] = [];
      for (const part of result.output.value) {
        if (part.type === "text") texts.push(part.text);
        const file = toFollowing(part);
        if (!file) continue;
        texts.push("[an image, shown below]");
        waiting.push({ type: "text", text: `An image that ${result.toolName} returned:` }, file);
      }
      return { ...result, output: { type: "text" as const, value: texts.join("\n") } };
    });
    messages.push({ ...message, content });
  }
  flush();
  return messages;
}

function toFollowing(part: ResultPart): Extract<UserContent[number], { type: "file" }> | undefined {
  if (part.type === "image-data") return { type: "file", mediaType: part.mediaType, data: part.data };
  if (part.type === "image-url") return { type: "file", mediaType: "image/*", data: new URL(part.url) };
  return undefined;
}

function isTakenByUrl(url: string, mediaType: string, supportedUrls: SupportedUrls): boolean {
  if (!/^https?:\/\//i.test(url)) return false;
  const isImage = (type: string) =>
    type === "*" || type === "*/*" || type === mediaType || type.startsWith("image/");
  return Object.entries(supportedUrls).some(
    ([type, patterns]) => isImage(type) && patterns.some((pattern) => pattern.test(url)),
  );
}
