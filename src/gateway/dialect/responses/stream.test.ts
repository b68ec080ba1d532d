import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TuttiError } from "../../../base/errors.ts";
import {
  makeHead,
  makeOutcome,
  readEvents,
  type StreamEvent,
} from "../../../testing/gateway/responses-outcome.ts";
import type { ReplyOutcome } from "../../types.ts";
import { openStream } from "../open-stream.ts";
import { responsesDialect } from "./dialect.ts";
import { toFinishedResponse } from "./object.ts";

const TERMINAL = ["response.completed", "response.incomplete", "response.failed"];

/**
 * Reads a stream as the strictest client would: builds the output from the events alone, and refuses any that
 * comes before what it belongs to was opened, or after it was closed.
 */
function followStream(events: StreamEvent[]) {
  // biome-ignore lint/suspicious/noExplicitAny: items of every kind
  const items: { item: any; isClosed: boolean; isPartOpen: boolean }[] = [];
  events.forEach((event, index) => {
    expect(event.sequence_number).toBe(index);
    expect(event.type === "response.created").toBe(index === 0);
    expect(TERMINAL.includes(event.type)).toBe(index === events.length - 1);
    if (event.response) return;
    if (event.type === "response.output_item.added") {
      expect(event.output_index).toBe(items.length);
      expect(items.every(({ isClosed }) => isClosed)).toBe(true);
      items.push({ item: structuredClone(event.item), isClosed: false, isPartOpen: false });
      return;
    }
    const open = items[event.output_index]!;
    const { item } = open;
    expect(open.isClosed).toBe(false);
    expect(event.item_id ?? event.item.id).toBe(item.id);
    switch (event.type) {
      case "response.reasoning_summary_part.added":
        expect([item.type, event.summary_index, open.isPartOpen]).toEqual([
          "reasoning",
          item.summary.length,
          false,
        ]);
        item.summary.push({ ...event.part });
        open.isPartOpen = true;
        break;
      case "response.content_part.added":
        expect([item.type, event.content_index, open.isPartOpen]).toEqual([
          "message",
          item.content.length,
          false,
        ]);
        item.content.push({ ...event.part });
        open.isPartOpen = true;
        break;
      case "response.reasoning_summary_text.delta":
        expect(open.isPartOpen).toBe(true);
        item.summary[event.summary_index].text += event.delta;
        break;
      case "response.output_text.delta":
        expect(open.isPartOpen).toBe(true);
        item.content[event.content_index].text += event.delta;
        break;
      case "response.reasoning_summary_text.done":
        expect(event.text).toBe(item.summary[event.summary_index].text);
        break;
      case "response.output_text.done":
        expect(event.text).toBe(item.content[event.content_index].text);
        break;
      case "response.reasoning_summary_part.done":
        expect(event.part).toEqual(item.summary[event.summary_index]);
        open.isPartOpen = false;
        break;
      case "response.content_part.done":
        expect(event.part).toEqual(item.content[event.content_index]);
        open.isPartOpen = false;
        break;
      case "response.function_call_arguments.delta":
        expect(item.type).toBe("function_call");
        item.arguments += event.delta;
        break;
      case "response.custom_tool_call_input.delta":
        expect(item.type).toBe("custom_tool_call");
        item.input += event.delta;
        break;
      case "response.function_call_arguments.done":
        expect([event.arguments, event.name]).toEqual([item.arguments, item.name]);
        break;
      case "response.custom_tool_call_input.done":
        expect(event.input).toBe(item.input);
        break;
      case "response.output_item.done":
        expect(open.isPartOpen).toBe(false);
        expect(event.item).toEqual(item.status ? { ...item, status: event.item.status } : item);
        expect(event.item.status).not.toBe("in_progress");
        open.item = event.item;
        open.isClosed = true;
        break;
      default:
        expect.fail(`no such event: ${event.type}`);
    }
  });
  return items;
}

const head = makeHead({ tools: [{ type: "custom", name: "patch" }] });
const word = fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 });
const step = fc.oneof(
  fc.record({ kind: fc.constant("progress" as const), value: word }),
  fc.record({ kind: fc.constant("text" as const), value: fc.oneof(word, fc.constant("")) }),
  fc.record({ kind: fc.constant("keepAlive" as const), value: fc.constant("") }),
);
const toolCall = fc.record({
  id: fc.uuid(),
  name: fc.constantFrom("lookup", "patch"),
  input: fc.constantFrom("", "{}", '{"input":"x"}', "\u2028"),
});

