// The model's name in a reply of Anthropic's, as the client asked for it: Claude Code drops the thoughts of a reply that
// names another model than the one that it asked, and the provider then refuses the calls that came after them.

import { isTuttiError } from "../../base/errors.ts";
import { spliceModel } from "./splice-model.ts";

const START = Buffer.from('"message_start"');
const LINE_FEED = 0x0a;
const DATA = "data:";

/** `lines` are whole lines of a stream. Only the event that begins the message names a model. */
export function nameModelInStream(lines: Buffer, model: string): Buffer {
  const at = lines.indexOf(START);
  if (at < 0) return lines;
  // The event's name comes first and holds the same word.
  for (let start = 0; start < lines.length; ) {
    const feed = lines.indexOf(LINE_FEED, start);
    const end = feed < 0 ? lines.length : feed;
    const line = lines.toString("utf8", start, end);
    if (line.startsWith(DATA) && line.includes('"message_start"')) {
      const named = nameInEvent(line.slice(DATA.length), model);
      if (named === undefined) return lines;
      return Buffer.concat([lines.subarray(0, start), Buffer.from(`${DATA} ${named}`), lines.subarray(end)]);
    }
    start = end + 1;
  }
  return lines;
}

/** A reply in one piece; what is no JSON object stays as it is. */
export function nameModelInBody(body: Buffer, model: string): Buffer {
  try {
    return spliceModel(body, model);
  } catch (error) {
    if (isTuttiError(error)) return body;
    throw error;
  }
}

function nameInEvent(json: string, model: string): string | undefined {
  try {
    const event = JSON.parse(json) as { type?: unknown; message?: { model?: unknown } };
    if (event.type !== "message_start" || typeof event.message?.model !== "string") return undefined;
    return JSON.stringify({ ...event, message: { ...event.message, model } });
  } catch {
    return undefined;
  }
}
