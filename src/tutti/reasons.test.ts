// Who conducts and why, over real HTTP: a server with good, failing, cut and plain models behind one address.

import { afterEach, describe, expect, it } from "vitest";
import { toPlanMessages } from "../perform/plan-messages.ts";
import { fold } from "../perform/state.ts";
import { type ChatReply, type ChatServer, startChatServer } from "../testing/gateway/chat-server.ts";
import { createTutti, type Tutti } from "./tutti.ts";

const QUESTION = "Compare quicksort and mergesort for nearly sorted input, and say which one you would use.";
const PLAN = 'Two.\nmodel_id = [0, 1]\nsubtasks = ["Draft", "Finish"]\naccess_list = [[], ["all"]]';

let server: ChatServer | undefined;
let tutti: Tutti | undefined;
afterEach(async () => {
  await tutti?.close();
  await server?.close();
});

/** Models in the order of the config; equal prices, so the first one plans. */
async function open(models: Record<string, (isPlan: boolean) => ChatReply>) {
  server = await startChatServer({
    reply: ({ model, messages }) =>
      models[model]!(JSON.stringify(messages).includes("You conduct a team of models")),
  });
  const { baseUrl } = server;
  const workers = Object.keys(models).map((id) => ({ id, model: `here/${id}`, baseUrl }));
  tutti = createTutti({ workers, store: "memory", consensus: false }, { env: {}, onNotice: () => {} });
  return { tutti, server };
}

const good = (isPlan: boolean) => (isPlan ? PLAN : "fine");

describe("no planning call", () => {
  it("is made where the pool has one model", async () => {
    const { tutti, server } = await open({ only: good });
    const run = await tutti.ask(QUESTION);
    expect(run).toMatchObject({ answer: "fine", conductorCalls: 0, stopReason: "done" });
    expect(run.settings.conductorReason).toBe("the pool has one model, so there is nothing to plan");
    expect(server.requests).toHaveLength(1);
  });

  it("is made for a question that one model plainly answers", async () => {
    const { tutti, server } = await open({ a: good, b: good });
    const run = await tutti.ask("What is the capital of France?");
    expect(run.settings.conductorReason).toMatch(/^one model is plainly enough for this question; a is/);
    expect([run.calls, run.conductorCalls, server.requests.length]).toEqual([1, 0, 1]);
  });

  it("is left out neither for other questions nor where rounds are wanted", async () => {
    const { tutti } = await open({ a: good, b: good });
    expect(await tutti.ask(QUESTION)).toMatchObject({ calls: 2, conductorCalls: 1 });
    expect((await tutti.ask("hi", { rounds: 2 })).conductorCalls).toBeGreaterThan(0);
  });
});

describe("a planner that fails", () => {
  it("is replaced by the next one, and the journal says so", async () => {
    const dead = (isPlan: boolean): ChatReply => (isPlan ? { status: 401, body: "no" } : "fine");
    const { tutti, server } = await open({ dead, alive: good });
    const run = await tutti.ask(QUESTION);
    expect(run).toMatchObject({ stopReason: "done", answer: "fine" });
    expect(run.rounds[0]!.workflow.steps).toHaveLength(2);
    expect(run.rounds[0]!.fallback).toBeUndefined();
    const events = await (await tutti.store()).loadRun(run.id);
    expect(events.find(({ type }) => type === "plan-error")).toMatchObject({ successor: "alive" });
    const before = server.requests.length;
    // Its key was refused: the next question does not try it first.
    const next = await tutti.ask(QUESTION);
    expect(next.settings.conductorReason).toMatch(/^alive is .+; dead would be, but failed lately$/);
    expect(server.requests[before]!.model).toBe("alive");
  });

  it("for a moment is asked once more before another one is", async () => {
    let failures = 0;
    const shaky = (isPlan: boolean): ChatReply =>
      isPlan && failures++ === 0 ? { status: 500, body: "no" } : good(isPlan);
    const { tutti, server } = await open({ shaky, other: good });
    const run = await tutti.ask(QUESTION);
    expect(run).toMatchObject({ stopReason: "done", conductorCalls: 2 });
    expect(server.requests.slice(0, 2).map(({ model }) => model)).toEqual(["shaky", "shaky"]);
  });

  it("for good, though it might come back, is replaced after one more try", async () => {
    const down = (isPlan: boolean): ChatReply => (isPlan ? { status: 503, body: "no" } : "fine");
    const { tutti, server } = await open({ down, other: good });
    const run = await tutti.ask(QUESTION);
    expect(run.rounds[0]!.workflow.steps).toHaveLength(2);
    expect(server.requests.slice(0, 3).map(({ model }) => model)).toEqual(["down", "down", "other"]);
  });

  it("by ending at its limit is told as such, and paid for once", async () => {
    const endless = (isPlan: boolean): ChatReply =>
      isPlan ? { text: "Let me think about", finishReason: "length" } : "fine";
    const { tutti } = await open({ endless, other: good });
    const run = await tutti.ask(QUESTION);
    expect(run).toMatchObject({ conductorCalls: 1, answer: "fine" });
    expect(run.rounds[0]!.fallback).toMatch(/after 1 attempt: The plan was cut .+ \(finish_reason length\)/);
  });
});

it("the planner is told the limits, and what it was sent can be read again from the journal", async () => {
  const { tutti, server } = await open({ a: good, b: good });
  const run = await tutti.ask(QUESTION, { maxCalls: 3, deadlineMs: 60_000 });
  const sent = server.requests[0]!.messages;
  expect(JSON.stringify(sent)).toContain("Limits: 3 calls, $1, 60 seconds for the whole answer");
  expect(JSON.stringify(sent)).toContain("at most 3 steps");
  const state = fold(await (await tutti.store()).loadRun(run.id))!;
  expect(toPlanMessages(state, 0)).toEqual(sent);
});