describe("a stream", () => {
  it("keeps its grammar in whatever order progress and text come, and ends with what was streamed", () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 12 }),
        fc.constantFrom("", " and the rest"),
        fc.array(toolCall, { maxLength: 3 }),
        fc.constantFrom<ReplyOutcome["finishReason"]>("stop", "length", "tool-calls", "content-filter"),
        (steps, rest, toolCalls, finishReason) => {
          const encoder = openStream(responsesDialect, head);
          let bytes = encoder.begin();
          for (const { kind, value } of steps) {
            bytes += kind === "keepAlive" ? encoder.keepAlive() : encoder[kind](value);
          }
          const valuesOf = (wanted: string) =>
            steps.filter(({ kind }) => kind === wanted).map(({ value }) => value);
          const firstText = steps.findIndex(({ kind, value }) => kind === "text" && value !== "");
          const seen = firstText < 0 ? steps : steps.slice(0, firstText);
          const shown = seen.filter(({ kind }) => kind === "progress").map(({ value }) => value);
          const text = valuesOf("text").join("") + rest;
          const outcome = makeOutcome({
            head,
            text,
            toolCalls,
            finishReason,
            progress: valuesOf("progress"),
          });
          bytes += encoder.end(outcome);

          const events = readEvents(bytes);
          const items = followStream(events);
          const { response } = events.at(-1)!;
          expect(response).toEqual(toFinishedResponse({ ...outcome, progress: shown }));
          expect(items.map(({ item }) => item)).toEqual(response.output);
          expect(items.every(({ isClosed }) => isClosed)).toBe(true);
        },
      ),
      { numRuns: 200, seed: 5 },
    );
  });

  it("fails with one event, whatever is open", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 6 }), (steps) => {
        const encoder = openStream(responsesDialect, head);
        let bytes = encoder.begin();
        for (const { kind, value } of steps) {
          bytes += kind === "keepAlive" ? encoder.keepAlive() : encoder[kind](value);
        }
        bytes += encoder.fail(new TuttiError("budget-spent", "The budget is spent."));
        const events = readEvents(bytes);
        followStream(events);
        expect(events.at(-1)).toMatchObject({
          type: "response.failed",
          response: {
            id: head.id,
            status: "failed",
            error: { code: "insufficient_quota", message: "The budget is spent." },
          },
        });
      }),
      { numRuns: 100, seed: 5 },
    );
  });

  it("has exactly these events, in this order", () => {
    const encoder = openStream(responsesDialect, head);
    const toolCalls = [{ id: "c1", name: "lookup", input: "{}" }];
    const bytes = [
      encoder.begin(),
      encoder.progress("planning"),
      encoder.keepAlive(),
      encoder.text("It "),
      encoder.progress("too late"),
      encoder.end(makeOutcome({ head, text: "It is", toolCalls, finishReason: "tool-calls" })),
    ].join("");
    expect(readEvents(bytes).map(({ type }) => type.replace("response.", ""))).toEqual([
      ...["created", "in_progress", "output_item.added", "reasoning_summary_part.added"],
      ...["reasoning_summary_text.delta", "reasoning_summary_text.done", "reasoning_summary_part.done"],
      ...["in_progress", "output_item.done", "output_item.added", "content_part.added", "output_text.delta"],
      ...["output_text.delta", "output_text.done", "content_part.done", "output_item.done"],
      ...["output_item.added", "function_call_arguments.delta", "function_call_arguments.done"],
      ...["output_item.done", "completed"],
    ]);
  });

  it("writes progress that was not streamed, as long as the answer has not begun", () => {
    const encoder = openStream(responsesDialect, head);
    const outcome = makeOutcome({ head, progress: ["a", "b"] });
    const events = readEvents(encoder.begin() + encoder.progress("a") + encoder.end(outcome));
    expect(followStream(events)[0]?.item.summary).toHaveLength(2);
    expect(events.at(-1)?.response).toEqual(toFinishedResponse(outcome));
  });

  it("does not take back what it has sent", () => {
    const encoder = openStream(responsesDialect, head);
    const bytes =
      encoder.begin() + encoder.text("It is 41") + encoder.end(makeOutcome({ head, text: "No." }));
    expect(followStream(readEvents(bytes))[0]?.item.content[0].text).toBe("It is 41");
  });

  it("is silent before it begins and after it is over", () => {
    const encoder = openStream(responsesDialect, head);
    expect(encoder.keepAlive()).toBe("");
    encoder.begin();
    encoder.end(makeOutcome({ head }));
    const failure = new TuttiError("overloaded", "x");
    expect([encoder.begin(), encoder.text("x"), encoder.progress("x")]).toEqual(["", "", ""]);
    expect([encoder.end(makeOutcome()), encoder.fail(failure)]).toEqual(["", ""]);
    expect(encoder.keepAlive()).toBe("");
  });
});
