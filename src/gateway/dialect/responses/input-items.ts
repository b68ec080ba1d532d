// What a response was asked, as items: for GET /v1/responses/{id}/input_items.

import type { Message, Part } from "../../../worker/types.ts";
import type { ReplyHead } from "../../types.ts";
import { toOutputText } from "./object.ts";
import { withoutInstructions } from "./request.ts";

/** Newest first, unless the other order is asked for: so does OpenAI. The instructions are no part of the input. */
export function toInputItems(messages: Message[], head: ReplyHead, order: "asc" | "desc" = "desc") {
  const tail = head.id.replace(/^resp_/, "");
  const input = withoutInstructions(messages, head.request.echo);
  const items = input.flatMap(toItems).map(({ prefix, fields }, index) => ({
    id: `${prefix}_${tail}_in_${index}`,
    status: "completed",
    ...fields,
  }));
  const data = order === "asc" ? items : items.reverse();
  return {
    object: "list" as const,
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: false,
  };
}

interface InputItem {
  prefix: string;
  fields: { type: string } & Record<string, unknown>;
}

function toItems(message: Message): InputItem[] {
  switch (message.role) {
    case "system":
    case "user": {
      const content =
        typeof message.content === "string" ? [toTextPart(message.content)] : message.content.map(toPart);
      return [{ prefix: "msg", fields: { type: "message", role: message.role, content } }];
    }
    case "assistant": {
      const content = [toOutputText(message.content)];
      const said = { prefix: "msg", fields: { type: "message", role: "assistant", content } };
      const calls = (message.toolCalls ?? []).map(({ id, name, input }) => ({
        prefix: "fc",
        fields: { type: "function_call", call_id: id, name, arguments: input },
      }));
      return message.content === "" ? calls : [said, ...calls];
    }
    case "tool": {
      const { toolCallId, content } = message;
      return [
        { prefix: "fco", fields: { type: "function_call_output", call_id: toolCallId, output: content } },
      ];
    }
  }
}

function toPart(part: Part) {
  if (part.type === "text") return toTextPart(part.text);
  return { type: "input_image", image_url: part.image, detail: "auto" };
}

function toTextPart(text: string) {
  return { type: "input_text", text };
}
