import { describe, expect, it } from "vitest";
import type { ErrorCode } from "../../../base/error-codes.ts";
import { TuttiError } from "../../../base/errors.ts";
import { makeHead, makeOutcome } from "../../../testing/gateway/responses-outcome.ts";
import { parseReplyId, toReplyId } from "../../runs/turns.ts";
import { responsesDialect } from "./dialect.ts";
import { toInputItems } from "./input-items.ts";
import {
  parseItemId,
  toFailedResponse,
  toFinishedResponse,
  toOutputItems,
  toUnfinishedResponse,
} from "./object.ts";
import { expandReferences, readReferences } from "./references.ts";
import { parseResponsesRequest } from "./request.ts";

const lookup = { id: "call_abc123_0_0", name: "lookup", input: '{"q":1}' };

describe("a response", () => {
  it("has every field that clients rely on where the request said nothing", () => {
    expect(toFinishedResponse(makeOutcome())).toEqual({
      id: "resp_abc123",
      object: "response",
      created_at: 1_795_000_000,
      completed_at: 1_795_000_007,
      status: "completed",
      background: false,
      error: null,
      incomplete_details: null,
      instructions: null,
      max_output_tokens: null,
      model: "tutti",
      output: [
        {
          id: "msg_abc123",
          type: "message",
          status: "completed",
          role: "assistant",
          content: [{ type: "output_text", text: "It is 42.", annotations: [], logprobs: [] }],
        },
      ],
      parallel_tool_calls: true,
      previous_response_id: null,
      reasoning: { effort: null, summary: null },
      service_tier: "default",
      store: true,
      temperature: 1,
      text: { format: { type: "text" } },
      tool_choice: "auto",
      tools: [],
      top_p: 1,
      truncation: "disabled",
      usage: {
        input_tokens: 212,
        input_tokens_details: {
          cached_tokens: 12,
          orchestration_input_tokens: 5463,
          orchestration_input_cached_tokens: 63,
        },
        output_tokens: 522,
        output_tokens_details: { reasoning_tokens: 22, orchestration_output_tokens: 1053 },
        total_tokens: 7250,
      },
      user: null,
      metadata: {},
      tutti: { run_id: "r_abc123", cost_usd: 0.0123, calls: 4, stop_reason: "done" },
    });
  });

  it("repeats what the request said", () => {
    const asked = {
      instructions: "be brief",
      max_output_tokens: 90,
      temperature: 0,
      top_p: 0.5,
      parallel_tool_calls: false,
      truncation: "auto",
      previous_response_id: "resp_1",
      reasoning: { effort: "high", summary: "auto" },
      metadata: { team: "blue" },
      user: "u1",
      tools: [{ type: "web_search" }],
      tool_choice: "none",
      text: { format: { type: "json_object" }, verbosity: "low" },
      store: false,
    };
    const { echo } = parseResponsesRequest({ model: "tutti", input: "?", ...asked }, () => undefined);
    expect(toUnfinishedResponse(makeHead(echo), "queued")).toMatchObject({ ...asked, status: "queued" });
  });

  it("shows progress first, then the answer, then calls, with ids of its own id", () => {
    const items = toOutputItems(makeOutcome({ progress: ["planning", "asking a"], toolCalls: [lookup] }));
    expect(items).toMatchObject([
      {
        id: "rs_abc123",
        summary: [
          { type: "summary_text", text: "planning" },
          { type: "summary_text", text: "asking a" },
        ],
      },
      { id: "msg_abc123", type: "message" },
      { id: "fc_abc123_0", type: "function_call", call_id: lookup.id, name: "lookup", arguments: '{"q":1}' },
    ]);
    expect(toOutputItems(makeOutcome({ text: "" }))).toEqual([]);
  });

  it("calls a custom tool with its free text", () => {
    const head = makeHead({ tools: [{ type: "custom", name: "patch" }] });
    const toolCalls = ['{"input":"*** go"}', "*** go"].map((input, i) => ({
      id: `c${i}`,
      name: "patch",
      input,
    }));
    expect(toOutputItems(makeOutcome({ head, text: "", toolCalls }))).toMatchObject([
      { id: "ctc_abc123_0", type: "custom_tool_call", call_id: "c0", input: "*** go", status: "completed" },
      { id: "ctc_abc123_1", type: "custom_tool_call", call_id: "c1", input: "*** go" },
    ]);
  });

  it.each([
    ["length", "max_output_tokens"],
    ["content-filter", "content_filter"],
  ] as const)("is incomplete after %s", (finishReason, reason) => {
    expect(toFinishedResponse(makeOutcome({ finishReason }))).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason },
      completed_at: null,
      output: [{ status: "incomplete" }],
    });
  });

  it("says that it is a simulation", () => {
    expect(toFinishedResponse(makeOutcome({ isSimulated: true })).tutti).toMatchObject({ simulated: true });
  });
});

