// Tool loops in every dialect (more of them in client-truth.test.ts and tool-loop-budget.test.ts): what the
// client sends now is what its worker gets, and a loop that cannot go on is an error and never a helper's text. Over the
// socket.

import { describe, expect, it } from "vitest";
import type { ChatReply, ChatRequest } from "../testing/gateway/chat-server.ts";
import { expectErrorShape, type Loose } from "../testing/gateway/doors.ts";
import { startTestGateway, type TestGatewayOptions } from "../testing/gateway/gateway.ts";
import { closing } from "../testing/gateway/keyed-gateway.ts";
import { chatEvent, EVENTS, startProvider } from "../testing/gateway/provider-server.ts";

const SCHEMA = { type: "object", properties: {} };

/** How an agent speaks a dialect: its request, what it keeps of a reply, and what its tool returned. */
interface Tongue {
  name: string;
  path: string;
  toBody(system: string, history: Loose[], tools: string[]): Loose;
  toTurn(reply: Loose): Loose[];
  toResult(turn: Loose[], text: string): Loose;
  /** The turn with other arguments of its call. */
  withInput(turn: Loose[], input: object): Loose[];
}

const TONGUES: Tongue[] = [
  {
    name: "chat",
    path: "/v1/chat/completions",
    toBody: (system, messages, tools) => ({
      ...{ model: "tutti", messages: [{ role: "system", content: system }, ...messages] },
      tools: tools.map((name) => ({ type: "function", function: { name, parameters: SCHEMA } })),
    }),
    toTurn: ({ choices: [{ message }] }) => [message],
    toResult: ([{ tool_calls: calls }], content) => ({ role: "tool", tool_call_id: calls[0].id, content }),
    withInput: ([{ tool_calls: calls, ...message }], input) => [
      {
        ...message,
        tool_calls: calls.map((call: Loose) => ({
          ...call,
          function: { ...call.function, arguments: JSON.stringify(input) },
        })),
      },
    ],
  },
  {
    name: "responses",
    path: "/v1/responses",
    toBody: (instructions, input, tools) => ({
      ...{ model: "tutti", instructions, input },
      tools: tools.map((name) => ({ type: "function", name, parameters: SCHEMA })),
    }),
    toTurn: ({ output }) => output,
    toResult(turn, output) {
      const { call_id } = turn.find(({ type }) => type === "function_call");
      return { type: "function_call_output", call_id, output };
    },
    withInput: (turn, input) =>
      turn.map((item) =>
        item.type === "function_call" ? { ...item, arguments: JSON.stringify(input) } : item,
      ),
  },
  {
    name: "messages",
    path: "/v1/messages",
    toBody: (system, messages, tools) => ({
      ...{ model: "tutti", max_tokens: 300, system, messages },
      tools: tools.map((name) => ({ name, input_schema: SCHEMA })),
    }),
    toTurn: ({ content }) => [{ role: "assistant", content }],
    toResult([{ content: blocks }], content) {
      const { id } = blocks.find(({ type }: Loose) => type === "tool_use");
      return { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] };
    },
    withInput: ([{ role, content }], input) => [
      {
        role,
        content: content.map((block: Loose) => (block.type === "tool_use" ? { ...block, input } : block)),
      },
    ],
  },
];

const HELPER = "A helper's guess.";
const plan = {
  steps: [
    { worker: 1, subtask: "Guess.", access: [] },
    { worker: 0, subtask: "Answer.", access: "all" as const },
  ],
};
const question = { role: "user", content: "Make the test pass." };
const resultsIn = ({ messages }: ChatRequest) => messages.filter(({ role }) => role === "tool").length;
const call = (turn: number): ChatReply => ({
  text: `Turn ${turn}.`,
  toolCalls: [{ id: `c${turn}`, name: "read", arguments: "{}" }],
});

