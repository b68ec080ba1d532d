// A step that has several turns: tools of the client return, or a reply is not as the client's schema wants it.

import { describe, expect, it } from "vitest";
import type { RunEvent } from "../store/types.ts";
import {
  playedConductor,
  scriptedWorker,
  step,
  toPool,
  toStage,
  toStart,
  usageFor,
} from "../testing/stage.ts";
import type { OutputSettings, WorkerEvent, WorkerRequest } from "../worker/types.ts";
import { performRun, resumeRun } from "./driver.ts";
import { toRun } from "./run.ts";
import { fold } from "./state.ts";

const TOOLS: OutputSettings = {
  tools: [
    {
      name: "weather",
      description: "Tells the\nweather",
      inputSchema: { type: "object", properties: { city: { type: "string" } } },
    },
  ],
};

function calls(request: WorkerRequest, ...ids: string[]): WorkerEvent[] {
  return [
    { type: "text-delta", text: "I look." },
    ...ids.map((id) => ({ type: "tool-call" as const, id, name: "weather", input: `{"city":"${id}"}` })),
    { type: "finish", usage: usageFor(request, "I look."), reason: "tool-calls" },
  ];
}

function toolStart(pool: ReturnType<typeof toPool>, settings = {}, output: OutputSettings = TOOLS) {
  const start = toStart(pool, settings);
  return { ...start, task: { ...start.task, output } };
}

describe("tools of the client", () => {
  it("end the run, and what they return goes to the step that asked, without a new plan", async () => {
    const solver = scriptedWorker("solver", "a draft");
    const last = scriptedWorker("last", (request, _, call) =>
      call === 0 ? calls(request, "Paris") : "It rains.",
    );
    const pool = toPool([solver, last]);
    const conductor = playedConductor({ steps: [step(0, "draft"), step(1, "answer", "all")] });
    const stage = toStage(pool, conductor);
    const waiting = toRun(await performRun(toolStart(pool), stage));
    expect(waiting.stopReason).toBe("tool-calls");
    expect(waiting.steps[1]!.toolCalls).toEqual([
      { id: "Paris", name: "weather", input: '{"city":"Paris"}' },
    ]);
    // The others know of tools as text only.
    expect(solver.requests[0]!.tools).toBeUndefined();
    expect(JSON.stringify(solver.requests[0]!.messages)).toContain("weather(city): Tells the weather");
    expect(JSON.stringify(last.requests[0]!.messages)).not.toContain("Tells the weather");

    const toolResults = [{ toolCallId: "Paris", content: "rain" }];
    const events = await stage.store.loadRun("r_test");
    const run = toRun(await resumeRun(events, stage, { toolResults }));
    expect(run).toMatchObject({ answer: "It rains.", stopReason: "done", calls: 3 });
    expect(conductor.requests).toHaveLength(1);
    expect(solver.requests).toHaveLength(1);
    expect(last.requests[1]!.messages.slice(-2)).toEqual([
      {
        role: "assistant",
        content: "I look.",
        toolCalls: [{ id: "Paris", name: "weather", input: '{"city":"Paris"}' }],
      },
      { role: "tool", toolCallId: "Paris", toolName: "weather", content: "rain" },
    ]);
    expect(toRun(fold(await stage.store.loadRun("r_test"))!)).toEqual(run);
  });

  it("may be called turn after turn, and every turn stays in the conversation", async () => {
    const worker = scriptedWorker("a", (request, _, call) =>
      call < 3 ? calls(request, `c${call}`) : "Done.",
    );
    const pool = toPool([worker]);
    const stage = toStage(pool, playedConductor({ steps: [step(0, "go")] }));
    await performRun(toolStart(pool), stage);
    for (let turn = 0; turn < 3; turn++) {
      const toolResults = [{ toolCallId: `c${turn}`, content: `result ${turn}` }];
      await resumeRun(await stage.store.loadRun("r_test"), stage, { toolResults });
    }
    const run = toRun(fold(await stage.store.loadRun("r_test"))!);
    expect(run.answer).toBe("Done.");
    expect(run.steps[0]!.exchanges?.map(({ results }) => results![0]!.content)).toEqual([
      "result 0",
      "result 1",
      "result 2",
    ]);
    expect(worker.requests[3]!.messages).toHaveLength(1 + 3 * 2);
  });

  it("limits count anew for each turn", async () => {
    const worker = scriptedWorker("a", (request, _, call) => (call === 0 ? calls(request, "x") : "Done."));
    const pool = toPool([worker]);
    const stage = toStage(pool, playedConductor({ steps: [step(0, "go")] }));
    await performRun(toolStart(pool, { limits: { calls: 1 } }), stage);
    const toolResults = [{ toolCallId: "x", content: "y" }];
    const run = toRun(await resumeRun(await stage.store.loadRun("r_test"), stage, { toolResults }));
    expect(run).toMatchObject({ answer: "Done.", stopReason: "done", calls: 2 });
  });

  it("a worker that fails at a later turn is not replaced: another one did not make these calls", async () => {
    const first = scriptedWorker("first", (request, _, call) =>
      call === 0 ? calls(request, "x") : new Error("gone"),
    );
    const second = scriptedWorker("second", "Done by another.");
    const pool = toPool([first, second]);
    const stage = toStage(pool, playedConductor({ steps: [step(0, "go")] }));
    await performRun(toolStart(pool, { retries: 0 }), stage);
    const toolResults = [{ toolCallId: "x", content: "y" }];
    const run = toRun(await resumeRun(await stage.store.loadRun("r_test"), stage, { toolResults }));
    expect(run).toMatchObject({ hasAnswer: false, stopReason: "failed" });
    expect(second.requests).toEqual([]);
  });

  it("survive the death of the process between the results and the reply", async () => {
    const worker = scriptedWorker("a", (request, _, call) => (call === 0 ? calls(request, "x") : "Done."));
    const pool = toPool([worker]);
    const stage = toStage(pool, playedConductor({ steps: [step(0, "go")] }));
    await performRun(toolStart(pool), stage);
    const resumed: RunEvent = {
      type: "run-resume",
      runId: "r_test",
      at: Date.now(),
      toolResults: [{ toolCallId: "x", content: "y" }],
    };
    const run = toRun(await resumeRun([...(await stage.store.loadRun("r_test")), resumed], stage));
    expect(run.answer).toBe("Done.");
    expect(worker.requests).toHaveLength(2);
  });
});

