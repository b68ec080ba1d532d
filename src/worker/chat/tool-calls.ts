// Tool calls in a chat stream come in pieces, numbered by `index`; or whole, without index or id; or all under
// index 0. Apart from stream.ts because which piece belongs to which call is a puzzle of its own.

import { randomUUID } from "node:crypto";
import type { LanguageModelV3ToolCall } from "@ai-sdk/provider";
import type { Fields } from "../../base/fields.ts";
import { isObject } from "../../base/fields.ts";

interface Call {
  id: string;
  index: number | undefined;
  name: string;
  input: string;
}

export interface ToolCalls {
  take(piece: Fields): void;
  /** In their order; a name that never came is empty. */
  all(): LanguageModelV3ToolCall[];
}

export function createToolCalls(): ToolCalls {
  const calls: Call[] = [];

  function find(index: number | undefined, id: string, name: string): Call | undefined {
    if (index === undefined) {
      if (id !== "") return calls.findLast((call) => call.id === id);
      return name === "" ? calls.at(-1) : undefined;
    }
    const call = calls.findLast((call) => call.index === index);
    // Another id with a name is another call; another id alone is a server that makes up one for each piece.
    const isAnother = call && name !== "" && id !== "" && call.id !== "" && call.id !== id;
    return isAnother ? undefined : call;
  }

  return {
    take(piece) {
      const details = (piece.function ?? {}) as Fields;
      const index = typeof piece.index === "number" ? piece.index : undefined;
      const id = toText(piece.id);
      const name = toText(details.name);
      let call = find(index, id, name);
      if (!call) {
        call = { id, index, name, input: "" };
        calls.push(call);
      }
      call.id ||= id;
      call.name ||= name;
      call.input += toArguments(details.arguments);
    },
    all: () =>
      calls.map(({ id, name, input }) => ({
        type: "tool-call",
        toolCallId: id || `call_${randomUUID()}`,
        toolName: name,
        input,
      })),
  };
}

/** Some local servers send the object itself. */
function toArguments(value: unknown): string {
  return isObject(value) ? JSON.stringify(value) : toText(value);
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}
