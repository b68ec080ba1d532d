import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { extractAnswer } from "../answer/extract.ts";
import type { Brief, VisibleStep, WorkerEvent, WorkerRequest } from "../worker/types.ts";
import { PLAYERS, skillOf } from "./players.ts";
import { createRehearsalPool } from "./pool.ts";
import { measureProfiles } from "./profiles.ts";
import { exampleQuestion, FAMILIES, generateProblems, gradeProblem, readProblem } from "./questions.ts";
import { replyTo } from "./reply.ts";
import { PLAIN_WORDS, probabilityOfSuccess } from "./rules.ts";
import type { Problem } from "./types.ts";

const never = new AbortController().signal;
const silent = createRehearsalPool({ delayScale: 0 });
const violin = silent.members[0]!.worker;

function requestOf(
  question: string,
  brief: Partial<Brief> = {},
  rest: Partial<WorkerRequest> = {},
): WorkerRequest {
  const task = { messages: [{ role: "user" as const, content: question }] };
  return {
    messages: task.messages,
    brief: { task, subtask: "Answer the question.", visible: [], isLast: true, ...brief },
    maxOutputTokens: 1000,
    seed: 1,
    ...rest,
  };
}

async function collect(events: AsyncIterable<WorkerEvent>) {
  const all: WorkerEvent[] = [];
  for await (const event of events) all.push(event);
  const text = all.map((event) => (event.type === "text-delta" ? event.text : "")).join("");
  return { all, text, finish: all.at(-1) as Extract<WorkerEvent, { type: "finish" }> };
}

const seen = (reply: string, step = 0): VisibleStep => ({
  round: 0,
  step,
  worker: 0,
  subtask: "Solve it.",
  reply,
});

describe("the port", () => {
  test("the same request gives the same reply, another seed may not", async () => {
    const [problem] = generateProblems({ count: 1, seed: 3, difficulties: [3] });
    const ask = async (seed: number) =>
      (await collect(violin.ask(requestOf(problem!.question, {}, { seed }), never))).text;
    expect(await ask(5)).toBe(await ask(5));
    expect(
      new Set(await Promise.all(Array.from({ length: 20 }, (_, seed) => ask(seed)))).size,
    ).toBeGreaterThan(1);
  });

  test("delays change when words come, not which", async () => {
    const quick = createRehearsalPool({ delayScale: 0.001 }).members[0]!.worker;
    const question = exampleQuestion(1);
    const spoken = await collect(quick.ask(requestOf(question), never));
    const atOnce = await collect(violin.ask(requestOf(question), never));
    expect(spoken.text).toBe(atOnce.text);
    expect(spoken.finish).toEqual(atOnce.finish);
    expect(spoken.all.length).toBeGreaterThan(5);
  });

  test("usage counts the messages and the reply", async () => {
    const { text, finish } = await collect(violin.ask(requestOf("What is 2 + 3?"), never));
    expect(finish.reason).toBe("stop");
    expect(finish.usage.inputTokens).toBe(Math.ceil("What is 2 + 3?".length / 4));
    expect(finish.usage.outputTokens).toBe(Math.ceil(text.length / 4));
  });

  test("the largest reply and stop sequences are kept", async () => {
    const short = await collect(violin.ask(requestOf("What is 2 + 3?", {}, { maxOutputTokens: 3 }), never));
    expect(short.text.length).toBe(12);
    expect(short.finish.reason).toBe("length");
    expect(short.finish.usage.outputTokens).toBe(3);
    const stopped = await collect(violin.ask(requestOf("What is 2 + 3?", {}, { stop: ["Answer"] }), never));
    expect(stopped.text).not.toContain("Answer");
    expect(stopped.finish.reason).toBe("stop");
  });

  test("an abort ends it at once, before and while it speaks", async () => {
    const slow = createRehearsalPool({ delayScale: 1000 }).members[0]!.worker;
    const stop = new AbortController();
    const waiting = collect(slow.ask(requestOf("What is 2 + 3?"), stop.signal));
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: "aborted" });
    await expect(collect(violin.ask(requestOf("What is 2 + 3?"), stop.signal))).rejects.toMatchObject({
      code: "aborted",
    });
  });

  test("without a brief the last message of the user counts", async () => {
    const messages = [
      { role: "user" as const, content: "What is 1 + 1?" },
      { role: "assistant" as const, content: "2" },
      { role: "user" as const, content: "What is the capital of France?" },
    ];
    const { text } = await collect(violin.ask({ messages, maxOutputTokens: 500, seed: 1 }, never));
    expect(extractAnswer(text)).toBe("Paris");
  });
});

