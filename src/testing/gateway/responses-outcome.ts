// A reply of the Responses dialect to test with, and the events of its stream read back.

import { createParser } from "eventsource-parser";
import type { ReplyHead, ReplyOutcome } from "../../gateway/types.ts";

export function makeHead(echo: Record<string, unknown> = {}): ReplyHead {
  return {
    id: "resp_abc123",
    runId: "r_abc123",
    createdAt: 1_795_000_000_900,
    request: { model: "tutti", showsProgress: true, isBackground: false, echo },
  };
}

/** The figures are those of a real reply of Fugu: 212 + 522 + 5463 + 1053 = 7250. */
export function makeOutcome(changes: Partial<ReplyOutcome> = {}): ReplyOutcome {
  return {
    head: makeHead(),
    text: "It is 42.",
    toolCalls: [],
    finishReason: "stop",
    stopReason: "done",
    usage: {
      inputTokens: 212,
      cachedInputTokens: 12,
      cacheWriteInputTokens: 0,
      outputTokens: 522,
      reasoningTokens: 22,
      orchestrationInputTokens: 5463,
      orchestrationCachedInputTokens: 63,
      orchestrationOutputTokens: 1053,
      totalTokens: 7250,
    },
    costUsd: 0.0123,
    cacheSavedUsd: 0,
    isSimulated: false,
    calls: 4,
    completedAt: 1_795_000_007_100,
    progress: [],
    ...changes,
  };
}

export interface StreamEvent {
  type: string;
  sequence_number: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every kind
  [field: string]: any;
}

/** Throws unless each frame names its event and holds one JSON object of that type. */
export function readEvents(bytes: string): StreamEvent[] {
  const events: StreamEvent[] = [];
  const parser = createParser({
    onEvent({ event, data }) {
      const parsed = JSON.parse(data) as StreamEvent;
      if (event !== parsed.type) throw new Error(`a frame "${event}" holds "${parsed.type}"`);
      events.push(parsed);
    },
  });
  parser.feed(bytes);
  return events;
}
