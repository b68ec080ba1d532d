// Anthropic Messages.

import type { Dialect, ListedModel } from "../../types.ts";
import { serveCount } from "./count-tokens.ts";
import { messagesRelay } from "./relay.ts";
import { toMessagesError, toMessagesReply } from "./reply.ts";
import { parseMessagesRequest } from "./request.ts";
import { createMessagesStream } from "./stream.ts";

export const messagesDialect: Dialect = {
  name: "messages",
  path: "/messages",
  routes: [{ method: "POST", path: "/v1/messages/count_tokens", serve: serveCount }],
  replyIdPrefix: "msg_",
  requestIdHeader: "request-id",
  relay: messagesRelay,
  parseRequest: parseMessagesRequest,
  toReply: toMessagesReply,
  createStream: createMessagesStream,
  toError: toMessagesError,
  models: {
    header: "anthropic-version",
    toList(entries) {
      const data = entries.map(toModel);
      return { data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
    },
    toModel,
  },
};

function toModel({ id, createdAt }: ListedModel) {
  return { type: "model", id, display_name: id, created_at: new Date(createdAt).toISOString() };
}
