// Our request in the words of the AI SDK: messages, images, tools, output settings → call options.
// Apart from provider.ts because this half is pure.

import type { LanguageModelV3CallOptions, LanguageModelV3Message } from "@ai-sdk/provider";
import { TuttiError } from "../base/errors.ts";
import { quote } from "./brief.ts";
import type { Message, Part, ToolCall, WorkerRequest } from "./types.ts";

type UserContent = Extract<LanguageModelV3Message, { role: "user" }>["content"];
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
  temperature?: number;
  providerOptions?: LanguageModelV3CallOptions["providerOptions"];
}

export function toCallOptions(request: WorkerRequest, defaults: CallDefaults): LanguageModelV3CallOptions {
  const { responseFormat, seed, toolChoice } = request;
  return {
    prompt: request.messages.map((message) => toPromptMessage(message, defaults)),
    maxOutputTokens: request.maxOutputTokens,
    temperature: request.temperature ?? defaults.temperature,
    stopSequences: request.stop?.length ? request.stop : undefined,
    // Gemini takes a signed 32-bit integer and refuses anything larger.
    seed: seed === undefined ? undefined : Math.abs(Math.trunc(seed)) % 2 ** 31,
    responseFormat: responseFormat && {
      ...responseFormat,
      schema: responseFormat.schema as JsonSchema | undefined,
    },
    tools: request.tools?.length
      ? request.tools.map((tool) => ({
          type: "function",
          ...tool,
          inputSchema: tool.inputSchema as JsonSchema,
        }))
      : undefined,
    toolChoice:
      request.tools?.length && toolChoice !== undefined
        ? typeof toolChoice === "object"
          ? { type: "tool", toolName: toolChoice.name }
          : { type: toolChoice }
        : undefined,
    providerOptions: defaults.providerOptions,
  };
}

function toPromptMessage(message: Message, defaults: CallDefaults): LanguageModelV3Message {
  switch (message.role) {
    case "system":
      return { role: "system", content: message.content };
    case "user": {
      const parts: Part[] =
        typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
      return { role: "user", content: parts.map((part) => toUserPart(part, defaults)) };
    }
    case "assistant":
      return {
        role: "assistant",
        content: [
          ...(message.content === "" ? [] : [{ type: "text" as const, text: message.content }]),
          ...(message.toolCalls ?? []).map(toToolCallPart),
        ],
      };
    case "tool": {
      const { toolCallId, toolName, content } = message;
      const output = { type: "text" as const, value: content };
      return { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] };
    }
  }
}

function toToolCallPart(call: ToolCall) {
  return {
    type: "tool-call" as const,
    toolCallId: call.id,
    toolName: call.name,
    input: parseInput(call.input),
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
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type === "file") return toFilePart(part, defaults);
  if (defaults.takesImages === false) return { type: "text", text: "[an image, which you cannot see]" };
  const inline = /^data:([^;,]*)[^,]*?(;base64)?,(.*)$/s.exec(part.image);
  if (inline) {
    const [, declared, base64, payload = ""] = inline;
    const mediaType = part.mediaType ?? (declared || "image/*");
    const data = base64 ? payload : Buffer.from(decodeURIComponent(payload));
    return { type: "file", mediaType, data };
  }
  // We do not download images: a URL from a stranger would let them read what only this machine can reach.
  const mediaType = part.mediaType ?? "image/*";
  if (!isTakenByUrl(part.image, mediaType, defaults.supportedUrls)) {
    throw new TuttiError(
      "bad-request",
      `Worker "${defaults.workerId}" cannot take the image "${part.image.slice(0, 80)}" by its address. Give it as a data: URL.`,
    );
  }
  return { type: "file", mediaType, data: new URL(part.image) };
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

function isTakenByUrl(url: string, mediaType: string, supportedUrls: SupportedUrls): boolean {
  if (!/^https?:\/\//i.test(url)) return false;
  const isImage = (type: string) =>
    type === "*" || type === "*/*" || type === mediaType || type.startsWith("image/");
  return Object.entries(supportedUrls).some(
    ([type, patterns]) => isImage(type) && patterns.some((pattern) => pattern.test(url)),
  );
}
