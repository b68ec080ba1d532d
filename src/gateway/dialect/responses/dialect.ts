// The OpenAI Responses dialect.

import type { Dialect } from "../../types.ts";
import { toOpenAIError } from "../openai-error.ts";
import { toFinishedResponse } from "./object.ts";
import { parseResponsesRequest } from "./request.ts";
import { createResponsesStream } from "./stream.ts";

export const responsesDialect: Dialect = {
  name: "responses",
  parseRequest: parseResponsesRequest,
  toReply: toFinishedResponse,
  createStream: createResponsesStream,
  toError: toOpenAIError,
};
