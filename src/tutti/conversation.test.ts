// Conversations through the library: what the second question is sent with, and what is refused.

import { afterEach, describe, expect, it } from "vitest";
import { startChatServer } from "../testing/gateway/chat-server.ts";
import { createTutti } from "./tutti.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (let close = closing.pop(); close; close = closing.pop()) await close();
});

async function open() {
  const server = await startChatServer({ reply: ({ model, count }) => `${model} says ${count}` });
  const workers = ["a", "b"].map((model) => ({ model: `local/${model}`, baseUrl: server.baseUrl }));
  const tutti = createTutti(
    { workers, store: "memory", pools: { both: ["local/a", "local/b"] } },
    { env: {}, onNotice: () => {} },
  );
  closing.push(
    () => server.close(),
    () => tutti.close(),
  );
  return { server, tutti };
}

describe("a question that goes on with a run", () => {
  it("is sent with all that was said, and its run names the one before", async () => {
    const { server, tutti } = await open();
    const first = await tutti.ask("One?", { model: "a", system: "Be brief." });
    const second = await tutti.ask("Two?", { model: "b", continues: first.id });
    const third = await tutti.ask("Three?", { model: "b", continues: second.id, system: "Be long." });
    expect(server.requests.map(({ model }) => model)).toEqual(["a", "b", "b"]);
    expect(server.requests[2]!.messages).toEqual([
      { role: "system", content: "Be long." },
      { role: "user", content: "One?" },
      { role: "assistant", content: "a says 0" },
      { role: "user", content: "Two?" },
      { role: "assistant", content: "b says 1" },
      { role: "user", content: "Three?" },
    ]);
    expect((await tutti.load(third.id))!.continues).toBe(second.id);
    expect(first.continues).toBeUndefined();
  });

  it("is refused with the reason where there is nothing to go on with", async () => {
    const { tutti } = await open();
    await expect(tutti.ask("Two?", { continues: "r_none" })).rejects.toThrow("There is no run r_none");
    const run = await tutti.ask("One?", { model: "a" });
    await (await tutti.store()).stripRun(run.id);
    await expect(tutti.ask("Two?", { continues: run.id })).rejects.toThrow(/not kept, or was deleted/);
  });
});

describe("one worker instead of a team", () => {
  it("is asked without a plan, by its id or its model's name", async () => {
    const { tutti } = await open();
    for (const model of ["local/b", "b"]) {
      const run = await tutti.ask("Why? Compare these and explain.", { model });
      expect(run).toMatchObject({ conductorCalls: 0, calls: 1, pool: [{ id: "local/b" }] });
    }
  });

  it("must be one, and excludes a team", async () => {
    const { tutti } = await open();
    await expect(tutti.ask("One?", { model: "both" })).rejects.toThrow(/is not one worker/);
    await expect(tutti.ask("One?", { model: "a", pool: "both" })).rejects.toThrow(/exclude each other/);
    await expect(tutti.ask("One?", { model: "local/aa" })).rejects.toThrow(/Did you mean "local\/a"/);
  });
});

it("the rehearsal answers the newest question, not one that was asked before it", async () => {
  const tutti = createTutti({ store: "memory" }, { env: { TUTTI_REHEARSAL_DELAY: "0" }, onNotice: () => {} });
  closing.push(() => tutti.close());
  const first = await tutti.ask("What is 17 * 23?", { pool: "rehearsal", seed: 1 });
  expect(first.answer).toContain("391");
  const next = tutti.ask("Write a haiku", { pool: "rehearsal", continues: first.id });
  await expect(next).rejects.toMatchObject({ code: "not-in-rehearsal" });
});