describe.each(TONGUES)("a tool loop in $name", ({ name, path, toBody, toTurn, toResult, withInput }) => {
  /** `answer` is what comes after so many results of tools. */
  async function startLoop(answer: (results: number) => ChatReply, more: TestGatewayOptions = {}) {
    const gateway = await startTestGateway({
      ...{ plan, ...more },
      reply: (request) => (request.model === "beta" ? HELPER : answer(resultsIn(request))),
    });
    closing.push(() => gateway.close());
    const post = (system: string, history: Loose[], tools = ["read"]) =>
      gateway.post(path, toBody(system, history, tools));
    const ask = async (system: string, history: Loose[], tools?: string[]) => {
      const response = await post(system, history, tools);
      expect(response.status).toBe(200);
      return toTurn(await response.json());
    };
    return { gateway, post, ask };
  }

  it("sends what the client has edited and redacted, with the tools that it has now", async () => {
    const { gateway, ask } = await startLoop((results) => (results > 2 ? "Done." : call(results)));
    const first = await ask("The token is hunter2.", [question]);
    const begun = [question, ...first];
    const second = await ask("The token is hunter2.", [...begun, toResult(first, "password: hunter2")]);
    const history = [...begun, toResult(first, "password: [redacted]"), ...second, toResult(second, "ok")];
    await ask("The token is [redacted].", history, ["read", "write"]);
    const sent = gateway.asked().at(-1)!;
    expect(JSON.stringify(sent.messages)).not.toContain("hunter2");
    expect(JSON.stringify(sent.messages)).toContain("password: [redacted]");
    expect((sent.body.tools as Loose[]).map((tool) => tool.function.name)).toEqual(["read", "write"]);
    // It is still the same run: nobody planned again.
    expect(gateway.upstream.requests.filter(({ model }) => model === "planner")).toHaveLength(1);
  });

  it("sends the arguments of calls as the client has them now, those of the newest call too", async () => {
    const secret = (turn: number): ChatReply => ({
      text: `Turn ${turn}.`,
      toolCalls: [{ id: `c${turn}`, name: "read", arguments: '{ "token": "hunter2" }' }],
    });
    const { gateway, ask } = await startLoop((results) => (results > 2 ? "Done." : secret(results)));
    const clean = { token: "[redacted]" };
    const first = withInput(await ask("Be short.", [question]), clean);
    const begun = [question, ...first, toResult(first, "one")];
    const second = await ask("Be short.", begun);
    const sent = () => JSON.stringify(gateway.asked().at(-1)!.messages);
    expect(sent()).not.toContain("hunter2");
    expect(sent()).toContain("[redacted]");
    const third = await ask("Be short.", [...begun, ...second, toResult(second, "two")]);
    expect(sent().match(/hunter2/g)).toHaveLength(1);
    const cleaned = withInput(second, clean);
    await ask("Be short.", [
      ...begun,
      ...cleaned,
      toResult(second, "two"),
      ...third,
      toResult(third, "three"),
    ]);
    expect(sent().match(/hunter2/g)).toHaveLength(1);
    expect(gateway.upstream.requests.filter(({ model }) => model === "planner")).toHaveLength(1);
  });

  it("does not send turns that the client has dropped", async () => {
    const { gateway, ask } = await startLoop((results) => (results > 2 ? "Done." : call(results)));
    const first = await ask("Be short.", [question]);
    const second = await ask("Be short.", [question, ...first, toResult(first, "a very long file")]);
    const summary = { role: "user", content: "So far: the file was read." };
    await ask("Be short.", [summary, ...second, toResult(second, "ok")]);
    const { messages } = gateway.asked().at(-1)!;
    expect(JSON.stringify(messages)).not.toContain("a very long file");
    expect(JSON.stringify(messages)).toContain("So far: the file was read.");
    expect(messages.filter(({ role }) => role === "assistant")).toHaveLength(1);
  });

  it.each([false, true])(
    "that its first turn is too dear for is an error, not a helper's text (streamed: %s)",
    async (stream) => {
      const gateway = await startTestGateway({ plan, reply: () => HELPER });
      closing.push(() => gateway.close());
      const worker = (id: string, usd: number) => ({
        ...{ id, model: `stub/${id}`, baseUrl: gateway.upstream.baseUrl, thinking: "tagged" as const },
        price: { inputUsd: usd, outputUsd: usd },
      });
      const workers = [worker("alpha", 10_000), worker("beta", 1), worker("planner", 1)];
      const poor = await startTestGateway({
        config: { workers, conductor: "planner", limits: { usd: 0.1 } },
      });
      closing.push(() => poor.close());
      const response = await poor.post(path, { ...toBody("Be short.", [question], ["read"]), stream });
      const text = await response.text();
      expect(gateway.asked().map(({ model }) => model)).toEqual(["beta"]);
      expect(text).not.toContain(HELPER);
      expect(text).toContain("limit");
      if (!stream) expect(response.status).toBeGreaterThanOrEqual(400);
      // A question without tools has the best that there is.
      const plain = { ...toBody("Be short.", [question], []), tools: undefined };
      expect(await (await poor.post(path, plain)).text()).toContain(HELPER);
    },
  );

  it("that is stopped in the middle of its answer says that it was cut", async () => {
    let goOn = () => {};
    const isWritten = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const provider = await startProvider((response, { body }) => {
      response.writeHead(200, EVENTS);
      const hasResult = JSON.parse(body).messages.some(({ role }: Loose) => role === "tool");
      const read = { index: 0, id: "c", type: "function", function: { name: "read", arguments: "{}" } };
      if (hasResult) response.write(chatEvent({ content: "Half of it" }));
      else response.end(`${chatEvent({ tool_calls: [read] }, "tool_calls")}data: [DONE]\n\n`);
    });
    const worker = { id: "m", model: "stub/m", baseUrl: `${provider.url}/v1`, thinking: "tagged" as const };
    const gateway = await startTestGateway({ config: { workers: [worker], conductor: undefined } });
    closing.push(() => gateway.close());
    const asked = (history: Loose[]) => ({ ...toBody("Be short.", history, ["read"]), model: "tutti-fast" });
    const first = toTurn(await (await gateway.post(path, asked([question]))).json());
    const history = [question, ...first, toResult(first, "rain")];
    const response = await gateway.post(path, { ...asked(history), stream: true });
    let text = "";
    const reading = (async () => {
      for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
        text += piece;
        if (text.includes("Half of it")) goOn();
      }
    })();
    await isWritten;
    const { data } = (await (await fetch(`${gateway.url}/v1/runs`)).json()) as Loose;
    await gateway.post(`/v1/runs/${data[0].id}/cancel`, {});
    await reading;
    expect(text).toMatch(/"finish_reason":"length"|"stop_reason":"max_tokens"|"reason":"max_output_tokens"/);
  });

  it.each([
    ["is too long for its budget", "x".repeat(100_000), { config: { limits: { usd: 0.05 } } }, [], ["read"]],
    ["is so, and has no tools any more", "x".repeat(100_000), { config: { limits: { usd: 0.05 } } }, [], []],
    ["meets a worker that fails", "rain", {}, ["alpha"], ["read"]],
  ])("that %s is an error, and nobody takes its place", async (_case, text, more, askedThen, tools) => {
    const down = { status: 500, body: { error: { message: "down" } } };
    const { gateway, post, ask } = await startLoop((results) => (results > 0 ? down : call(0)), more);
    const first = await ask("Be short.", [question]);
    const before = gateway.upstream.requests.length;
    const response = await post("Be short.", [question, ...first, toResult(first, text)], tools);
    const error = await response.json();
    expect(response.status).toBeGreaterThanOrEqual(400);
    expectErrorShape(name, error);
    expect(JSON.stringify(error)).not.toContain(HELPER);
    const later = gateway.upstream.requests.slice(before).map(({ model }) => model);
    expect([...new Set(later)]).toEqual(askedThen);
  });
});
