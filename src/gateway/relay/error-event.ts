// The last event of a stream that broke off: the status is out, so the error travels inside the stream, in
// the form in which the clients of each dialect look for it.

import type { TuttiError } from "../../errors.ts";
import type { DialectName } from "../../store/types.ts";

/** The empty line ends whatever was begun. `events`: how many there were, which is the next one's number. */
export function toErrorEvent(
  dialect: DialectName,
  { code, message }: Pick<TuttiError, "code" | "message">,
  events: number,
): string {
  switch (dialect) {
    case "chat":
      return `\ndata: ${JSON.stringify({ error: { message, type: "server_error", param: null, code } })}\n\n`;
    // `response.failed` would need the whole response, which only the provider has.
    case "responses": {
      const data = { type: "error", code, message, param: null, sequence_number: events };
      return `\nevent: error\ndata: ${JSON.stringify(data)}\n\n`;
    }
    case "messages": {
      const data = { type: "error", error: { type: "api_error", message } };
      return `\nevent: error\ndata: ${JSON.stringify(data)}\n\n`;
    }
  }
}
