// Asks the way any client does: chat completions, streamed. What comes back is the answer as the client gets it;
// what the team does meanwhile is in the events of the run, whose id is in the head of the response.

import type { TuttiFields } from "../../../src/gateway/types.ts";
import type { Workflow } from "../../../src/workflow/types.ts";
import { ApiError, readServerSent, request } from "../api.ts";

export interface ChatBodyMessage {
  role: "system" | "user" | "assistant";
  content: unknown;
}

/** The body of a request, as `curl` would send it. */
export interface ChatBody {
  model: string;
  messages: ChatBodyMessage[];
  tutti?: {
    pool?: string[];
    quality?: string;
    rounds?: number;
    budget_usd?: number;
    workflow?: Workflow;
  };
}

export interface ChatResult {
  text: string;
  fields?: TuttiFields;
}

interface Chunk {
  choices?: { delta?: { content?: string | null } }[];
  tutti?: TuttiFields;
  error?: { message?: string; code?: string };
}

/**
 * Starts a run from a page that shows it elsewhere; done when it has an id. The connection stays open until the run
 * is over, because a run whose last reader has left is stopped.
 */
export function startRun(body: ChatBody): Promise<string> {
  return new Promise((resolve, reject) => {
    streamChat(body, { runId: resolve }, new AbortController().signal).catch(reject);
  });
}

export async function streamChat(
  body: ChatBody,
  on: { runId?: (id: string) => void; text?: (text: string) => void },
  signal: AbortSignal,
): Promise<ChatResult> {
  const response = await request("v1/chat/completions", {
    method: "POST",
    body: { ...body, stream: true },
    signal,
  });
  const runId = response.headers.get("x-tutti-run-id");
  if (runId) on.runId?.(runId);
  let text = "";
  let fields: TuttiFields | undefined;
  for await (const { data } of readServerSent(response)) {
    if (data === "[DONE]") break;
    const chunk = JSON.parse(data) as Chunk;
    if (chunk.error)
      throw new ApiError(502, chunk.error.code ?? "failed", chunk.error.message ?? "It failed.");
    fields = chunk.tutti ?? fields;
    const delta = chunk.choices?.[0]?.delta?.content;
    if (!delta) continue;
    text += delta;
    on.text?.(text);
  }
  return { text, fields };
}
