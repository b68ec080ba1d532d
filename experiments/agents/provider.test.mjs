// The stub provider is the measure of every agent's loop: what real providers refuse it must refuse, and its cache must
// be one. The agents themselves are `npm run agents`, which needs downloads.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ANSWER, FILE, TASK, toFiles } from "./coder.mjs";
import { startProvider } from "./provider.mjs";

const model = "coder-cheap";
const PARAMETERS = { type: "object", properties: { command: { type: "string" } }, required: ["command"] };
/** Long enough to be cached. */
const SYSTEM = "You are a coding agent. ".repeat(300);
let folder;
let provider;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tutti-stub-"));
  for (const [name, text] of Object.entries(toFiles())) writeFileSync(join(folder, name), text);
  provider = await startProvider({ folder });
});
afterEach(async () => {
  await provider.close();
  rmSync(folder, { recursive: true, force: true });
});

async function post(path, body) {
  const response = await fetch(`${provider.url}${path}`, { method: "POST", body: JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
}

function runShell({ command }) {
  try {
    return execFileSync("sh", ["-c", command], { cwd: folder, encoding: "utf8" });
  } catch ({ stdout }) {
    return stdout;
  }
}

/** Each dialect: the request after so many turns, and what of a reply is handed back. */
const SPEAKERS = {
  chat: {
    path: "/v1/chat/completions",
    first: [
      { role: "system", content: SYSTEM },
      { role: "user", content: TASK },
    ],
    ask: (messages) => ({
      messages,
      tools: [{ type: "function", function: { name: "bash", parameters: PARAMETERS } }],
    }),
    said: ({ choices: [{ message }] }) => ({
      items: [message],
      text: message.content,
      call: message.tool_calls && {
        id: message.tool_calls[0].id,
        input: JSON.parse(message.tool_calls[0].function.arguments),
      },
    }),
    result: (id, content) => ({ role: "tool", tool_call_id: id, content }),
  },
  messages: {
    path: "/v1/messages",
    first: [{ role: "user", content: TASK }],
    ask: (messages) => ({
      messages: [
        ...messages.slice(0, -1),
        {
          ...messages.at(-1),
          content: [messages.at(-1).content].flat().map((part) => ({
            ...(typeof part === "string" ? { type: "text", text: part } : part),
            cache_control: { type: "ephemeral" },
          })),
        },
      ],
      system: SYSTEM,
      thinking: { type: "adaptive" },
      tools: [{ name: "bash", input_schema: PARAMETERS }],
    }),
    said: ({ content }) => ({
      items: [{ role: "assistant", content }],
      text: content.find(({ type }) => type === "text")?.text,
      call: content.find(({ type }) => type === "tool_use"),
    }),
    result: (id, content) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] }),
  },
  responses: {
    path: "/v1/responses",
    first: [{ role: "user", content: TASK }],
    ask: (input) => ({
      input,
      instructions: SYSTEM,
      include: ["reasoning.encrypted_content"],
      tools: [{ type: "namespace", tools: [{ type: "function", name: "bash", parameters: PARAMETERS }] }],
    }),
    said({ output }) {
      const call = output.find(({ type }) => type === "function_call");
      return {
        items: output,
        text: output.find(({ type }) => type === "message")?.content[0].text,
        call: call && { id: call.call_id, input: JSON.parse(call.arguments) },
      };
    },
    result: (id, output) => ({ type: "function_call_output", call_id: id, output }),
  },
};

describe.each(Object.entries(SPEAKERS))("in %s", (_, { path, first, ask, said, result }) => {
  async function turn(conversation) {
    const { status, body } = await post(path, { model, ...ask(conversation) });
    expect({ status, body }).toMatchObject({ status: 200 });
    return said(body);
  }

  it("reads, tests, edits, tests and answers, and reads all but the news from its cache", async () => {
    const conversation = [...first];
    for (;;) {
      const { items, text, call } = await turn(conversation);
      if (!call) {
        expect(text).toBe(ANSWER);
        break;
      }
      conversation.push(...items, result(call.id, runShell(call.input)));
    }
    expect(readFileSync(join(folder, FILE), "utf8")).toContain("a + b");
    expect(provider.lines).toHaveLength(5);
    expect(provider.lines[0].read).toBe(0);
    for (const { read, input } of provider.lines.slice(1)) expect(read / input).toBeGreaterThan(0.8);
    expect(provider.refusals).toEqual([]);
  });

  it("refuses results without their call and calls without their result", async () => {
    const { items, call } = await turn(first);
    const alone = await post(path, { model, ...ask([...first, result(call.id, "x")]) });
    expect(alone.status).toBe(400);
    const open = await post(path, { model, ...ask([...first, ...items, first.at(-1)]) });
    expect(open.status).toBe(400);
    expect(provider.refusals).toHaveLength(2);
  });

  it("gives up where it is not shown what it asked for", async () => {
    const { items, call } = await turn(first);
    const second = await turn([...first, ...items, result(call.id, "")]);
    const conversation = [...first, ...items, result(call.id, ""), ...second.items];
    const third = await turn([...conversation, result(second.call.id, "2 of 3 checks failed")]);
    expect(third.call).toBeUndefined();
    expect(third.text).not.toBe(ANSWER);
  });
});

it.each(["messages", "responses"])("in %s, lost and forged thoughts are refused", async (name) => {
  const { path, first, ask, said, result } = SPEAKERS[name];
  const { body } = await post(path, { model, ...ask(first) });
  const { items, call } = said(body);
  const send = (changed) => post(path, { model, ...ask([...first, ...changed, result(call.id, "x")]) });
  const edit = (change) =>
    name === "messages"
      ? items.map(({ content, ...item }) => ({ ...item, content: content.flatMap(change) }))
      : items.flatMap(change);
  const isThought = ({ type }) => type === "thinking" || type === "reasoning";
  expect((await send(items)).status).toBe(200);
  expect((await send(edit((each) => (isThought(each) ? [] : [each])))).status).toBe(400);
  const forge = (each) => ({ ...each, thinking: "other", encrypted_content: "b3RoZXIK" });
  expect((await send(edit((each) => (isThought(each) ? forge(each) : each)))).status).toBe(400);
});
