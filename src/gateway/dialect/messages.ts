// The Anthropic Messages dialect.

import type { Dialect } from "../types.ts";
import { toMessagesError, toMessagesReply } from "./messages-reply.ts";
import { parseMessagesRequest } from "./messages-request.ts";
import { createMessagesStream } from "./messages-stream.ts";

export const messagesDialect: Dialect = {
  name: "messages",
  parseRequest: parseMessagesRequest,
  toReply: toMessagesReply,
  createStream: createMessagesStream,
  toError: toMessagesError,
};
