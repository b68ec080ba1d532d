// The Anthropic Messages dialect.

import type { Dialect } from "../../types.ts";
import { toMessagesError, toMessagesReply } from "./reply.ts";
import { parseMessagesRequest } from "./request.ts";
import { createMessagesStream } from "./stream.ts";

export const messagesDialect: Dialect = {
  name: "messages",
  parseRequest: parseMessagesRequest,
  toReply: toMessagesReply,
  createStream: createMessagesStream,
  toError: toMessagesError,
};
