// The body of a chat completions request, out of the AI SDK's call options. Apart from model.ts
// because it is pure, and because what servers accept is found out here field by field.

import type { LanguageModelV3CallOptions, LanguageModelV3Message } from "@ai-sdk/provider";
import type { Fields } from "../../base/fields.ts";
import { withImagesAfterResults } from "../call-options.ts";
import { MISTRAL_IDS, withAcceptedIds } from "../provider-rules.ts";

export interface ChatBodySettings {
  provider: string;
  model: string;
  /** Mistral refuses fields it does not know, and has a name of its own for the seed. */
  isMistral: boolean;
  hasJsonSchema: boolean;
}

type UserPart = Extract<LanguageModelV3Message, { role: "user" }>["content"][number];
type FilePart = Extract<UserPart, { type: "file" }>;
type ToolContent = Extract<LanguageModelV3Message, { role: "tool" }>["content"];

/**
 * The body in pieces. Messages that were sent before are not written again: of a long conversation nearly all of them, and
 * blocks of them are the same bytes in memory every time, since large new ones are what collecting garbage takes its time for.
 */
export function toChatPieces(options: LanguageModelV3CallOptions, settings: ChatBodySettings): Buffer[] {
  const fields = JSON.stringify(toFields(options, settings));
  const { prompt } = settings.isMistral ? withAcceptedIds(options, MISTRAL_IDS) : options;
  const messages = toMessageBlocks(withImagesAfterResults(prompt), !settings.isMistral);
  const pieces: Buffer[] = [];
  let small: Buffer[] = [Buffer.from(`${fields.slice(0, -1)},"messages":[`)];
  for (const [at, bytes] of messages.entries()) {
    if (at > 0) small.push(COMMA);
    if (bytes.length < BLOCK_BYTES) small.push(bytes);
    else {
      pieces.push(Buffer.concat(small), bytes);
      small = [];
    }
  }
  return [...pieces, Buffer.concat([...small, END])];
}

const COMMA = Buffer.from(",");
const END = Buffer.from("]}");
/** Of messages of earlier turns that are written as one. */
const BLOCK_BYTES = 65_536;

/** Fields that are undefined are not sent. */
function toFields(options: LanguageModelV3CallOptions, settings: ChatBodySettings): Fields {
  const { tools, toolChoice, seed } = options;
  const { own, strictJsonSchema, others } = readProviderOptions(options, settings.provider);
  return {
    model: settings.model,
    max_tokens: options.maxOutputTokens,
    temperature: options.temperature,
    top_p: options.topP,
    top_k: settings.isMistral ? undefined : options.topK,
    presence_penalty: options.presencePenalty,
    frequency_penalty: options.frequencyPenalty,
    response_format: toResponseFormat(options.responseFormat, settings.hasJsonSchema, strictJsonSchema),
    stop: options.stopSequences,
    [settings.isMistral ? "random_seed" : "seed"]: seed,
    ...others,
    ...own,
    // Written apart.
    messages: undefined,
    tools: tools?.length ? tools.flatMap(toTool) : undefined,
    tool_choice: tools?.length ? toToolChoice(toolChoice) : undefined,
    stream: true,
    // Mistral reports usage without being asked.
    stream_options: settings.isMistral ? undefined : { include_usage: true },
  };
}

/**
 * The settings of a worker, under its provider's name: four have names of our own, all others go into the
 * body as they are. "openaiCompatible" holds defaults for every server.
 */
function readProviderOptions({ providerOptions = {} }: LanguageModelV3CallOptions, provider: string) {
  const given: Fields = { ...providerOptions[provider], ...providerOptions[toCamelCase(provider)] };
  const known: Fields = { ...providerOptions.openaiCompatible, ...given };
  const { user: _u, reasoningEffort: _r, textVerbosity: _t, strictJsonSchema: _s, ...others } = given;
  const own: Fields = {};
  if (known.service_tier !== undefined) own.service_tier = known.service_tier;
  if (known.parallelToolCalls !== undefined) own.parallel_tool_calls = known.parallelToolCalls;
  if (known.user !== undefined) own.user = known.user;
  if (known.reasoningEffort !== undefined) own.reasoning_effort = known.reasoningEffort;
  if (known.textVerbosity !== undefined) own.verbosity = known.textVerbosity;
  // A client's schema need not keep to the rules of strict mode, so that one is only on where it is asked for.
  return { own, others, strictJsonSchema: known.strictJsonSchema === true };
}

