// A reply of Chat Completions as chunks. All of them share their head; what the team is doing goes into
// `reasoning_content`, which clients that do not know it skip.

import type { ReplyHead, StreamEncoder } from "../../types.ts";
import { KEEP_ALIVE, sse, toSeconds, toTuttiFields } from "../common.ts";
import { toOpenAIError } from "../openai-error.ts";
import { type ChatToolCall, toChatFinishReason, toChatToolCalls, toChatUsage } from "./reply.ts";

export function createChatStream(head: ReplyHead): StreamEncoder {
  const { echo, model } = head.request;
  const includesUsage = echo.include_usage === true;
  const base = { id: head.id, object: "chat.completion.chunk", created: toSeconds(head.createdAt), model };

  const chunk = (delta: object, finishReason: string | null = null, extra: object = {}) =>
    sse({
      ...base,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
      ...(includesUsage && { usage: null }),
      ...extra,
    });

  return {
    begin: () => chunk({ role: "assistant", content: "" }),
    progress: (line) => chunk({ reasoning_content: `${line}\n` }),
    text: (delta) => chunk({ content: delta }),
    end(outcome) {
      const deltas = toChatToolCalls(outcome).flatMap(toDeltas);
      const finish = chunk({}, toChatFinishReason(outcome), { tutti: toTuttiFields(outcome) });
      const usage = includesUsage && sse({ ...base, choices: [], usage: toChatUsage(outcome.usage) });
      const calls = deltas.map((delta) => chunk({ tool_calls: [delta] }));
      return [...calls, finish, usage || "", "data: [DONE]\n\n"].join("");
    },
    fail: (error) => sse(toOpenAIError(error).body),
    keepAlive: () => KEEP_ALIVE,
  };
}

/** First who is called, then with what: clients open the call at the first and append the second. */
function toDeltas(call: ChatToolCall, index: number): object[] {
  if (call.type === "custom") {
    const { name, input } = call.custom;
    return [
      { index, id: call.id, type: call.type, custom: { name, input: "" } },
      { index, custom: { input } },
    ];
  }
  const { name, arguments: input } = call.function;
  return [
    { index, id: call.id, type: call.type, function: { name, arguments: "" } },
    { index, function: { arguments: input } },
  ];
}
