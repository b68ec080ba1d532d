// A Messages reply as server-sent events. Blocks never overlap and their indexes count up: first one thinking
// block with the lines of progress, then the text, then one block for each tool call.

import type { ReplyHead, ReplyOutcome, StreamEncoder } from "../../types.ts";
import { sse, toTuttiFields } from "../common.ts";
import { toInputJson, toMessagesError, toMessagesUsage, toStop } from "./reply.ts";

/** What the team takes is known at the end; `message_delta` has it. */
const UNKNOWN_USAGE = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
};

export function createMessagesStream({ id, request }: ReplyHead): StreamEncoder {
  let open: "thinking" | "text" | undefined;
  /** Of the block that is open, or of the next one. */
  let index = 0;

  const start = (block: object) => send({ type: "content_block_start", index, content_block: block });
  const delta = (change: object) => send({ type: "content_block_delta", index, delta: change });
  const stop = () => send({ type: "content_block_stop", index: index++ });

  function close(): string {
    if (open === undefined) return "";
    // The block came from no model, so there is nothing to sign; clients wait for a signature all the same.
    const signature = open === "thinking" ? delta({ type: "signature_delta", signature: "" }) : "";
    open = undefined;
    return signature + stop();
  }

  /** A piece of a block, which is opened first where it is not. */
  function write(type: "thinking" | "text", block: object, piece: object): string {
    const opening = open === type ? "" : close() + start(block);
    open = type;
    return opening + delta(piece);
  }

  return {
    begin: () =>
      send({
        type: "message_start",
        message: {
          id,
          type: "message",
          role: "assistant",
          model: request.model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: UNKNOWN_USAGE,
        },
      }) + send({ type: "ping" }),
    progress: (line) =>
      write(
        "thinking",
        { type: "thinking", thinking: "", signature: "" },
        { type: "thinking_delta", thinking: `${line}\n` },
      ),
    text: (text) => write("text", { type: "text", text: "" }, { type: "text_delta", text }),
    end(outcome) {
      const closed = close();
      const calls = outcome.toolCalls.map(
        ({ id, name, input }) =>
          start({ type: "tool_use", id, name, input: {} }) +
          delta({ type: "input_json_delta", partial_json: toInputJson(input) }) +
          stop(),
      );
      return closed + calls.join("") + toEnd(outcome);
    },
    fail: (error) => sse(toMessagesError(error).body, "error"),
    keepAlive: () => send({ type: "ping" }),
  };
}

function toEnd(outcome: ReplyOutcome): string {
  return (
    send({
      type: "message_delta",
      delta: toStop(outcome),
      usage: toMessagesUsage(outcome.usage),
      tutti: toTuttiFields(outcome),
    }) + send({ type: "message_stop" })
  );
}

/** In this dialect an event is named after the type of its data. */
function send(data: { type: string; [field: string]: unknown }): string {
  return sse(data, data.type);
}
