// What all protocols read alike, and their one error: a body that holds no completion at all.

import { TuttiError } from "../../base/errors.ts";

export function badRequest(message: string): TuttiError {
  return new TuttiError("bad-request", message);
}

export function toFields(body: unknown): Record<string, unknown> {
  if (typeof body === "object" && body !== null && !Array.isArray(body))
    return body as Record<string, unknown>;
  throw badRequest(`The body must be a JSON object, not ${nameOf(body)}`);
}

/** "a list", "null", "a number": for messages. */
export function nameOf(value: unknown): string {
  if (value === undefined) return "absent";
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : `${typeof value === "object" ? "an" : "a"} ${typeof value}`;
}
