// OpenAI Chat Completions, the dialect that nearly every client speaks.

import type { Dialect } from "../types.ts";
import { toChatReply } from "./chat-reply.ts";
import { parseChatRequest } from "./chat-request.ts";
import { createChatStream } from "./chat-stream.ts";
import { toOpenAIError } from "./openai-error.ts";

export const chatDialect: Dialect = {
  name: "chat",
  parseRequest: parseChatRequest,
  toReply: toChatReply,
  createStream: createChatStream,
  toError: toOpenAIError,
};
