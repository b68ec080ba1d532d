// How the fake provider answers in each dialect, streamed and not. Usage is what was billed, told honestly: what a
// gateway journals from a whole reply must then be the truth.

const PLANS = [
  'model_id = [0]\nsubtasks = ["Answer it."]\naccess_list = [[]]',
  'model_id = [0, 1]\nsubtasks = ["Think about it.", "Answer it."]\naccess_list = [[], ["all"]]',
  'model_id = [0, 1, 2]\nsubtasks = ["Think about it.", "Doubt it.", "Answer it."]\naccess_list = [[], [], ["all"]]',
];

/** No plan asks one worker twice: a second call of a run to the same model is then a repeat. */
export function planFor(serial) {
  return PLANS[serial % PLANS.length];
}

const sse = (data, event) => `${event ? `event: ${event}\n` : ""}data: ${JSON.stringify(data)}\n\n`;

/** Of each dialect: the whole reply, and the pieces of a stream. */
export const DIALECTS = {
  chat: {
    whole: (model, text, bill, body) => ({
      id: "chatcmpl-fake",
      object: "chat.completion",
      created: 1,
      model,
      choices: [toChoice(callsTools(model, body) ? toToolCall() : { content: text })],
      usage: toChatUsage(bill),
    }),
    *stream(model, words, bill, body) {
      const head = { id: "chatcmpl-fake", object: "chat.completion.chunk", created: 1, model };
      const isCall = callsTools(model, body);
      for (const delta of isCall ? [toToolCall()] : words.map((content) => ({ content })))
        yield sse({ ...head, choices: [{ index: 0, delta, finish_reason: null }] });
      const finish_reason = isCall ? "tool_calls" : "stop";
      yield sse({ ...head, choices: [{ index: 0, delta: {}, finish_reason }] });
      if (body.stream_options?.include_usage) yield sse({ ...head, choices: [], usage: toChatUsage(bill) });
      yield "data: [DONE]\n\n";
    },
    piece: (model, content) =>
      sse({
        id: "x",
        object: "chat.completion.chunk",
        created: 1,
        model,
        choices: [{ index: 0, delta: { content } }],
      }),
  },
  messages: {
    whole: (model, text, bill) => ({
      id: "msg_fake",
      type: "message",
      role: "assistant",
      model,
      content: [{ type: "text", text }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: toMessagesUsage(bill),
    }),
    *stream(model, words, bill) {
      const usage = { ...toMessagesUsage(bill), output_tokens: 1 };
      const message = {
        id: "msg_fake",
        type: "message",
        role: "assistant",
        model,
        content: [],
        stop_reason: null,
        usage,
      };
      yield sse({ type: "message_start", message }, "message_start");
      const start = { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } };
      yield sse(start, "content_block_start");
      for (const text of words) yield this.piece(model, text);
      yield sse({ type: "content_block_stop", index: 0 }, "content_block_stop");
      const end = { stop_reason: "end_turn", stop_sequence: null };
      yield sse(
        { type: "message_delta", delta: end, usage: { output_tokens: bill.outputTokens } },
        "message_delta",
      );
      yield sse({ type: "message_stop" }, "message_stop");
    },
    piece: (_, text) =>
      sse(
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
        "content_block_delta",
      ),
  },
  responses: {
    whole: (model, text, bill) => toResponse(model, text, bill, "completed"),
    *stream(model, words, bill) {
      yield sse(
        { type: "response.created", response: toResponse(model, "", bill, "in_progress") },
        "response.created",
      );
      for (const delta of words) yield this.piece(model, delta);
      const response = toResponse(model, words.join(""), bill, "completed");
      yield sse({ type: "response.completed", response }, "response.completed");
    },
    piece: (_, delta) =>
      sse(
        { type: "response.output_text.delta", item_id: "msg_fake", output_index: 0, content_index: 0, delta },
        "response.output_text.delta",
      ),
  },
  google: {
    whole: (_, text, bill) => toCandidate(text, bill, "STOP"),
    *stream(_, words, bill) {
      for (const [at, text] of words.entries())
        yield sse(toCandidate(text, bill, at === words.length - 1 ? "STOP" : undefined));
    },
    piece: (_, text) => sse({ candidates: [{ content: { role: "model", parts: [{ text }] } }] }),
  },
};

/** A model that always wants its client's tool, until it has seen a result of one. */
function callsTools(model, { tools, messages }) {
  const hasResult = Array.isArray(messages) && messages.some(({ role }) => role === "tool");
  return /tool/.test(model) && Array.isArray(tools) && !hasResult;
}

function toToolCall() {
  const call = { index: 0, id: "call_fake", type: "function", function: { name: "look", arguments: "{}" } };
  return { content: null, tool_calls: [call] };
}

function toChoice(message) {
  const finish_reason = message.tool_calls ? "tool_calls" : "stop";
  return { index: 0, message: { role: "assistant", ...message }, finish_reason };
}

function toChatUsage({ inputTokens, outputTokens, reasoningTokens }) {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  };
}

function toMessagesUsage({ inputTokens, outputTokens, cacheWriteTokens }) {
  return {
    input_tokens: inputTokens - cacheWriteTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: 0,
    output_tokens: outputTokens,
  };
}

function toResponse(model, text, bill, status) {
  const content = [{ type: "output_text", text, annotations: [] }];
  return {
    id: "resp_fake",
    object: "response",
    created_at: 1,
    model,
    status,
    output: [{ type: "message", id: "msg_fake", role: "assistant", status, content }],
    usage: {
      input_tokens: bill.inputTokens,
      output_tokens: bill.outputTokens,
      total_tokens: bill.inputTokens + bill.outputTokens,
      output_tokens_details: { reasoning_tokens: bill.reasoningTokens },
    },
  };
}

function toCandidate(text, { inputTokens, outputTokens, reasoningTokens }, finishReason) {
  return {
    candidates: [{ index: 0, content: { role: "model", parts: [{ text }] }, finishReason }],
    usageMetadata: {
      promptTokenCount: inputTokens,
      candidatesTokenCount: outputTokens - reasoningTokens,
      thoughtsTokenCount: reasoningTokens,
      totalTokenCount: inputTokens + outputTokens,
    },
  };
}
