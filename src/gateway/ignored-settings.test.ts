// What a provider does not have (seed and penalties at Claude, say) its package leaves out, and says so. The reply names it in
// `tutti.ignored`, streamed and not, in all three dialects. Over the socket.

import { expect, it } from "vitest";
import { writeMessage } from "../testing/gateway/anthropic-stream.ts";
import { DOORS, type Loose } from "../testing/gateway/doors.ts";
import { startTestGateway } from "../testing/gateway/gateway.ts";
import { body, closing } from "../testing/gateway/keyed-gateway.ts";
import { chatEvent, EVENTS, startProvider } from "../testing/gateway/provider-server.ts";
import { renderWorkflow } from "../workflow/render.ts";

const PLAN = renderWorkflow({
  steps: [
    { worker: 1, subtask: "Say what to look for.", access: [] },
    { worker: 0, subtask: "Answer.", access: "all" },
  ],
});

async function startWith(workers: Loose[], conductor?: string) {
  const gateway = await startTestGateway({
    env: { KEY: "sk-test-provider-0123456789" },
    config: { conductor, workers },
  });
  closing.push(() => gateway.close());
  return gateway;
}

async function startClaude() {
  const { url } = await startProvider((response, { body: raw }) => {
    const text = JSON.parse(raw).model === "planner" ? PLAN : "Yes.";
    const block: [object, object] = [
      { type: "text", text: "" },
      { type: "text_delta", text },
    ];
    writeMessage(response, [block], "end_turn");
  });
  const workers = ["claude-sonnet-4-5", "helper", "planner"].map((model) => ({
    ...{ id: model, model: `anthropic/${model}`, baseUrl: `${url}/v1`, apiKeyEnv: "KEY" },
    price: { inputUsd: 3, outputUsd: 15 },
  }));
  return startWith(workers, "planner");
}

const UNKNOWN_TO_CLAUDE = { seed: 7, presence_penalty: 0.5, frequency_penalty: 0, temperature: 1.5 };
const TOOL = { name: "read", input_schema: { type: "object", properties: {} } };
/** What is sent beside the question, and what of it is named. */
const ASKED: Record<string, [sent: object, ignored: string[]]> = {
  chat: [UNKNOWN_TO_CLAUDE, ["presence_penalty", "seed", "temperature"]],
  responses: [UNKNOWN_TO_CLAUDE, ["presence_penalty", "seed", "temperature"]],
  messages: [{ temperature: 1.5, container: "c", tools: [TOOL] }, ["container", "temperature"]],
};

/** Of whatever event of a stream has it. */
function ignoredOf(text: string): string[] | undefined {
  const events = text.split("\n").filter((line) => line.startsWith("data: {"));
  const found = events.flatMap((line) => {
    const data = JSON.parse(line.slice(6)) as Loose;
    return data.tutti?.ignored ?? data.response?.tutti?.ignored ?? [];
  });
  return found.length > 0 ? found : undefined;
}

for (const { name, path, valid } of DOORS)
  it(`${name}: the settings that Claude does not have are named, of one model and of a team's last step`, async () => {
    const gateway = await startClaude();
    const [sent, ignored] = ASKED[name]!;
    // In Claude's own dialect one model is passed through.
    const models =
      name === "messages" ? ["tutti-fast", "tutti"] : ["claude-sonnet-4-5", "tutti-fast", "tutti"];
    for (const model of models) {
      const tutti = model === "tutti-fast" ? { pool: ["claude-sonnet-4-5"] } : undefined;
      const asked = { ...valid, ...sent, model, tutti };
      const reply = await body(gateway.post(path, asked));
      expect([model, reply.tutti.ignored]).toEqual([model, ignored]);
      const streamed = await gateway.post(path, { ...asked, stream: true });
      expect([model, ignoredOf(await streamed.text())]).toEqual([model, ignored]);
      const plain = await body(gateway.post(path, { ...valid, model, tutti }));
      expect(plain.tutti.ignored).toBeUndefined();
    }
  });

it("top_k, which Mistral does not have, is named", async () => {
  const { url } = await startProvider((response) => {
    response.writeHead(200, EVENTS);
    response.end(`${chatEvent({ content: "Yes." })}${chatEvent({}, "stop")}data: [DONE]\n\n`);
  });
  const model = "mistral/mistral-large-latest";
  const gateway = await startWith([
    {
      ...{ id: "mistral", model, baseUrl: `${url}/v1`, apiKeyEnv: "KEY" },
      price: { inputUsd: 1, outputUsd: 2 },
    },
  ]);
  const reply = await body(gateway.post("/v1/responses", { model: "mistral", input: "Is it?", top_k: 5 }));
  expect(reply.tutti.ignored).toEqual(["top_k"]);
});
