// The OpenAI Responses dialect.

import type { Dialect } from "../types.ts";
import { toOpenAIError } from "./openai-error.ts";
import { toFinishedResponse } from "./responses-object.ts";
import { parseResponsesRequest } from "./responses-request.ts";
import { createResponsesStream } from "./responses-stream.ts";

export const responsesDialect: Dialect = {
  name: "responses",
  parseRequest: parseResponsesRequest,
  toReply: toFinishedResponse,
  createStream: createResponsesStream,
  toError: toOpenAIError,
};
