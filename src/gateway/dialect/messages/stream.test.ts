import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TuttiError } from "../../../base/errors.ts";
import type { ReplyHead, ReplyOutcome } from "../../types.ts";
import { openStream } from "../open-stream.ts";
import { messagesDialect } from "./dialect.ts";

const head: ReplyHead = {
  id: "msg_1",
  runId: "r_1",
  createdAt: 0,
  request: { model: "tutti", showsProgress: true, isBackground: false, echo: {} },
};

function toOutcome(change: Partial<ReplyOutcome> = {}): ReplyOutcome {
  return {
    head,
    text: "Forty-two.",
    toolCalls: [],
    finishReason: "stop",
    stopReason: "done",
    usage: {
      inputTokens: 212,
      cachedInputTokens: 100,
      cacheWriteInputTokens: 0,
      outputTokens: 522,
      reasoningTokens: 20,
      orchestrationInputTokens: 5463,
      orchestrationCachedInputTokens: 63,
      orchestrationOutputTokens: 1053,
      totalTokens: 7250,
    },
    costUsd: 0.0123,
    cacheSavedUsd: 0,
    isSimulated: false,
    calls: 3,
    completedAt: 1_000,
    progress: [],
    ...change,
  };
}

interface Frame {
  type: string;
  index?: number;
  message?: object;
  content_block?: Omit<Block, "json">;
  delta?: { type: string; text?: string; thinking?: string; partial_json?: string };
}

/** A block as a client collects it. */
interface Block {
  type: string;
  text?: string;
  thinking?: string;
  /** The input of a tool call, as it arrived. */
  json: string;
}

/** Every frame has a name and one line of data, and the name is the type of the data. */
function toFrames(bytes: string): Frame[] {
  expect(bytes === "" || bytes.endsWith("\n\n")).toBe(true);
  return bytes
    .split("\n\n")
    .slice(0, -1)
    .map((frame) => {
      const [, name, data] = /^event: (\w+)\ndata: ([^\r\n]*)$/.exec(frame) ?? expect.fail(frame);
      const parsed = JSON.parse(data!) as Frame;
      expect(parsed.type).toBe(name);
      return parsed;
    });
}

/** Reads a stream as the dialect's grammar has it and returns the content that a client would hold. */
function readContent(frames: Frame[]): Block[] {
  const content: Block[] = [];
  let open = -1;
  for (const frame of frames) {
    if (frame.type === "content_block_start") {
      expect([open, frame.index]).toEqual([-1, content.length]);
      open = frame.index!;
      content.push({ ...frame.content_block!, json: "" });
    }
    if (frame.type === "content_block_delta") {
      expect(frame.index).toBe(open);
      const block = content[open]!;
      const delta = frame.delta!;
      const kinds: Record<string, string[]> = {
        text: ["text_delta"],
        thinking: ["thinking_delta", "signature_delta"],
        tool_use: ["input_json_delta"],
      };
      expect(kinds[block.type]).toContain(delta.type);
      if (delta.type === "text_delta") block.text += delta.text ?? "";
      if (delta.type === "thinking_delta") block.thinking += delta.thinking ?? "";
      if (delta.type === "input_json_delta") block.json += delta.partial_json;
    }
    if (frame.type === "content_block_stop") {
      expect(frame.index).toBe(open);
      open = -1;
    }
    if (frame.type === "message_delta") expect(open).toBe(-1);
  }
  return content;
}

const USAGE = {
  input_tokens: 112,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 100,
  output_tokens: 522,
  output_tokens_details: { thinking_tokens: 20 },
  orchestration_input_tokens: 5463,
  orchestration_input_cached_tokens: 63,
  orchestration_output_tokens: 1053,
  total_tokens: 7250,
};
const CALLS = [
  { id: "call_1_0_0", name: "weather", input: '{"city": "Ulm"}' },
  { id: "call_1_0_1", name: "weather", input: "not JSON" },
  { id: "call_1_0_2", name: "weather", input: "[1]" },
];

