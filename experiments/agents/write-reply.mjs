// Replies of the three dialects, streamed or not, from `{ text, thought, call, usage }`.

import { sign } from "./rules.mjs";

export const WRITERS = { chat: writeChat, messages: writeMessages, responses: writeResponses };

const EVENTS = { "content-type": "text/event-stream" };

function sendJson(response, body) {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function writeChat(response, { body, id, text, thought, call, usage: { input, read, output } }) {
  const head = { id: `chatcmpl-${id}`, created: 1, model: body.model };
  const calls = call && [
    { id: call.id, type: "function", function: { name: call.name, arguments: JSON.stringify(call.input) } },
  ];
  const usage = {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: read },
  };
  const finish_reason = call ? "tool_calls" : "stop";
  if (!body.stream) {
    const message = { role: "assistant", content: text, reasoning_content: thought, tool_calls: calls };
    sendJson(response, {
      ...head,
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason }],
      usage,
    });
    return;
  }
  response.writeHead(200, EVENTS);
  const send = (fields) =>
    response.write(`data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", ...fields })}\n\n`);
  const delta = (fields) => send({ choices: [{ index: 0, delta: fields, finish_reason: null }] });
  if (thought) delta({ role: "assistant", reasoning_content: thought });
  if (text) delta({ role: "assistant", content: text });
  if (calls) delta({ role: "assistant", tool_calls: [{ index: 0, ...calls[0] }] });
  send({ choices: [{ index: 0, delta: {}, finish_reason }] });
  if (body.stream_options?.include_usage) send({ choices: [], usage });
  response.end("data: [DONE]\n\n");
}

function writeMessages(response, { body, id, text, thought, call, usage: { input, read, written, output } }) {
  const inputs = {
    input_tokens: input - read - written,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
  };
  const blocks = [];
  if (thought) blocks.push({ type: "thinking", thinking: thought, signature: sign(thought) });
  if (text) blocks.push({ type: "text", text });
  if (call) blocks.push({ type: "tool_use", ...call });
  const stop_reason = call ? "tool_use" : "end_turn";
  const message = {
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    model: body.model,
    stop_sequence: null,
  };
  if (!body.stream) {
    const usage = { ...inputs, output_tokens: output };
    sendJson(response, { ...message, content: blocks, stop_reason, usage });
    return;
  }
  response.writeHead(200, EVENTS);
  const send = (type, fields) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
  send("message_start", {
    message: { ...message, content: [], stop_reason: null, usage: { ...inputs, output_tokens: 1 } },
  });
  for (const [index, block] of blocks.entries()) {
    const delta = (fields) => send("content_block_delta", { index, delta: fields });
    send("content_block_start", { index, content_block: toEmpty(block) });
    if (block.type === "thinking") {
      delta({ type: "thinking_delta", thinking: block.thinking });
      delta({ type: "signature_delta", signature: block.signature });
    } else if (block.type === "text") delta({ type: "text_delta", text: block.text });
    else delta({ type: "input_json_delta", partial_json: JSON.stringify(block.input) });
    send("content_block_stop", { index });
  }
  send("message_delta", { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: output } });
  send("message_stop", {});
  response.end();
}

function toEmpty(block) {
  if (block.type === "thinking") return { type: "thinking", thinking: "", signature: "" };
  return block.type === "text" ? { type: "text", text: "" } : { ...block, input: {} };
}

function writeResponses(response, { body, id, text, thought, call, usage: { input, read, output } }) {
  const items = [];
  if (thought) {
    const sealed = Buffer.from(`${thought}\n${sign(thought)}`).toString("base64");
    items.push({ type: "reasoning", id: `rs_${id}`, summary: [], encrypted_content: sealed });
  }
  const content = [{ type: "output_text", text, annotations: [] }];
  if (text) items.push({ type: "message", id: `msg_${id}`, role: "assistant", status: "completed", content });
  if (call) {
    const { id: call_id, name } = call;
    const item = { type: "function_call", id: `fc_${id}`, call_id, name, status: "completed" };
    items.push({ ...item, arguments: JSON.stringify(call.input) });
  }
  const usage = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: read },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
  const head = { id: `resp_${id}`, object: "response", created_at: 1, model: body.model, error: null };
  const whole = { ...head, status: "completed", output: items, usage };
  if (!body.stream) return sendJson(response, whole);
  response.writeHead(200, EVENTS);
  let number = 0;
  const send = (type, fields) => {
    const data = { type, sequence_number: number++, ...fields };
    response.write(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  send("response.created", { response: { ...head, status: "in_progress", output: [] } });
  for (const [output_index, item] of items.entries()) {
    const place = { output_index, item_id: item.id };
    const opened = {
      ...item,
      ...(item.content && { content: [] }),
      ...(item.arguments && { arguments: "" }),
    };
    send("response.output_item.added", { output_index, item: opened });
    if (item.type === "message") {
      const part = { type: "output_text", text: "", annotations: [] };
      send("response.content_part.added", { ...place, content_index: 0, part });
      send("response.output_text.delta", { ...place, content_index: 0, delta: text });
      send("response.output_text.done", { ...place, content_index: 0, text });
      send("response.content_part.done", { ...place, content_index: 0, part: item.content[0] });
    }
    if (item.type === "function_call") {
      send("response.function_call_arguments.delta", { ...place, delta: item.arguments });
      send("response.function_call_arguments.done", { ...place, arguments: item.arguments });
    }
    send("response.output_item.done", { output_index, item });
  }
  send("response.completed", { response: whole });
  response.end();
}
