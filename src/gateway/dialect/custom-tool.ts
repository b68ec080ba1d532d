// Custom tools of OpenAI's dialects take plain text. Inside, every tool takes JSON, so the text travels as the one
// field of an object, and is taken out again when the client reads it.

import type { Fields } from "./fields.ts";

export const CUSTOM_SCHEMA = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
};

/** The text as such arguments. */
export function toCustomInput(text: string): string {
  return JSON.stringify({ input: text });
}

/** The way back; arguments of another form are given as they are. */
export function fromCustomInput(json: string): string {
  try {
    const parsed: unknown = JSON.parse(json);
    const input = (parsed as Fields | null)?.input;
    return typeof input === "string" ? input : json;
  } catch {
    return json;
  }
}