describe("a failed response", () => {
  it.each<[ErrorCode, string, string]>([
    ["budget-spent", "The budget of this key is spent.", "insufficient_quota"],
    ["overloaded", "Too much to do.", "server_is_overloaded"],
    ["rate-limited", "Slow down.", "rate_limit_exceeded"],
    ["bad-request", "No.", "invalid_prompt"],
    ["bad-request", "This model's maximum context length is 8 tokens.", "context_length_exceeded"],
    ["provider-error", 'Worker "a": context_length_exceeded', "context_length_exceeded"],
    ["worker-fault", 'Worker "a": insufficient_quota', "insufficient_quota"],
    ["worker-fault", "Nobody replied.", "server_error"],
  ])("of %s (%s) has the code %s", (code, message, expected) => {
    const response = toFailedResponse(makeHead(), { code, message });
    expect(response).toMatchObject({ status: "failed", error: { code: expected, message }, usage: null });
  });

  it("tells nothing of a bug, and what it took where that is known", () => {
    const response = toFailedResponse(
      makeHead(),
      new TuttiError("bad-graph", "node 7"),
      makeOutcome({ text: "" }),
    );
    expect(response.error?.message).not.toContain("node 7");
    expect(response).toMatchObject({ usage: { total_tokens: 7250 }, tutti: { calls: 4 } });
  });
});

describe("items by their ids", () => {
  it("find their response, in every turn", () => {
    for (const turn of [0, 1, 12]) {
      const head = { ...makeHead(), id: toReplyId(responsesDialect, "r_abc123", turn) };
      const toolCalls = Array.from({ length: 11 }, (_, i) => ({ ...lookup, id: `c${i}` }));
      const items = toOutputItems(makeOutcome({ head, toolCalls, progress: ["x"] }));
      expect(items).toHaveLength(13);
      for (const { id } of items) {
        expect(parseItemId(id)).toEqual({ responseId: head.id });
        expect(parseReplyId(responsesDialect, parseItemId(id)!.responseId)).toEqual({
          runId: "r_abc123",
          turn,
        });
      }
    }
    for (const id of ["", "msg_", "msg_A", "fc_abc", "item_abc", "msg_abc_in_0", "resp_abc"]) {
      expect(parseItemId(id)).toBeUndefined();
    }
  });

  it("are put in the place of their references", () => {
    const input = [
      { role: "user", content: "6 times 7?" },
      { type: "item_reference", id: "rs_abc123" },
      { type: "item_reference", id: "msg_abc123" },
      { id: "fc_abc123_0" },
      { type: "item_reference", id: "msg_of-somebody-else" },
      { role: "user", content: "sure?" },
    ];
    const body = { model: "tutti", input };
    expect(readReferences(body)).toEqual(["resp_abc123"]);
    const items = toOutputItems(makeOutcome({ progress: ["x"], toolCalls: [lookup] }));
    const { task } = parseResponsesRequest(expandReferences(body, items), () => undefined);
    expect(task.messages).toEqual([
      { role: "user", content: "6 times 7?" },
      { role: "assistant", content: "It is 42.", toolCalls: [lookup] },
      { role: "user", content: "sure?" },
    ]);
    expect(readReferences({ input: "text" })).toEqual([]);
    expect(expandReferences({ input: "text" }, items)).toEqual({ input: "text" });
  });
});

describe("what was asked, as items", () => {
  const body = {
    model: "tutti",
    instructions: "be brief",
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "what is it?" },
          { type: "input_image", image_url: "https://example.com/a.png" },
        ],
      },
      { role: "assistant", content: "let me see" },
      { type: "function_call", call_id: "c1", name: "look", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: "a cat" },
    ],
  };
  const { task, echo } = parseResponsesRequest(body, () => undefined);

  it("is a list that parses to the same messages again, without the instructions", () => {
    const list = toInputItems(task.messages, makeHead(echo), "asc");
    expect(list).toMatchObject({ object: "list", has_more: false, first_id: "msg_abc123_in_0" });
    expect(list.last_id).toBe("fco_abc123_in_3");
    const again = parseResponsesRequest({ ...body, input: list.data }, () => undefined);
    expect(again.task).toEqual(task);
  });

  it("begins with the newest item unless asked otherwise", () => {
    const ids = (order?: "asc" | "desc") =>
      toInputItems(task.messages, makeHead(echo), order).data.map(({ id }) => id);
    expect(ids()).toEqual(ids("asc").reverse());
    expect(toInputItems([], makeHead())).toMatchObject({ data: [], first_id: null, last_id: null });
  });
});
