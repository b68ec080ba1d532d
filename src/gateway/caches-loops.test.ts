// Loops whose turns call many tools at once: what one turn has written into Anthropic's cache the next one reads, though it
// lies further back than the provider looks by itself, and so does the next question when the loop is over. Over the socket,
// with a provider that caches as the real one does.

import { describe, expect, it } from "vitest";
import { type CachedInput, createAnthropicCache } from "../testing/gateway/anthropic-cache.ts";
import { writeMessage } from "../testing/gateway/anthropic-stream.ts";
import type { Loose } from "../testing/gateway/doors.ts";
import { startTestGateway } from "../testing/gateway/gateway.ts";
import { body, closing } from "../testing/gateway/keyed-gateway.ts";
import { startProvider } from "../testing/gateway/provider-server.ts";
import { renderWorkflow } from "../workflow/render.ts";

const TURNS = 3;
const PATHS = Array.from({ length: 12 }, (_, at) => `src/${at}.ts`);
const PLAN = renderWorkflow({
  steps: [
    { worker: 1, subtask: "Say what to look for.", access: [] },
    { worker: 0, subtask: "Answer.", access: "all" },
  ],
});
const SYSTEM = "You fix tests. ".repeat(300);
const MARK = { cache_control: { type: "ephemeral" } };

/** Claude calls a dozen tools in each of its turns; `asked` has what it was sent, as its cache counts it. */
async function startClaude() {
  const asked: CachedInput[] = [];
  const read = createAnthropicCache();
  const say = (text: string): [object, object] => [
    { type: "text", text: "" },
    { type: "text_delta", text },
  ];
  const provider = await startProvider((response, { body: raw }) => {
    const sent = JSON.parse(raw) as Loose;
    if (sent.model === "planner") return writeMessage(response, [say(PLAN)], "end_turn");
    if (sent.model === "helper") return writeMessage(response, [say("At the parser.")], "end_turn");
    const counted = read(sent);
    if (!counted) {
      response.writeHead(400, { "content-type": "application/json" });
      return void response.end('{"error":{"message":"A maximum of 4 blocks with cache_control"}}');
    }
    asked.push(counted);
    const said = sent.messages.filter(({ role }: Loose) => role === "assistant").length;
    if (said % (TURNS + 1) === TURNS) return writeMessage(response, [say("Done.")], "end_turn", counted);
    const calls = PATHS.map((path, at): [object, object] => [
      { type: "tool_use", id: `toolu_${said}_${at}`, name: "read", input: {} },
      { type: "input_json_delta", partial_json: JSON.stringify({ path }) },
    ]);
    const thought: [object, object, object] = [
      { type: "thinking", thinking: "", signature: "" },
      { type: "thinking_delta", thinking: `Thought ${said}.` },
      { type: "signature_delta", signature: `signed-${said}` },
    ];
    writeMessage(response, [thought, say("I look."), ...calls], "tool_use", counted);
  });
  const worker = (model: string) => ({
    ...{ id: model, model: `anthropic/${model}`, baseUrl: `${provider.url}/v1`, apiKeyEnv: "KEY" },
    price: { inputUsd: 3, outputUsd: 15, cachedInputUsd: 0.3, cacheWriteUsd: 3.75 },
  });
  const gateway = await startTestGateway({
    env: { KEY: "sk-test-anthropic-0123456789" },
    config: { workers: ["claude", "helper", "planner"].map(worker), conductor: "planner" },
  });
  closing.push(() => gateway.close());
  return { gateway, asked };
}

const toFile = (text: string) => `What stands in ${text}. `.repeat(10);
const SCHEMA = { type: "object", properties: {} };
type Post = (path: string, asked: object) => Promise<Loose>;

const QUESTIONS = ["Go.", "And now the other one."];