describe("replies", () => {
  test("a question that no family recognises gets no answer, but one that can be asked", async () => {
    for (const { worker } of silent.members) {
      for (const subtask of ["Answer the question.", "Make a plan.", "Check the answer."]) {
        const { text } = await collect(worker.ask(requestOf("Should I marry?", { subtask }), never));
        expect(text).toContain("simulated");
        expect(text).not.toMatch(/answer:/i);
        const offered = text.slice(text.indexOf("work on: ") + 9, -1);
        expect(readProblem(offered)?.question).toBe(offered);
      }
    }
  });

  test("a reply is graded right exactly when it was worked out rightly", () => {
    const drawn = fc.record({ seed: fc.nat(100_000), player: fc.constantFrom(...PLAYERS) });
    fc.assert(
      fc.property(drawn, ({ seed, player }) => {
        const [problem] = generateProblems({
          count: 1,
          seed,
          families: [FAMILIES[seed % FAMILIES.length]!.id],
        });
        const text = replyTo(player, problem!, { seed });
        const isRight = gradeProblem(problem!, text).score === 1;
        const shownRightly = problem!.stages.every(({ line }) => text.includes(line));
        expect(text).toMatch(/\nAnswer: .+$/);
        if (isRight) expect(shownRightly, text).toBe(true);
        else expect(extractAnswer(text)).not.toBe(problem!.answer);
      }),
      { seed: 8, numRuns: 1500 },
    );
  });

  test("a plan holds no numbers of the question and is graded wrong as an answer", () => {
    for (const problem of generateProblems({ count: 90, seed: 4 })) {
      const brief = requestOf(problem.question, { subtask: "Make a plan." }).brief!;
      const text = replyTo(PLAYERS[2]!, problem, { seed: 1, brief });
      expect(text).toContain("Plan:");
      expect(text.replace(/^\d+\./gm, "")).not.toMatch(/\d/);
      expect(gradeProblem(problem, text).score).toBe(0);
    }
  });

  test("a comparison only picks among what is in sight", () => {
    const [problem] = generateProblems({ count: 1, seed: 2, families: ["arithmetic"] });
    const visible = [seen("Answer: 111111"), seen("Answer: 222222", 1)];
    for (let seed = 0; seed < 50; seed++) {
      const brief = requestOf(problem!.question, { subtask: "Compare the answers.", visible }).brief!;
      expect(["111111", "222222"]).toContain(extractAnswer(replyTo(PLAYERS[5]!, problem!, { seed, brief })));
    }
  });

  test("alone, a worker is right as often as the rules say", () => {
    const player = PLAYERS[1]!;
    const problems = generateProblems({
      count: 4000,
      seed: "rules",
      families: ["equations", "programs", "dates"],
    });
    let expected = 0;
    let right = 0;
    for (const [seed, problem] of problems.entries()) {
      right += gradeProblem(problem, replyTo(player, problem, { seed })).score;
      expected += probabilityOfSuccess({
        skill: skillOf(player, problem.topic),
        difficulty: problem.difficulty,
        stages: problem.stages.length,
        recall: false,
        ...PLAIN_WORDS,
        planQuality: undefined,
        offTopic: false,
      });
    }
    expect(Math.abs(right - expected) / problems.length).toBeLessThan(0.03);
  });

  test("a fact is known or not: asking again gives the same", () => {
    const problems = generateProblems({ count: 40, seed: 6, families: ["capitals", "elements"] });
    for (const problem of problems) {
      const scores = Array.from(
        { length: 8 },
        (_, seed) => gradeProblem(problem, replyTo(PLAYERS[6]!, problem, { seed })).score,
      );
      expect(new Set(scores).size, problem.question).toBe(1);
    }
  });
});

describe("profiles", () => {
  const profiles = measureProfiles();

  test("are measured for every worker and every topic there is", () => {
    const topics = new Set(FAMILIES.map(({ topic }) => topic));
    for (const { profile, price, source } of silent.members) {
      expect(new Set(Object.keys(profile!.topics))).toEqual(topics);
      expect(profile!.source).toBe("simulated, 24 tasks a topic");
      expect(price).toBeDefined();
      expect(source).toBe("rehearsal (simulated)");
    }
    expect(measureProfiles()).toBe(profiles);
  });

  test("show nobody who is best at everything, and prices from 0.05 to 15", () => {
    const fine = [...measureProfiles(150).values()];
    for (const profile of fine) {
      const isBeaten = Object.entries(profile.topics).some(([topic, rate]) =>
        fine.some((other) => other.topics[topic as Problem["topic"]]! > rate + 0.05),
      );
      expect(isBeaten).toBe(true);
    }
    const prices = PLAYERS.flatMap(({ price }) => [price.inputUsd, price.outputUsd]);
    expect([Math.min(...prices), Math.max(...prices)]).toEqual([0.05, 15]);
  });
});
