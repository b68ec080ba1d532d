// The Responses stream. Its clients are strict about order: the response first, every item and part opened before
// its deltas and closed after, closed items equal to those of the final object. Items therefore come from
// object.ts only, and an item's index is its place in the final output. Events are numbered so that a client can go on behind
// the last one it saw (sequence.ts).

import type { ReplyHead, ReplyOutcome, StreamEncoder } from "../../types.ts";
import { sse } from "../common.ts";
import {
  type CallItem,
  type MessageItem,
  toFailedResponse,
  toFinishedResponse,
  toMessageItem,
  toOutputText,
  toReasoningItem,
  toSummaryPart,
  toUnfinishedResponse,
} from "./object.ts";
import { createSequence } from "./sequence.ts";

export function createResponsesStream(head: ReplyHead): StreamEncoder {
  const unfinished = toUnfinishedResponse(head, "in_progress");
  const lines: string[] = [];
  const sequence = createSequence(head);
  let isReasoningOpen = false;
  let isMessageOpen = false;
  let sent = "";

  function write(type: string, fields: object): string {
    const sequence_number = sequence.next();
    return sequence_number === undefined ? "" : sse({ type, sequence_number, ...fields }, type);
  }

  const openedMessage = toMessageItem(head, "", "in_progress");
  /** Progress is the first item, where there is any, and the answer the next. */
  const messageIndex = () => (lines.length > 0 ? 1 : 0);
  const textPlace = () => ({ item_id: openedMessage.id, output_index: messageIndex(), content_index: 0 });

  function progress(line: string): string {
    const item = toReasoningItem(head, []);
    const place = { item_id: item.id, output_index: 0, summary_index: lines.length };
    let events = isReasoningOpen ? "" : write("response.output_item.added", { output_index: 0, item });
    isReasoningOpen = true;
    lines.push(line);
    events += write("response.reasoning_summary_part.added", { ...place, part: toSummaryPart("") });
    events += write("response.reasoning_summary_text.delta", { ...place, delta: line });
    events += write("response.reasoning_summary_text.done", { ...place, text: line });
    return events + write("response.reasoning_summary_part.done", { ...place, part: toSummaryPart(line) });
  }

  function closeReasoning(): string {
    if (!isReasoningOpen) return "";
    isReasoningOpen = false;
    return write("response.output_item.done", { output_index: 0, item: toReasoningItem(head, lines) });
  }

  function openMessage(): string {
    isMessageOpen = true;
    const closing = closeReasoning();
    sequence.beginAnswer();
    return (
      closing +
      write("response.output_item.added", { output_index: messageIndex(), item: openedMessage }) +
      write("response.content_part.added", { ...textPlace(), part: toOutputText("") })
    );
  }

  function text(delta: string): string {
    const opening = isMessageOpen ? "" : openMessage();
    sent += delta;
    const type = "response.output_text.delta";
    const { number: sequence_number, unseen } = sequence.text(delta);
    if (unseen === "") return opening;
    return opening + sse({ type, sequence_number, ...textPlace(), delta: unseen, logprobs: [] }, type);
  }

  function closeMessage(item: MessageItem): string {
    return (
      write("response.output_text.done", { ...textPlace(), text: sent, logprobs: [] }) +
      write("response.content_part.done", { ...textPlace(), part: toOutputText(sent) }) +
      write("response.output_item.done", { output_index: messageIndex(), item })
    );
  }

  function call(item: CallItem, index: number): string {
    const place = { item_id: item.id, output_index: index };
    if (item.type !== "custom_tool_call" && item.type !== "function_call") {
      const started = { ...item, status: "in_progress" };
      return (
        write("response.output_item.added", { output_index: index, item: started }) +
        write("response.output_item.done", { output_index: index, item })
      );
    }
    const isCustom = item.type === "custom_tool_call";
    const field = isCustom ? "input" : "arguments";
    const kind = isCustom ? "response.custom_tool_call_input" : "response.function_call_arguments";
    const input = isCustom ? item.input : item.arguments;
    const done = isCustom ? { input } : { name: item.name, arguments: input };
    const opened = { ...item, status: "in_progress", [field]: "" };
    return (
      write("response.output_item.added", { output_index: index, item: opened }) +
      (input === "" ? "" : write(`${kind}.delta`, { ...place, delta: input })) +
      write(`${kind}.done`, { ...place, ...done }) +
      write("response.output_item.done", { output_index: index, item })
    );
  }

  function end(outcome: ReplyOutcome): string {
    let events = closeReasoning();
    if (!isMessageOpen) sequence.beginAnswer();
    const response = toFinishedResponse(outcome);
    response.output.forEach((item, index) => {
      if (item.type === "message") events += closeMessage(item);
      else if (item.type !== "reasoning") events += call(item, index);
    });
    return events + write(`response.${response.status}`, { response });
  }

  return {
    begin: () =>
      write("response.created", { response: unfinished }) +
      write("response.in_progress", { response: unfinished }),
    progress,
    text,
    end,
    fail: (error) => write("response.failed", { response: toFailedResponse(head, error) }),
    // A comment would do for most clients; Codex gives up after 300 s unless it sees an event.
    keepAlive() {
      const type = "response.in_progress";
      return sse({ type, sequence_number: sequence.alive(), response: unfinished }, type);
    },
  };
}
