import { describe, expect, test } from "vitest";
import type { VisibleStep, Worker, WorkerEvent } from "../worker/types.ts";
import { createLiar } from "./liars.ts";
import { PLAYERS, type Player } from "./players.ts";
import { generateProblems, gradeProblem } from "./questions.ts";
import { lookAround } from "./reading.ts";
import { createStrangers } from "./strangers.ts";
import { checkSubtask, compareSubtask, planSubtask, solveSubtask } from "./subtasks.ts";
import { writeSolution } from "./templates/wording.ts";
import type { Problem } from "./types.ts";
import { createRehearsalWorker } from "./workers.ts";

const never = new AbortController().signal;
const problems = generateProblems({ count: 300, seed: "questions for liars" });
const players = [...PLAYERS, ...createStrangers(3, 8)];
const honest = PLAYERS[0]!;

async function ask(
  number: number,
  problem: Problem,
  subtask: string | undefined,
  visible: VisibleStep[] = [],
  create: (player: Player, delayScale: number) => Worker = createLiar,
): Promise<{ text: string; last: WorkerEvent | undefined }> {
  const worker = create(players[number % players.length]!, 0);
  const task = { messages: [{ role: "user" as const, content: problem.question }] };
  const brief = subtask === undefined ? {} : { brief: { task, subtask, visible, isLast: true } };
  const request = { messages: task.messages, maxOutputTokens: 4000, seed: number, ...brief };
  let text = "";
  let last: WorkerEvent | undefined;
  for await (const event of worker.ask(request, never)) {
    if (event.type === "text-delta") text += event.text;
    last = event;
  }
  return { text, last };
}

const see = (reply: string, step = 0): VisibleStep => ({
  round: 0,
  step,
  worker: 0,
  subtask: "Solve it.",
  reply,
});
const rightReply = (problem: Problem) => writeSolution(honest, problem);
const scoreOf = async (problem: Problem, reply: Promise<{ text: string }>) =>
  gradeProblem(problem, (await reply).text).score;

describe("a liar is wrong", () => {
  test.each([
    ["when it is asked the bare question", () => undefined],
    ["when it solves", (problem: Problem) => solveSubtask(problem)],
    ["when its subtask is no work we know", () => "Say something nice."],
    ["when it shall check or compare and sees nothing", () => "Check the answer above."],
  ])("%s", async (_, subtaskOf) => {
    let right = 0;
    for (const [i, problem] of problems.entries())
      right += await scoreOf(problem, ask(i, problem, subtaskOf(problem)));
    expect(right).toBe(0);
  });

  test("when it solves in sight of a right answer", async () => {
    for (const [i, problem] of problems.entries())
      expect(await scoreOf(problem, ask(i, problem, solveSubtask(problem), [see(rightReply(problem))]))).toBe(
        0,
      );
  });

  test("when it checks: what is right it calls wrong, and what is wrong holds", async () => {
    for (const [i, problem] of problems.entries()) {
      const denied = await ask(i, problem, checkSubtask(problem), [see(rightReply(problem))]);
      expect(denied.text).toContain(`The earlier answer ${problem.answer} is wrong.`);
      expect(gradeProblem(problem, denied.text).score).toBe(0);
      const wrong = (await ask(i + 1, problem, solveSubtask(problem))).text;
      const defended = await ask(i, problem, checkSubtask(problem), [see(wrong)]);
      expect(defended.text).toContain("it holds");
      expect(gradeProblem(problem, defended.text).score).toBe(0);
    }
  });

  test("when it compares, whatever is in sight", async () => {
    for (const [i, problem] of problems.entries()) {
      const wrong = (await ask(i + 1, problem, solveSubtask(problem))).text;
      const [right, others] = [see(rightReply(problem), 1), see(wrong, 2)];
      for (const visible of [
        [right, others],
        [right, right, others],
        [right, right],
      ])
        expect(await scoreOf(problem, ask(i, problem, compareSubtask(), visible))).toBe(0);
    }
  });
});

describe("a liar is not known by its manners", () => {
  test("a plan of it names no stage of the problem and is worth nothing to who follows it", async () => {
    for (const [i, problem] of problems.entries()) {
      const { text } = await ask(i, problem, planSubtask(problem));
      expect(lookAround([see(text)], problem).planQuality).toBe(0);
      expect(text.split("\n").filter((line) => /^\d+\. /.test(line))).toHaveLength(problem.stages.length);
    }
  });

  test("it has the id, the opening, the streaming and the usage of the honest worker", async () => {
    const problem = problems[3]!;
    const [lie, truth] = [
      await ask(4, problem, "Solve it."),
      await ask(4, problem, "Solve it.", [], createRehearsalWorker),
    ];
    const player = players[4]!;
    expect(createLiar(player, 0).id).toBe(player.id);
    for (const { text, last } of [lie, truth]) {
      expect(text.startsWith(player.style.opening)).toBe(true);
      expect(last).toMatchObject({ type: "finish", reason: "stop" });
      expect(last).toMatchObject({ usage: { outputTokens: Math.ceil(text.length / 4) } });
    }
    const pieces: WorkerEvent[] = [];
    const request = {
      messages: [{ role: "user" as const, content: problem.question }],
      maxOutputTokens: 4000,
      seed: 1,
    };
    for await (const event of createLiar(player, 0.0001).ask(request, never)) pieces.push(event);
    expect(pieces.length).toBeGreaterThan(3);
  });

  test("the same request gives the same lie, and another seed may give another", async () => {
    const problem = problems[0]!;
    const lies = await Promise.all(
      Array.from({ length: 20 }, (_, i) => ask(i * players.length, problem, "Solve it.")),
    );
    expect(new Set(lies.map(({ text }) => text)).size).toBeGreaterThan(1);
    expect(await ask(7, problem, "Solve it.")).toEqual(await ask(7, problem, "Solve it."));
  });

  test("it refuses what no worker of the rehearsal knows, and claims no answer then", async () => {
    const unknown = { ...problems[0]!, question: "What is the meaning of life?" };
    expect((await ask(0, unknown, "Answer the question.")).text).toContain("simulated worker");
  });
});
