// The last event of a stream that broke off: the status is out, so the error travels inside the stream, in
// the form in which the clients of each dialect look for it.

import type { TuttiError } from "../../base/errors.ts";
import type { DialectName } from "../../store/types.ts";
import { sse } from "../dialect/fields.ts";
import { toMessagesError } from "../dialect/messages/reply.ts";
import { toOpenAIError } from "../dialect/openai-error.ts";

/** The empty line ends whatever was begun. `events`: how many there were, which is the next one's number. */
export function toErrorEvent(dialect: DialectName, error: TuttiError, events: number): string {
  return `\n${toEvent(dialect, error, events)}`;
}

function toEvent(dialect: DialectName, error: TuttiError, events: number): string {
  switch (dialect) {
    case "chat":
      return sse(toOpenAIError(error).body);
    // `response.failed` would need the whole response, which only the provider has.
    case "responses": {
      const { code, message } = toOpenAIError(error).body.error;
      return sse({ type: "error", code, message, param: null, sequence_number: events }, "error");
    }
    case "messages":
      return sse(toMessagesError(error).body, "error");
  }
}
