// A tool loop over the socket that is decided turn by turn: who goes on, that the last answer is verified with the results in
// sight, that neither a helper's nor a verifier's words are the answer, and that each decision can be read with its reason and
// its price. The stub refuses what providers refuse: results without their call, and calls without their result.

import { expect, it } from "vitest";
import type { ChatReply, ChatRequest } from "../testing/gateway/chat-server.ts";
import type { Loose } from "../testing/gateway/doors.ts";
import { startTestGateway, type TestGateway } from "../testing/gateway/gateway.ts";
import { body, closing } from "../testing/gateway/keyed-gateway.ts";

const TOOLS = [{ type: "function", function: { name: "run", parameters: { type: "object" } } }];
const VERDICT = "VERDICT: ACCEPT";

/** `inputUsd` a million tokens. */
async function start(
  successes: Record<string, number>,
  reply: (request: ChatRequest) => ChatReply,
  more: object,
) {
  const upstream = await startTestGateway({
    reply: (request) => (isWhole(request) ? reply(request) : refuse("a call or its result is missing")),
  });
  closing.push(() => upstream.close());
  const workers = Object.entries(successes).map(([name, success]) => ({
    ...{ id: `stub/${name}`, model: `stub/${name}`, baseUrl: upstream.upstream.baseUrl },
    price: { inputUsd: 1, cachedInputUsd: 0.1, outputUsd: 5 },
    profile: { success, tasks: 100 },
  }));
  const conductor = "stub/planner";
  const gateway = await startTestGateway({ config: { workers, conductor, retries: 0, ...more } });
  closing.push(() => gateway.close());
  return { gateway, asked: () => upstream.upstream.requests };
}

const refuse = (message: string) => ({ status: 400, body: { error: { message } } });

/** Every call is followed by its result, and no result stands alone. */
function isWhole({ messages }: ChatRequest): boolean {
  let open: string[] = [];
  for (const message of messages as Loose[]) {
    if (message.role === "tool") {
      if (!open.includes(message.tool_call_id)) return false;
      open = open.filter((id) => id !== message.tool_call_id);
    } else {
      if (open.length > 0) return false;
      open = (message.tool_calls ?? []).map(({ id }: Loose) => id);
    }
  }
  return open.length === 0;
}

/** Until there is an answer; `result` is what the tool returns at each turn. */
async function loop(gateway: TestGateway, result: (turn: number) => string) {
  const messages: Loose[] = [{ role: "user", content: "Make the tests of this project pass." }];
  for (let turn = 0; turn < 20; turn++) {
    const reply = await body(
      gateway.post("/v1/chat/completions", { model: "tutti", messages, tools: TOOLS }),
    );
    const { message } = reply.choices[0];
    messages.push(message);
    if (!message.tool_calls) {
      const run = await body(fetch(`${gateway.url}/v1/runs/${reply.tutti.run_id}`));
      return { answer: message.content as string, run };
    }
    for (const { id } of message.tool_calls)
      messages.push({ role: "tool", tool_call_id: id, content: result(turn) });
  }
  throw new Error("it never ends");
}

const call = ({ count }: ChatRequest): ChatReply => ({
  text: "I try.",
  toolCalls: [{ id: `c${count}`, name: "run", arguments: `{"n":${count}}` }],
});
const resultsIn = ({ messages }: ChatRequest) => messages.filter(({ role }) => role === "tool").length;
const plan = JSON.stringify({ model: [0], subtasks: ["Do it."], access: [[]] });

it("goes to a stronger worker when it fails, for a reason and at a price that can be read", async () => {
  const { gateway } = await start(
    { alpha: 0.5, beta: 0.95, planner: 0.1 },
    (request) => {
      if (request.model === "planner") return plan;
      if (request.model === "alpha") return call(request);
      return resultsIn(request) < 8 ? call(request) : "All of them pass.";
    },
    { trajectory: { verify: "never", worthUsd: 1 } },
  );
  const { answer, run } = await loop(gateway, (turn) =>
    turn < 7 ? "TypeError: x is not a function\nexit code 1" : "Tests  3 passed (3)\nexit code 0",
  );
  expect(answer).toBe("All of them pass.");
  const decisions = run.steps.flatMap((step: Loose) => step.decisions ?? []) as Loose[];
  const change = decisions.find(({ kind }) => kind === "switch")!;
  expect(change).toMatchObject({ from: 0, worker: 1, usd: expect.any(Number), because: expect.any(String) });
  expect(change.missUsd).toBeGreaterThan(0);
  expect(change.gainUsd).toBeGreaterThan(0);
  for (const { kind, usd } of decisions) if (kind === "stay") expect(usd).toBeGreaterThan(0);
  // What its last tests said is journaled as a rating of its own.
  const rated = await body(fetch(`${gateway.url}/v1/runs/${run.id}`));
  expect(rated.feedback).toMatchObject([{ score: 1, label: "tests-passed" }]);
});

it("has its last answer verified with the results in sight, and the verdict is never the answer", async () => {
  const { gateway, asked } = await start(
    { alpha: 0.7, beta: 0.7, planner: 0.1 },
    (request) => {
      if (request.model === "planner") return plan;
      if (request.model === "beta") return VERDICT;
      return resultsIn(request) === 0 ? call(request) : "It is done.";
    },
    { trajectory: { verify: "worth-it", worthUsd: 5 } },
  );
  const { answer, run } = await loop(gateway, () => "the lines of the file");
  expect(answer).toBe("It is done.");
  const verifying = asked().find(({ model }) => model === "beta")!;
  const read = JSON.stringify(verifying.messages);
  expect(read).toContain("the lines of the file");
  expect(read).toContain("It is done.");
  const turns = run.rounds.flatMap(({ turn }: Loose) => (turn ? [turn] : [])) as Loose[];
  expect(turns.map(({ kind }) => kind)).toEqual(["verify", "keep-answer"]);
  expect(turns[0]!.usd).toBeGreaterThan(0);
  expect(turns[1]).toMatchObject({ because: "accepted" });
});
