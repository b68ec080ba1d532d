// The quality knob over real HTTP: how many calls, whom, in how many rounds, with what budget.

import { afterEach, describe, expect, it } from "vitest";
import { QUALITIES } from "../base/quality-names.ts";
import { type ChatServer, startChatServer } from "../testing/gateway/chat-server.ts";
import type { AskOptions } from "./ask-options.ts";
import { describeQualities, toBudgetUsd, toRounds } from "./quality.ts";
import { createTutti, type Tutti } from "./tutti.ts";

const QUESTION = "Compare quicksort and mergesort for nearly sorted input, and say which one you would use.";
const PLAN = 'Two.\nmodel_id = [0, 1]\nsubtasks = ["Draft", "Finish"]\naccess_list = [[], ["all"]]';
const ACCEPT = "Fine.\nmodel_id = []\nsubtasks = []\naccess_list = []";

let server: ChatServer | undefined;
let tutti: Tutti | undefined;
afterEach(async () => {
  await tutti?.close();
  await server?.close();
});

/** The first is the strongest and the most expensive, the last the cheapest. */
async function ask(options: AskOptions, config: object = {}) {
  server = await startChatServer({
    reply: ({ messages }) => {
      const said = JSON.stringify(messages);
      if (!said.includes("You conduct a team of models")) return "fine";
      return said.includes("Round 1, as you planned it") ? ACCEPT : PLAN;
    },
  });
  const { baseUrl } = server;
  const workers = [
    { id: "strong", model: "here/strong", baseUrl, price: { inputUsd: 1, outputUsd: 9 } },
    { id: "middle", model: "here/middle", baseUrl, price: { inputUsd: 1, outputUsd: 3 } },
    { id: "cheap", model: "here/cheap", baseUrl, price: { inputUsd: 0.1, outputUsd: 0.2 } },
  ];
  tutti = createTutti({ workers, store: "memory", consensus: false, ...config }, { env: {}, onNotice() {} });
  const run = await tutti.ask(QUESTION, options);
  const prompt = server.requests.map(({ messages }) => JSON.stringify(messages)).join("\n");
  return { run, asked: server.requests.map(({ model }) => model), prompt };
}

describe("quality", () => {
  it("economy asks one worker of the cheaper half, with half the budget and no plan", async () => {
    const { run, asked } = await ask({ quality: "economy" });
    expect(asked).toEqual(["middle"]);
    expect(run).toMatchObject({ calls: 1, conductorCalls: 0, answer: "fine" });
    expect(run.settings).toMatchObject({ quality: "economy", rounds: 1, limits: { usd: 0.5 } });
    expect(run.settings.conductorReason).toMatch(/^economy: one worker and no planning; middle is/);
  });

  it("economy comes before the Conductor of the config, and a Conductor that is asked for before economy", async () => {
    const config = { conductor: "prompted" };
    expect((await ask({ quality: "economy" }, config)).run.conductorCalls).toBe(0);
    await tutti?.close();
    await server?.close();
    const { run } = await ask({ quality: "economy", conductor: "prompted" }, config);
    expect(run.conductorCalls).toBe(1);
  });

  it("balanced is the default: one round, planned by the strongest of the cheaper half", async () => {
    const { run, asked, prompt } = await ask({});
    expect(run.settings).toMatchObject({ quality: "balanced", rounds: 1, limits: { usd: 1 } });
    expect(asked[0]).toBe("middle");
    expect(prompt).toContain("Use as few steps as the task needs");
  });

  it("high has a second round, a larger team and twice the budget", async () => {
    const { run, asked, prompt } = await ask({ quality: "high" });
    expect(run.settings).toMatchObject({ rounds: 2, teamSize: 3, limits: { usd: 2 } });
    expect(run.conductorCalls).toBe(2);
    expect(asked[0]).toBe("middle");
    expect(prompt).toContain("use at least 3 steps and at most 5");
  });

  it("max has the strongest plan, in three rounds, with four times the budget", async () => {
    const { run, asked } = await ask({}, { quality: "max" });
    expect(run.settings).toMatchObject({ quality: "max", rounds: 3, limits: { usd: 4 } });
    expect(asked[0]).toBe("strong");
    expect(run.settings.conductorReason).toMatch(/^strong is the strongest of the pool/);
  });

  it("gives way to what is asked for by number", async () => {
    const { run } = await ask({ quality: "max", rounds: 1, budgetUsd: 0.3 });
    expect(run.settings).toMatchObject({ rounds: 1, limits: { usd: 0.3 } });
  });

  it("leaves a pool without a dollar limit without one", () => {
    const limits = { usd: null, calls: 40, tokens: null, deadlineMs: null };
    expect(toBudgetUsd({ limits }, "max")).toBeNull();
    expect(QUALITIES.map((name) => toRounds({ rounds: 2 }, name))).toEqual([1, 2, 3, 4]);
  });

  it("says the nearest name for a wrong one", async () => {
    await expect(ask({ quality: "hihg" as "high" })).rejects.toThrow(/"hihg". Did you mean "high"\?/);
  });

  it("has a line for each name in the help", () => {
    const lines = describeQualities().split("\n");
    expect(lines).toHaveLength(2 * QUALITIES.length);
    for (const [i, name] of QUALITIES.entries()) {
      expect(lines[2 * i]!.trim().split(" ")[0]).toBe(name);
      expect(lines[2 * i + 1]).toMatch(/simulated: \d+ % right, \d\.\d calls/);
    }
  });
});