function toCamelCase(name: string): string {
  return name.replace(/[_-]([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function toResponseFormat(
  format: LanguageModelV3CallOptions["responseFormat"],
  hasJsonSchema: boolean,
  strict: boolean,
): Fields | undefined {
  if (format?.type !== "json") return undefined;
  if (format.schema === undefined || !hasJsonSchema) return { type: "json_object" };
  const { schema, name = "response", description } = format;
  return { type: "json_schema", json_schema: { schema, strict, name, description } };
}

function toTool(tool: NonNullable<LanguageModelV3CallOptions["tools"]>[number]): Fields[] {
  // Tools that a provider runs itself are not part of chat completions.
  if (tool.type !== "function") return [];
  const { name, description, inputSchema: parameters, strict } = tool;
  return [{ type: "function", function: { name, description, parameters, strict } }];
}

function toToolChoice(choice: LanguageModelV3CallOptions["toolChoice"]): unknown {
  return choice?.type === "tool" ? { type: "function", function: { name: choice.toolName } } : choice?.type;
}

interface Block {
  messages: readonly LanguageModelV3Message[];
  bytes: Buffer;
}

/** By whether reasoning is sent along: messages, and blocks by their first message. */
const written = [false, true].map(() => ({
  messages: new WeakMap<LanguageModelV3Message, Buffer>(),
  blocks: new WeakMap<LanguageModelV3Message, Block>(),
}));

/** Messages one by one, or many at once where they are long and were there before. */
function toMessageBlocks(prompt: readonly LanguageModelV3Message[], takesReasoning: boolean): Buffer[] {
  const known = written[Number(takesReasoning)]!;
  const found: Buffer[] = [];
  for (let at = 0; at < prompt.length; ) {
    const block = known.blocks.get(prompt[at]!);
    if (block?.messages.every((message, index) => message === prompt[at + index])) {
      found.push(block.bytes);
      at += block.messages.length;
      continue;
    }
    const first = at;
    const parts: Buffer[] = [];
    let size = 0;
    while (at < prompt.length && size < BLOCK_BYTES && (at === first || comesAgain(prompt[first]!))) {
      const message = prompt[at]!;
      if (at > first && !comesAgain(message)) break;
      const bytes = known.messages.get(message) ?? Buffer.from(writeMessages(message, takesReasoning));
      if (comesAgain(message)) known.messages.set(message, bytes);
      if (bytes.length > 0) parts.push(bytes);
      size += bytes.length;
      at++;
    }
    if (size < BLOCK_BYTES || !comesAgain(prompt[first]!)) found.push(...parts);
    else {
      const messages = prompt.slice(first, at);
      const bytes = Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [COMMA, part])));
      known.blocks.set(messages[0]!, { messages, bytes });
      for (const message of messages) known.messages.delete(message);
      found.push(bytes);
    }
  }
  return found;
}

/** The user's words come with a message of their own in every request. */
function comesAgain({ role }: LanguageModelV3Message): boolean {
  return role === "assistant" || role === "tool";
}

/** Without brackets: a message for each result of a tool. */
function writeMessages(message: LanguageModelV3Message, takesReasoning: boolean): string {
  const fields =
    message.role === "tool" ? toToolMessages(message.content) : [toMessage(message, takesReasoning)];
  return fields.map((each) => JSON.stringify(each)).join(",");
}

function toMessage(
  message: Exclude<LanguageModelV3Message, { role: "tool" }>,
  takesReasoning: boolean,
): Fields {
  switch (message.role) {
    case "system":
      return { role: "system", content: message.content };
    case "user":
      return { role: "user", content: toUserContent(message.content) };
    case "assistant":
      return toAssistantMessage(message.content, takesReasoning);
  }
}

/** Many servers take parts only where they take images, so text alone goes as a string. */
function toUserContent(parts: UserPart[]): unknown {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  if (texts.length === parts.length) return texts.join("\n\n");
  return parts.map((part) =>
    part.type === "text"
      ? { type: "text", text: part.text }
      : {
          type: "image_url",
          image_url: { url: toImageUrl(part), detail: part.providerOptions?.openai?.imageDetail },
        },
  );
}

function toImageUrl({ mediaType, data }: FilePart): string {
  if (!mediaType.startsWith("image/")) {
    // Read by its name in failure.ts, like the same error of the AI SDK's packages.
    throw Object.assign(new Error(`"${mediaType}" is no image, and chat completions takes images only.`), {
      name: "AI_UnsupportedFunctionalityError",
    });
  }
  if (data instanceof URL) return data.href;
  const base64 = typeof data === "string" ? data : Buffer.from(data).toString("base64");
  return `data:${mediaType === "image/*" ? "image/jpeg" : mediaType};base64,${base64}`;
}

function toAssistantMessage(
  parts: Extract<LanguageModelV3Message, { role: "assistant" }>["content"],
  takesReasoning: boolean,
): Fields {
  let content = "";
  let reasoning = "";
  const calls: Fields[] = [];
  for (const part of parts) {
    if (part.type === "text") content += part.text;
    if (part.type === "reasoning") reasoning += part.text;
    if (part.type === "tool-call") {
      const call = { name: part.toolName, arguments: JSON.stringify(part.input) };
      calls.push({ id: part.toolCallId, type: "function", function: call });
    }
  }
  return {
    role: "assistant",
    content: calls.length > 0 ? content || null : content,
    reasoning_content: (takesReasoning && reasoning) || undefined,
    tool_calls: calls.length > 0 ? calls : undefined,
  };
}

function toToolMessages(results: ToolContent): Fields[] {
  return results.flatMap((result) => {
    if (result.type !== "tool-result") return [];
    const { output } = result;
    const content =
      output.type === "execution-denied"
        ? (output.reason ?? "The tool was not run.")
        : typeof output.value === "string"
          ? output.value
          : JSON.stringify(output.value);
    return [{ role: "tool", tool_call_id: result.toolCallId, content }];
  });
}
