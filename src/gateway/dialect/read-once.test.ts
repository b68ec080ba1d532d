// A conversation that goes on is read as if it had come at once, in every dialect, and what was there before is the same.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Loose } from "../../testing/gateway/doors.ts";
import { parseBody } from "../http/body.ts";
import { KnownBodies } from "../http/known-bodies.ts";
import type { Fields } from "../http/object-reader.ts";
import type { GatewayRequest } from "../types.ts";
import { parseChatRequest } from "./chat/request.ts";
import { parseMessagesRequest } from "./messages/request.ts";
import { parseResponsesRequest } from "./responses/request.ts";

const LONG = "Read all of it. ".repeat(2_000);
const header = () => undefined;
const call = (id: string) => ({ id, type: "function", function: { name: `tool_${id}`, arguments: "{}" } });

interface Tongue {
  name: string;
  parse: (fields: Fields) => GatewayRequest;
  toBody: (items: Loose[]) => Loose;
  /** Items in the order in which they come. */
  items: Loose[];
}

const TONGUES: Tongue[] = [
  {
    name: "chat",
    parse: (fields) => parseChatRequest(fields, header),
    toBody: (messages) => ({ model: "tutti", messages }),
    items: [
      { role: "user", content: LONG },
      { role: "assistant", content: "I look.", tool_calls: [call("a"), call("b")] },
      { role: "tool", tool_call_id: "a", content: [{ type: "file", file: { file_id: "f" } }] },
      { role: "tool", tool_call_id: "b", content: "two" },
      { role: "assistant", content: null, tool_calls: [call("c")] },
      { role: "tool", tool_call_id: "c", content: "three" },
    ],
  },
  {
    name: "messages",
    parse: (fields) => parseMessagesRequest(fields, header),
    toBody: (messages) => ({ model: "tutti", max_tokens: 9, messages }),
    items: [
      { role: "user", content: LONG },
      {
        role: "assistant",
        content: [
          { type: "text", text: "I look." },
          { type: "server_tool_use", id: "s", name: "search", input: {} },
          { type: "tool_use", id: "a", name: "tool_a", input: { path: "x" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "a", content: "one" },
          { type: "text", text: "Go on." },
        ],
      },
      { role: "assistant", content: [{ type: "tool_use", id: "b", name: "tool_b", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "b", is_error: true }] },
    ],
  },
  {
    name: "responses",
    parse: (fields) => parseResponsesRequest(fields, header),
    toBody: (input) => ({ model: "tutti", input }),
    items: [
      { role: "user", content: LONG },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "I look." }] },
      { type: "function_call", call_id: "a", name: "tool_a", arguments: "{}" },
      { type: "reasoning", id: "rs_1", summary: [] },
      { type: "function_call", call_id: "b", namespace: "mcp", name: "tool_b", arguments: "{}" },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "And there." }] },
      { type: "function_call_output", call_id: "a", output: "one" },
      { type: "function_call_output", call_id: "b", output: "two" },
      { type: "web_search_call", id: "ws_1" },
      { type: "function_call", call_id: "c", name: "tool_c", arguments: "{}" },
      { type: "function_call_output", call_id: "c", output: [{ type: "input_file", file_id: "f" }] },
    ],
  },
];

describe.each(TONGUES)("a conversation in $name", ({ parse, toBody, items }) => {
  it("that goes on has all of its messages, names of tools and what was left out", async () => {
    const known = new KnownBodies();
    const toRaw = (count: number) => Buffer.from(JSON.stringify(toBody(items.slice(0, count))));
    let before: unknown[] = [];
    for (let count = 1; count <= items.length; count++) {
      // Twice: a client may send the same again.
      for (const owner of ["me", "me"]) {
        const request = parse(await parseBody(toRaw(count), { known, owner }));
        expect(request).toEqual(parse(await parseBody(toRaw(count))));
        const { messages } = request.task;
        // A turn that is put together of several items is a new one every time.
        const isOwn = ({ role }: Loose) => role === "assistant" && before.length > 0;
        for (const [at, message] of messages.entries())
          if (at < before.length && !isOwn(message)) expect(message).toBe(before[at]);
        before = messages;
      }
    }
  });

  it("is read as if it came alone, whatever was edited, taken out or put in twice", () => {
    const edit = fc.record({
      at: fc.nat(99),
      kind: fc.constantFrom("copy", "remove", "repeat", "cut", "grow"),
    });
    const read = (list: Loose[]) => {
      try {
        return parse(toBody(list));
      } catch (error) {
        return String(error);
      }
    };
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 15 }), (edits) => {
        let list = structuredClone(items.slice(0, 3));
        for (const { at: place, kind } of edits) {
          const at = list.length === 0 ? 0 : place % list.length;
          // As bodies are parsed: what stands before a change is the same, everything behind it is made anew.
          const anew = (from: number) => structuredClone(list.slice(from));
          const end = list.length;
          if (kind === "copy") list = [...list.slice(0, at), ...anew(at)];
          if (kind === "remove") list = [...list.slice(0, at), ...anew(at + 1)];
          if (kind === "repeat") list = [...list.slice(0, at + 1), ...anew(at)];
          if (kind === "cut") list = list.slice(0, at);
          if (kind === "grow" || list.length === 0)
            list = [...list, ...structuredClone(items.slice(end, end + 2))];
          expect(read(list)).toEqual(read(structuredClone(list)));
        }
      }),
      { seed: 1, numRuns: 200 },
    );
  });
});
