// What a response was asked, as items: for GET /v1/responses/{id}/input_items.

import type { Message, Part } from "../../../worker/types.ts";
import type { ReplyHead } from "../../types.ts";
import { tailOf, toOutputText } from "./object.ts";
import { withoutInstructions } from "./request.ts";

type InputItem = { type: keyof typeof PREFIXES } & Record<string, unknown>;

const PREFIXES = { message: "msg", function_call: "fc", function_call_output: "fco" };

/** Newest first, unless the other order is asked for: so does OpenAI. The instructions are no part of the input. */
export function toInputItems(messages: Message[], head: ReplyHead, order: "asc" | "desc" = "desc") {
  const items = withoutInstructions(messages, head.request.echo).flatMap(toItems);
  const data = items.map((item, index) => ({
    id: `${PREFIXES[item.type]}_${tailOf(head.id)}_in_${index}`,
    status: "completed",
    ...item,
  }));
  if (order === "desc") data.reverse();
  const [first_id, last_id] = [data[0]?.id ?? null, data.at(-1)?.id ?? null];
  return { object: "list" as const, data, first_id, last_id, has_more: false };
}

function toItems(message: Message): InputItem[] {
  switch (message.role) {
    case "system":
    case "user": {
      const { role, content } = message;
      const parts =
        typeof content === "string" ? [toPart({ type: "text", text: content })] : content.map(toPart);
      return [{ type: "message", role, content: parts }];
    }
    case "assistant": {
      const { role, content, toolCalls = [] } = message;
      const calls = toolCalls.map(
        ({ id, name, input }): InputItem => ({ type: "function_call", call_id: id, name, arguments: input }),
      );
      return content === "" ? calls : [{ type: "message", role, content: [toOutputText(content)] }, ...calls];
    }
    case "tool":
      return [{ type: "function_call_output", call_id: message.toolCallId, output: toResult(message) }];
  }
}

/** A text, or parts where there are images. */
function toResult({ content, images = [] }: Extract<Message, { role: "tool" }>) {
  if (images.length === 0) return content;
  return [...(content === "" ? [] : [toPart({ type: "text", text: content })]), ...images.map(toPart)];
}

function toPart(part: Part) {
  if (part.type === "text") return { type: "input_text", text: part.text };
  if (part.type === "file") return { type: "input_file", filename: part.name, file_data: part.file };
  return { type: "input_image", image_url: part.image, detail: part.detail ?? "auto" };
}
