// Resuming through the library: who conducted is found again by the identity in the journal.

import { afterEach, describe, expect, it } from "vitest";
import { createMemoryStore } from "../store/memory.ts";
import type { ConductorIdentity, PoolEntry, RunEvent } from "../store/types.ts";
import { startChatServer } from "../testing/gateway/chat-server.ts";
import { playedConductor, SETTINGS, scriptedWorker, step } from "../testing/stage.ts";
import { createSelfWorker } from "../worker/self.ts";
import type { Pool } from "../worker/types.ts";
import { createTutti, type Tutti, type TuttiInput } from "./tutti.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (let close = closing.pop(); close; close = closing.pop()) await close();
});

/** A journal with a run whose process died at once, and a library on it. */
function leave(conductor: ConductorIdentity, pool: PoolEntry[], input: TuttiInput = {}, env = {}) {
  const store = createMemoryStore();
  const task = { messages: [{ role: "user" as const, content: "What is 6 × 7?" }] };
  const settings = { ...SETTINGS, conductor, maxDepth: 1 };
  const start: RunEvent = { type: "run-start", runId: "r_left", at: Date.now(), task, pool, settings };
  store.append([start]);
  const notices: string[] = [];
  const tutti: Tutti = createTutti({ ...input, store }, { env, onNotice: (text) => notices.push(text) });
  return { tutti, store, notices };
}

const ALPHA: PoolEntry = { id: "alpha", kind: "model" };
const poolOf = (...workers: Pool["members"][number]["worker"][]): Pool => ({
  members: workers.map((worker) => ({ worker })),
});

describe("a run that died", () => {
  it.each<ConductorIdentity>([{ kind: "fast" }, { kind: "single", worker: "alpha" }])(
    "goes on with the Conductor it began with: %j",
    async (identity) => {
      const { tutti } = leave(identity, [ALPHA]);
      const run = await tutti.resume("r_left", { pool: poolOf(scriptedWorker("alpha", "42")) }).result;
      expect(run).toMatchObject({ answer: "42", stopReason: "done", settings: { conductor: identity.kind } });
    },
  );

  it("of one named model that is in no pool asks that model all the same", async () => {
    const server = await startChatServer({ models: ["gpt-x"], reply: ({ model }) => `I am ${model}.` });
    closing.push(() => server.close());
    const env = { OPENAI_API_KEY: "a key for a test", OPENAI_BASE_URL: server.baseUrl };
    const local = { id: "alpha", model: "local/alpha", baseUrl: server.baseUrl };
    const entry: PoolEntry = { id: "openai/gpt-x", kind: "model" };
    const identity: ConductorIdentity = { kind: "single", worker: "openai/gpt-x" };
    const { tutti, notices } = leave(identity, [entry], { workers: [local] }, env);
    const run = await tutti.resume("r_left").result;
    expect(run.error).toBeUndefined();
    expect(run.answer).toBe("I am gpt-x.");
    expect(notices).toEqual([]);
  });

  it("of a Conductor that was given in code needs it again", async () => {
    const { tutti } = leave({ kind: "custom", id: "mine" }, [ALPHA]);
    const pool = poolOf(scriptedWorker("alpha", "42"));
    await expect(tutti.resume("r_left", { pool }).result).rejects.toThrow(/"mine" was given in code/);
    const conductor = playedConductor({ steps: [step(0, "go")] });
    expect((await tutti.resume("r_left", { pool, conductor }).result).answer).toBe("42");
  });

  it("of a given workflow performs that one, and runs inside of it are planned by the library's Conductor", async () => {
    const entries: PoolEntry[] = [ALPHA, { id: "self", kind: "conductor" }];
    const { tutti, store } = leave({ kind: "fixed" }, entries, { conductor: "alpha" });
    const workflow = { steps: [step(1, "Do it with a team.")] };
    const at = Date.now();
    const spending = {
      usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 },
      costUsd: 0,
      calls: 0,
    };
    const common = { runId: "r_left", at, round: 0, attempt: 0 };
    store.append([
      { type: "plan-start", ...common, reserved: { usd: 0, calls: 0, tokens: 0 } },
      {
        type: "plan-end",
        ...common,
        text: "",
        decision: { type: "workflow", workflow },
        durationMs: 0,
        spending,
      },
    ]);
    const plan = 'model_id = [0]\nsubtasks = ["Answer it."]\naccess_list = [[]]';
    const alpha = scriptedWorker("alpha", ({ messages }) =>
      JSON.stringify(messages).includes("You conduct a team") ? plan : "42",
    );
    const run = await tutti.resume("r_left", { pool: poolOf(alpha, createSelfWorker()) }).result;
    expect(run).toMatchObject({ answer: "42", stopReason: "done" });
    const inside = await tutti.load(run.steps[0]!.nestedRunId!);
    expect(inside).toMatchObject({ answer: "42", settings: { conductor: "prompted:alpha" } });
  });
});
