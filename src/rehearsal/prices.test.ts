// What the simulated world costs: the prices of its workers, and what asking them comes to.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { costOf } from "../worker/price.ts";
import type { Pool, WorkerEvent } from "../worker/types.ts";
import { findBestWorkflow, simulateWorkflow } from "./best-workflow.ts";
import { PLAYERS, type Player, skillOf } from "./players.ts";
import { createRehearsalPool } from "./pool.ts";
import { FAMILIES, generateProblems } from "./questions.ts";
import { createStrangers } from "./strangers.ts";
import { solveSubtask } from "./subtasks.ts";
import { createRehearsalWorker, delayOf } from "./workers.ts";

const pool = createRehearsalPool({ delayScale: 0 });
const signal = new AbortController().signal;
const problems = generateProblems({ count: 90, seed: "prices" });
const topics = [...new Set(FAMILIES.map(({ topic }) => topic))];
const meanSkill = (player: Player) =>
  topics.reduce((sum, topic) => sum + skillOf(player, topic), 0) / topics.length;

const finishOf = async (events: AsyncIterable<WorkerEvent>) => {
  let last: WorkerEvent | undefined;
  for await (const event of events) last = event;
  return last as Extract<WorkerEvent, { type: "finish" }>;
};

test("output costs more than input, and the pool has the prices of the players", () => {
  for (const [i, { price }] of PLAYERS.entries()) {
    expect(price.outputUsd).toBeGreaterThan(price.inputUsd);
    expect(pool.members[i]!.price).toEqual(price);
  }
});

test("the most expensive player is the most skilled and the cheapest the least", () => {
  const bySkill = PLAYERS.toSorted((a, b) => meanSkill(b) - meanSkill(a));
  const byPrice = PLAYERS.toSorted((a, b) => b.price.outputUsd - a.price.outputUsd);
  expect(byPrice.at(-1)!.id).toBe(bySkill.at(-1)!.id);
  expect(byPrice[0]!.id).toBe("rehearsal/violin");
});

test("of strangers the better half costs clearly more than the other", () => {
  const strangers = createStrangers(400, 11).toSorted((a, b) => meanSkill(a) - meanSkill(b));
  const mean = (some: Player[]) =>
    some.reduce((sum, { price }) => sum + Math.log(price.outputUsd), 0) / some.length;
  expect(mean(strangers.slice(200))).toBeGreaterThan(mean(strangers.slice(0, 200)) + Math.log(2));
});

test("a call costs what its usage costs, and a workflow the sum of its calls", async () => {
  for (const problem of problems.slice(0, 20)) {
    const step = (worker: number, access: number[]) => ({ worker, subtask: solveSubtask(problem), access });
    const alone = await simulateWorkflow({ steps: [step(0, [])] }, problem, pool, { seed: 1, signal });
    const messages = [{ role: "user" as const, content: `${problem.question}\n\n${solveSubtask(problem)}` }];
    const outputTokens = Math.ceil(alone.reply.length / 4);
    const inputTokens = Math.ceil(messages[0]!.content.length / 4);
    const usage = { inputTokens, outputTokens, cachedInputTokens: 0, reasoningTokens: 0 };
    expect(alone.costUsd).toBeCloseTo(costOf(usage, PLAYERS[0]!.price), 12);
    const both = await simulateWorkflow({ steps: [step(0, []), step(4, [])] }, problem, pool, {
      seed: 1,
      signal,
    });
    expect(both.costUsd).toBeGreaterThan(alone.costUsd);
  }
});

test("what is seen is paid for: the same step costs more with a reply before it, by the length of that reply", async () => {
  const usageOf = (characters: number) => ({
    ...{ inputTokens: characters, outputTokens: 0 },
    ...{ cachedInputTokens: 0, reasoningTokens: 0 },
  });
  const price = { inputUsd: 1, outputUsd: 1 };
  const echo: Pool["members"][number]["worker"] = {
    id: "echo",
    kind: "model",
    async *ask({ messages }) {
      yield { type: "text-delta", text: "Answer: 12345" };
      yield { type: "finish", usage: usageOf(String(messages[0]!.content).length), reason: "stop" };
    },
  };
  const cost = async (access: number[]) => {
    const steps = [[], access].map((seen) => ({ worker: 0, subtask: "Solve it.", access: seen }));
    const run = await simulateWorkflow(
      { steps },
      problems[0]!,
      { members: [{ worker: echo, price }] },
      { seed: 1, signal },
    );
    return run.costUsd;
  };
  const more = (await cost([0])) - (await cost([]));
  expect(more).toBeCloseTo(costOf(usageOf("Solve it.\nAnswer: 12345".length), price), 12);
});

test("a worker without a price counts as free in the search", async () => {
  const free: Pool = { members: [{ worker: createRehearsalWorker(PLAYERS[6]!, 0) }] };
  const found = await findBestWorkflow(problems[0]!, free, { repetitions: 2, seed: 1 });
  expect(found.costUsd).toBe(0);
});

test("of two equal workers the search takes the cheaper", async () => {
  const easy = generateProblems({ count: 1, seed: 1, families: ["capitals"], difficulties: [1] })[0]!;
  const worker = createRehearsalWorker(PLAYERS[0]!, 0);
  for (const cheap of [0, 1]) {
    const members = [0, 1].map((i) => ({ worker, price: { inputUsd: 1, outputUsd: i === cheap ? 2 : 4 } }));
    const { workflow, shape } = await findBestWorkflow(easy, { members }, { repetitions: 4, seed: 1 });
    expect([shape, workflow.steps[0]!.worker]).toEqual(["solve", cheap]);
  }
});

describe("delay", () => {
  test("grows with the text, and differs from ask to ask by a quarter at most", () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.constantFrom(...PLAYERS),
        fc.integer({ min: 1, max: 2000 }),
        (seed, player, length) => {
          const { firstMs, tokenMs, totalMs } = delayOf(player, "x".repeat(length), seed);
          expect(firstMs / player.delay.firstMs).toBeGreaterThanOrEqual(0.75);
          expect(firstMs / player.delay.firstMs).toBeLessThanOrEqual(1.25);
          expect(tokenMs / player.delay.tokenMs).toBeCloseTo(firstMs / player.delay.firstMs, 9);
          expect(totalMs).toBeCloseTo(firstMs + tokenMs * Math.ceil(length / 4), 6);
        },
      ),
      { seed: 1, numRuns: 200 },
    );
  });

  test("is repeatable, and another ask takes another time", () => {
    const [player] = PLAYERS;
    expect(delayOf(player!, "text", 1)).toEqual(delayOf(player!, "text", 1));
    expect(delayOf(player!, "text", 1)).not.toEqual(delayOf(player!, "text", 2));
  });
});

test("a wordy player pays for its words", async () => {
  const talk = async (wordy: boolean) => {
    const player = { ...PLAYERS[0]!, style: { ...PLAYERS[0]!.style, wordy } };
    let tokens = 0;
    for (const { question } of problems) {
      const messages = [{ role: "user" as const, content: question }];
      const finish = await finishOf(
        createRehearsalWorker(player, 0).ask({ messages, maxOutputTokens: 4000, seed: 1 }, signal),
      );
      tokens += finish.usage.outputTokens;
    }
    return tokens;
  };
  expect(await talk(true)).toBeGreaterThan((await talk(false)) * 1.3);
});
