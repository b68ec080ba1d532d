// The `openai` client against a gateway under test, and what the suites read from its Responses streams.

import OpenAI, { type ClientOptions } from "openai";
import type { Response as Reply, ResponseStreamEvent } from "openai/resources/responses/responses";
import type { TeamGateway } from "../team.ts";

/** What no dialect has, beside its own fields. */
export interface Extra {
  tutti: { run_id: string; cost_usd: number; calls: number; stop_reason: string };
}

export function connectOpenAI(
  { baseURL }: TeamGateway,
  apiKey = "none",
  options: ClientOptions = {},
): OpenAI {
  return new OpenAI({ baseURL, apiKey, ...options });
}

export async function readEvents(stream: AsyncIterable<ResponseStreamEvent>): Promise<ResponseStreamEvent[]> {
  const events: ResponseStreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** The response as the last event has it. */
export function lastOf(events: ResponseStreamEvent[]): Reply & Extra {
  const last = events.at(-1)!;
  if ("response" in last) return last.response as Reply & Extra;
  throw new Error(`the last event is ${last.type}`);
}

export function textOf(events: ResponseStreamEvent[]): string {
  return events.map((event) => (event.type === "response.output_text.delta" ? event.delta : "")).join("");
}
