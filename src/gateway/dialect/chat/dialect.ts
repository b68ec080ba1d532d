// OpenAI Chat Completions, the dialect that nearly every client speaks.

import type { Dialect } from "../../types.ts";
import { toOpenAIError } from "../openai-error.ts";
import { toChatReply } from "./reply.ts";
import { parseChatRequest } from "./request.ts";
import { createChatStream } from "./stream.ts";

export const chatDialect: Dialect = {
  name: "chat",
  parseRequest: parseChatRequest,
  toReply: toChatReply,
  createStream: createChatStream,
  toError: toOpenAIError,
};