/** A whole loop for each of the questions, as an agent of each dialect sends it. */
const LOOPS: Record<string, (post: Post, model: string) => Promise<void>> = {
  chat: async (post, model) => {
    const messages: Loose[] = [{ role: "system", content: SYSTEM }];
    const tools = [{ type: "function", function: { name: "read", parameters: SCHEMA } }];
    for (const question of QUESTIONS) {
      messages.push({ role: "user", content: question });
      for (let calls: Loose[] = [{}]; calls.length > 0; ) {
        const { choices } = await post("/v1/chat/completions", { model, messages, tools });
        messages.push(choices[0].message);
        calls = choices[0].message.tool_calls ?? [];
        for (const { id, function: called } of calls)
          messages.push({ role: "tool", tool_call_id: id, content: toFile(called.arguments) });
      }
    }
  },
  responses: async (post, model) => {
    const input: Loose[] = [];
    const tools = [{ type: "function", name: "read", parameters: SCHEMA }];
    for (const question of QUESTIONS) {
      input.push({ role: "user", content: question });
      for (let calls: Loose[] = [{}]; calls.length > 0; ) {
        const { output } = await post("/v1/responses", { model, instructions: SYSTEM, input, tools });
        calls = output.filter(({ type }: Loose) => type === "function_call");
        const results = calls.map(({ call_id, arguments: given }) => ({
          ...{ type: "function_call_output", call_id, output: toFile(given) },
        }));
        input.push(...output, ...results);
      }
    }
  },
  "messages, marked by the client as Claude Code marks them": async (post, model) => {
    const messages: Loose[] = [];
    const system = ["You are an agent.", SYSTEM].map((text) => ({ type: "text", text, ...MARK }));
    const tools = [{ name: "read", input_schema: SCHEMA }];
    for (const question of QUESTIONS) {
      messages.push({ role: "user", content: [{ type: "text", text: question }] });
      for (let calls: Loose[] = [{}]; calls.length > 0; ) {
        const marked = messages.map(({ role, content }, at) => ({
          role,
          content: at < messages.length - 2 ? content : content.with(-1, { ...content.at(-1), ...MARK }),
        }));
        const { content } = await post("/v1/messages", {
          ...{ model, max_tokens: 500, system, messages: marked, tools },
        });
        calls = content.filter(({ type }: Loose) => type === "tool_use");
        messages.push({ role: "assistant", content });
        const toResult = ({ id, input }: Loose) => ({
          ...{ type: "tool_result", tool_use_id: id, content: toFile(JSON.stringify(input)) },
        });
        // Beside the results stand reminders, in blocks of their own.
        const reminders = ["Todo: the parser.", "Todo: the lexer."].map((text) => ({ type: "text", text }));
        if (calls.length > 0)
          messages.push({ role: "user", content: [...calls.map(toResult), ...reminders] });
      }
    }
  },
};

describe.each(Object.entries(LOOPS))("in %s", (name, loop) => {
  // In Claude's own dialect it is passed through byte by byte.
  const models = name.startsWith("messages") ? ["tutti", "tutti-fast"] : ["tutti", "tutti-fast", "claude"];
  it.each(models)("%s reads what the turn before has written", async (model) => {
    const { gateway, asked } = await startClaude();
    const post: Post = async (path, sent) => {
      const pool = model === "tutti-fast" ? ["claude"] : undefined;
      const reply = await body(gateway.post(path, { ...sent, tutti: { pool } }));
      expect(reply.error ?? undefined).toBeUndefined();
      return reply;
    };
    await loop(post, model);
    expect(asked).toHaveLength(QUESTIONS.length * (TURNS + 1));
    for (const [turn, { cache_read_input_tokens: read }] of asked.entries()) {
      const before = asked[turn - 1]?.total ?? 0;
      // What the team says at the beginning stands behind the client's own mark, and is read from the second turn on.
      if (turn === 1) expect(read).toBeGreaterThan(0.75 * before);
      // What the team said then is not said again, so what comes behind it is read anew, once.
      else if (model === "tutti" && turn > TURNS && turn < TURNS + 3) expect(read).toBeGreaterThan(0);
      else if (turn > 0) expect(read).toBe(before);
    }
  });
});