describe("a whole reply", () => {
  it("is a message with usage as Anthropic counts it, and what no dialect has", () => {
    expect(messagesDialect.toReply(toOutcome({ isSimulated: true }))).toEqual({
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "tutti",
      content: [{ type: "text", text: "Forty-two." }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: USAGE,
      tutti: { run_id: "r_1", cost_usd: 0.0123, calls: 3, stop_reason: "done", simulated: true },
    });
  });

  it("shows progress as thinking, and tool calls with objects as input", () => {
    const outcome = toOutcome({
      text: "",
      progress: ["Planning", "Plan: 1 step: a"],
      toolCalls: CALLS,
      finishReason: "tool-calls",
    });
    expect(messagesDialect.toReply(outcome)).toMatchObject({
      content: [
        { type: "thinking", thinking: "Planning\nPlan: 1 step: a", signature: "" },
        { type: "tool_use", id: "call_1_0_0", name: "weather", input: { city: "Ulm" } },
        { type: "tool_use", id: "call_1_0_1", name: "weather", input: {} },
        { type: "tool_use", id: "call_1_0_2", name: "weather", input: {} },
      ],
      stop_reason: "tool_use",
    });
    const quiet = { ...head, request: { ...head.request, showsProgress: false } };
    expect(messagesDialect.toReply(toOutcome({ progress: ["Planning"], head: quiet }))).toMatchObject({
      content: [{ type: "text" }],
    });
  });

  it.each([
    ["stop", "end_turn"],
    ["other", "end_turn"],
    ["length", "max_tokens"],
    ["tool-calls", "tool_use"],
    ["content-filter", "refusal"],
  ] as const)("that ends with %s has the stop reason %s", (finishReason, reason) => {
    expect(messagesDialect.toReply(toOutcome({ finishReason }))).toMatchObject({ stop_reason: reason });
  });
});

describe("a streamed reply", () => {
  it("begins without usage, thinks, answers, and ends with the usage of the whole reply", () => {
    const stream = openStream(messagesDialect, head);
    const outcome = toOutcome();
    const frames = toFrames(
      stream.begin() +
        stream.progress("Planning") +
        stream.progress("Plan: 1 step: a") +
        stream.text("Forty") +
        stream.progress("too late") +
        stream.text("-two.") +
        stream.end(outcome),
    );
    expect(frames.map(({ type }) => type)).toEqual([
      "message_start",
      "ping",
      "content_block_start",
      "content_block_delta",
      "content_block_delta",
      "content_block_delta",
      "content_block_stop",
      "content_block_start",
      "content_block_delta",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
    expect(frames[0]!.message).toMatchObject({
      id: "msg_1",
      content: [],
      stop_reason: null,
      usage: { input_tokens: 0, output_tokens: 0 },
    });
    expect(readContent(frames)).toMatchObject([
      { type: "thinking", thinking: "Planning\nPlan: 1 step: a\n", signature: "" },
      { type: "text", text: "Forty-two." },
    ]);
    const whole = messagesDialect.toReply(outcome) as Record<string, unknown>;
    expect(frames.at(-2)).toEqual({
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: whole.usage,
      tutti: whole.tutti,
    });
  });

  it("writes at the end what was not streamed, and does not garble what was", () => {
    const late = openStream(messagesDialect, head);
    late.begin();
    late.text("Forty");
    expect(late.end(toOutcome())).toContain('"text":"-two."');
    const other = openStream(messagesDialect, head);
    other.begin();
    other.text("Fifty");
    expect(other.end(toOutcome())).not.toContain("text_delta");
  });

  it("fails with an event of the dialect", () => {
    const stream = openStream(messagesDialect, head);
    stream.begin();
    stream.text("For");
    const error = new TuttiError("stream-cut", "The stream of worker a broke off. api_key=sk-abcdefghijkl");
    const [frame] = toFrames(stream.fail(error));
    expect(frame).toEqual({
      type: "error",
      error: { type: "api_error", message: "The stream of worker a broke off. api_key=[redacted]" },
    });
    expect(stream.fail(error) + stream.text("x") + stream.keepAlive() + stream.end(toOutcome())).toBe("");
  });

  it("keeps to the grammar and says the same as the whole reply, in whatever order it is called", () => {
    const anyText = fc.oneof(
      fc.string({ unit: "binary-ascii" }),
      fc.constantFrom("\n\n", "é", "😀", "\u2028"),
    );
    const step = fc.oneof(
      fc.record({ do: fc.constant("progress" as const), text: fc.string() }),
      fc.record({ do: fc.constant("text" as const), text: anyText }),
      fc.record({ do: fc.constant("keepAlive" as const), text: fc.constant("") }),
    );
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 12 }),
        fc.string(),
        fc.subarray(CALLS),
        fc.boolean(),
        (steps, rest, toolCalls, isFailing) => {
          const stream = openStream(messagesDialect, head);
          let bytes = stream.begin();
          for (const each of steps)
            bytes += each.do === "keepAlive" ? stream.keepAlive() : stream[each.do](each.text);
          const text = steps.map((each) => (each.do === "text" ? each.text : "")).join("") + rest;
          const outcome = toOutcome({ text, toolCalls });
          bytes += isFailing ? stream.fail(new TuttiError("timeout", "late")) : stream.end(outcome);
          const frames = toFrames(bytes);
          expect(frames.filter(({ type }) => type === "message_start")).toHaveLength(1);
          const content = readContent(frames);
          expect(frames.at(-1)!.type).toBe(isFailing ? "error" : "message_stop");
          if (isFailing) return;
          const reply = messagesDialect.toReply(outcome) as { content: object[] };
          const said = content
            .filter(({ type }) => type !== "thinking")
            .map(({ json, ...block }) =>
              block.type === "tool_use" ? { ...block, input: JSON.parse(json) } : block,
            );
          expect(said).toEqual(reply.content);
          expect(content.findIndex(({ type }) => type === "thinking")).toBeLessThan(1);
        },
      ),
      { seed: 12, numRuns: 200 },
    );
  });
});
