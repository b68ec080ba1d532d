// OpenAI Responses.

import type { Dialect } from "../../types.ts";
import { toOpenAIError } from "../openai-error.ts";
import { toFinishedResponse, toUnfinishedResponse } from "./object.ts";
import { responsesRelay } from "./relay.ts";
import { parseResponsesRequest, withoutInstructions } from "./request.ts";
import { RESPONSE_ROUTES, withReferences } from "./routes.ts";
import { createResponsesStream } from "./stream.ts";

export const responsesDialect: Dialect = {
  name: "responses",
  path: "/responses",
  routes: RESPONSE_ROUTES,
  replyIdPrefix: "resp_",
  relay: responsesRelay,
  expandBody: withReferences,
  parseRequest: parseResponsesRequest,
  toCarriedOver: withoutInstructions,
  toReply: toFinishedResponse,
  toQueuedReply: (head) => toUnfinishedResponse(head, "queued"),
  createStream: createResponsesStream,
  toError: toOpenAIError,
};