describe("output with a schema", () => {
  const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
  const JSON_ONLY: OutputSettings = { responseFormat: { type: "json", schema } };

  it("is taken out of what models write around it", async () => {
    const pool = toPool([scriptedWorker("a", 'Sure!\n```json\n{"n": 42}\n```')]);
    const stage = toStage(pool, playedConductor({ steps: [step(0, "go")] }));
    const run = toRun(await performRun(toolStart(pool, {}, JSON_ONLY), stage));
    expect(run).toMatchObject({ answer: '{"n": 42}', stopReason: "done", calls: 1 });
  });

  it("is held back and asked for again, once, with what is wrong", async () => {
    const worker = scriptedWorker("a", (_, __, call) => (call === 0 ? '{"n": "many"}' : '{"n": 42}'));
    const pool = toPool([worker]);
    const stage = toStage(pool, playedConductor({ steps: [step(0, "go")] }));
    const run = toRun(await performRun(toolStart(pool, { streaming: true }, JSON_ONLY), stage));
    expect(run).toMatchObject({ answer: '{"n": 42}', stopReason: "done", calls: 2 });
    expect(worker.requests[1]!.messages.at(-1)).toMatchObject({ role: "user" });
    expect(JSON.stringify(worker.requests[1]!.messages.at(-1))).toContain("integer");
    const shown = stage.events.filter((event) => event.type === "step-delta" && event.answer);
    expect(shown).toEqual([]);
  });

  it("that its own limit of tokens has cut is given as it is", async () => {
    const worker = scriptedWorker("a", (request) => [
      { type: "text-delta", text: '{"n": 4' },
      { type: "finish", usage: usageFor(request, "{"), reason: "length" },
    ]);
    const pool = toPool([worker]);
    const stage = toStage(pool, playedConductor({ steps: [step(0, "go")] }));
    const run = toRun(await performRun(toolStart(pool, {}, JSON_ONLY), stage));
    expect(run).toMatchObject({ stopReason: "done", answer: '{"n": 4', calls: 1 });
    expect(run.steps[0]!.finishReason).toBe("length");
  });

  it("that stays wrong ends the run, and says so", async () => {
    const worker = scriptedWorker("a", "I would rather talk.");
    const pool = toPool([worker]);
    const stage = toStage(pool, playedConductor({ steps: [step(0, "go")] }));
    const run = toRun(await performRun(toolStart(pool, {}, JSON_ONLY), stage));
    expect(run).toMatchObject({ stopReason: "invalid-output", answer: "I would rather talk." });
    expect(worker.requests).toHaveLength(2);
  });

  it("that a vote does not give is asked of a model", async () => {
    const vote = scriptedWorker("vote", "42", "tool");
    const model = scriptedWorker("model", '{"n": 42}');
    const pool = toPool([vote, model]);
    const stage = toStage(pool, playedConductor({ steps: [step(1, "draft"), step(0, "vote", "all")] }));
    const run = toRun(await performRun(toolStart(pool, {}, JSON_ONLY), stage));
    expect(run).toMatchObject({ answer: '{"n": 42}', stopReason: "done" });
  });

  it("is asked of the last step only", async () => {
    const pool = toPool([scriptedWorker("a", "prose"), scriptedWorker("b", '{"n": 1}')]);
    const stage = toStage(pool, playedConductor({ steps: [step(0, "think"), step(1, "write", "all")] }));
    const run = toRun(await performRun(toolStart(pool, {}, JSON_ONLY), stage));
    expect(run).toMatchObject({ answer: '{"n": 1}', calls: 2 });
  });
});

it("a step without a subtask gets the conversation as it is", async () => {
  const worker = scriptedWorker("a", "4");
  const pool = toPool([worker]);
  const start = toStart(pool);
  const messages = [
    { role: "system" as const, content: "Be short." },
    { role: "user" as const, content: "2 + 2?" },
  ];
  const conductor = playedConductor({ steps: [step(0, "")] });
  const run = toRun(await performRun({ ...start, task: { messages } }, toStage(pool, conductor)));
  expect(run.answer).toBe("4");
  expect(worker.requests[0]!.messages).toEqual(messages);
});
