// Requests of the three dialects in one shape: `entries` (system, user, assistant, tool), `tools`, whether thoughts are
// wanted, and the prompt as the provider's cache sees it.

const textOf = (content) =>
  typeof content === "string"
    ? content
    : (content ?? []).map((part) => part.text ?? (part.content && textOf(part.content)) ?? "").join("\n");

export const READERS = { chat: readChat, messages: readMessages, responses: readResponses };

function readChat({ messages = [], tools = [] }) {
  return {
    tools: tools.map(({ function: { name, parameters } }) => ({ name, schema: parameters })),
    entries: messages.map(({ role, content, tool_calls: calls = [], tool_call_id: toolId }) => ({
      role: role === "developer" ? "system" : role,
      text: textOf(content),
      calls: calls.map(({ id, function: { name } }) => ({ id, name })),
      toolId,
    })),
    isThinking: false,
    prompt: JSON.stringify(tools) + JSON.stringify(messages),
  };
}

function readMessages({ system = [], messages = [], tools = [], thinking, cache_control: isAutomatic }) {
  const systemBlocks = typeof system === "string" ? [{ type: "text", text: system }] : system;
  const entries = [{ role: "system", text: textOf(systemBlocks) }];
  const blocks = [...tools, ...systemBlocks].map(toBlock);
  for (const { role, content } of messages) {
    const parts = typeof content === "string" ? [{ type: "text", text: content }] : content;
    blocks.push(...parts.map(toBlock));
    const results = parts.filter(({ type }) => type === "tool_result");
    for (const { tool_use_id: toolId, content: result } of results)
      entries.push({ role: "tool", toolId, text: textOf(result) });
    const rest = parts.filter(({ type }) => type !== "tool_result");
    if (rest.length === 0) continue;
    entries.push({
      role,
      text: rest.map(({ text = "" }) => text).join("\n"),
      calls: rest.flatMap(({ type, id, name }) => (type === "tool_use" ? [{ id, name }] : [])),
      thoughts: rest.flatMap(({ type, thinking: text, signature }) =>
        type === "thinking" ? [{ text, signature }] : [],
      ),
    });
  }
  if (isAutomatic && blocks.length > 0) blocks.at(-1).isMarked = true;
  const isThinking = thinking !== undefined && thinking.type !== "disabled";
  const shown = tools.map(({ name, input_schema: schema }) => ({ name, schema }));
  return { tools: shown, entries, isThinking, prompt: blocks };
}

function toBlock({ cache_control: mark, ...block }) {
  return { text: JSON.stringify(block), isMarked: mark !== undefined && mark !== null };
}

function readResponses({ instructions, input = [], tools = [], include = [] }) {
  const items = typeof input === "string" ? [{ role: "user", content: input }] : input;
  const entries = instructions ? [{ role: "system", text: instructions }] : [];
  for (const item of items) {
    const { type = "message", role, content, call_id: id, name, output } = item;
    if (type === "message")
      entries.push({ role: role === "developer" ? "system" : role, text: textOf(content) });
    else if (type === "function_call" || type === "custom_tool_call")
      entries.push({ role: "assistant", text: "", calls: [{ id, name }] });
    else if (type === "function_call_output" || type === "custom_tool_call_output")
      entries.push({ role: "tool", toolId: id, text: textOf(output) });
    else if (type === "reasoning") entries.push({ role: "assistant", text: "", thoughts: [toThought(item)] });
  }
  return {
    tools: tools.flatMap(toFunction),
    entries,
    isThinking: include.includes("reasoning.encrypted_content"),
    prompt: JSON.stringify([tools, instructions, items]),
  };
}

function toFunction(tool) {
  if (tool.type === "namespace") return (tool.tools ?? []).flatMap(toFunction);
  return tool.type === "function" ? [{ name: tool.name, schema: tool.parameters }] : [];
}

/** What was encrypted is the text with its signature, so that anybody else's is found out. */
function toThought({ encrypted_content: sealed = "" }) {
  const [text = "", signature] = Buffer.from(sealed ?? "", "base64")
    .toString()
    .split("\n");
  return { text, signature };
}
