// OpenAI Chat Completions, the dialect that nearly every client speaks.

import type { Dialect } from "../../types.ts";
import { toOpenAIError } from "../openai-error.ts";
import { chatRelay } from "./relay.ts";
import { toChatReply } from "./reply.ts";
import { parseChatRequest } from "./request.ts";
import { createChatStream } from "./stream.ts";

export const chatDialect: Dialect = {
  name: "chat",
  path: "/chat/completions",
  replyIdPrefix: "chatcmpl-",
  relay: chatRelay,
  parseRequest: parseChatRequest,
  toReply: toChatReply,
  createStream: createChatStream,
  toError: toOpenAIError,
};
