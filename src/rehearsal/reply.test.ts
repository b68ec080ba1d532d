// How a reply comes about: what a worker does with what it sees, case by case. That this helps or hurts
// over many problems is measured in help.test.ts.
import { describe, expect, test } from "vitest";
import { extractAnswer } from "../answer/extract.ts";
import { sameAnswer } from "../answer/normalise.ts";
import { createRandom } from "../base/random.ts";
import type { Brief } from "../worker/types.ts";
import { PLAYERS, type Player } from "./players.ts";
import { familyOf, generateProblems, gradeProblem } from "./questions.ts";
import { replyTo } from "./reply.ts";
import { checkSubtask, compareSubtask, planSubtask, solveSubtask } from "./subtasks.ts";
import { writeSolution } from "./templates/wording.ts";
import { workOutWrongly } from "./templates/worksheet.ts";
import type { Problem } from "./types.ts";

const player = (change: Partial<Player>): Player => ({ ...PLAYERS[1]!, id: "rehearsal/test", ...change });
const perfect = player({ skills: { usual: 0.9999999 }, checking: 0.9999999, planning: 0.9999999 });
const hopeless = player({ skills: { usual: 1e-7 }, checking: 1e-7, planning: 1e-7 });
const hard = generateProblems({
  count: 200,
  seed: "replies",
  difficulties: [3],
  families: ["arithmetic", "equations", "programs", "dates", "strings"],
});
const facts = generateProblems({ count: 60, seed: "replies", families: ["capitals", "elements"] });

function ask(who: Player, problem: Problem, subtask: string, replies: string[] = [], seed = 1): string {
  const visible = replies.map((reply, step) => ({ round: 0, step, worker: 0, subtask: "Solve it.", reply }));
  const task = { messages: [{ role: "user" as const, content: problem.question }] };
  const brief: Brief = { task, subtask, visible, isLast: true };
  return replyTo(who, problem, { seed, brief });
}

const right = (problem: Problem) => writeSolution(PLAYERS[0]!, problem);
const wrong = (problem: Problem, seed = 1) =>
  writeSolution(PLAYERS[0]!, workOutWrongly(familyOf(problem), problem, 0, createRandom(seed)));
const share = (problems: Problem[], reply: (problem: Problem, i: number) => string) =>
  problems.reduce((sum, problem, i) => sum + gradeProblem(problem, reply(problem, i)).score, 0) /
  problems.length;

describe("solving", () => {
  test("one that cannot fail does not, and one that cannot succeed does not", () => {
    expect(share(hard, (problem) => ask(perfect, problem, solveSubtask(problem)))).toBe(1);
    expect(share(hard, (problem) => ask(hopeless, problem, solveSubtask(problem)))).toBe(0);
  });

  test("a reply depends on the seed, on what is told and on what is seen, and on nothing else", () => {
    const [viola] = [PLAYERS[1]!];
    const texts = (change: (problem: Problem) => string) => hard.map(change);
    const base = texts((problem) => ask(viola, problem, "Solve it."));
    expect(texts((problem) => ask(viola, problem, "Solve it."))).toEqual(base);
    expect(texts((problem) => ask(viola, problem, "Solve it.", [], 2))).not.toEqual(base);
    expect(texts((problem) => ask(viola, problem, `Solve it: ${familyOf(problem).work}.`))).not.toEqual(base);
    expect(texts((problem) => ask(viola, problem, "Solve it.", [right(problem)]))).not.toEqual(base);
  });

  test("what says the same meets the same luck, so that two ways to say it can be compared exactly", () => {
    const [viola] = [PLAYERS[1]!];
    const outcomes = (subtask: (problem: Problem) => string) =>
      hard.map((problem) => gradeProblem(problem, ask(viola, problem, subtask(problem))).score === 1);
    const plain = outcomes(() => "Solve it.");
    expect(outcomes(() => "Solve it now.")).toEqual(plain);
    const named = outcomes((problem) => `Solve it: ${familyOf(problem).work}.`);
    // Naming the work never spoils what was right without it.
    for (const [i, was] of plain.entries()) if (was) expect(named[i]).toBe(true);
    expect(named.filter(Boolean).length).toBeGreaterThan(plain.filter(Boolean).length);
  });

  test("an adopted right answer comes with its working, a wrong one without", () => {
    const adopted = hard.map((problem) => ask(hopeless, problem, "Solve it.", [right(problem)]));
    const followers = adopted.filter((text) => text.includes("I follow the earlier reply."));
    expect(followers.length).toBeGreaterThan(30);
    for (const text of followers) expect(text).toMatch(/\n1\. /);
    const misled = hard
      .map((problem) => ask(perfect, problem, "Solve it.", [wrong(problem)]))
      .filter((text) => text.includes("its reasoning holds"));
    for (const text of misled) expect(text).not.toMatch(/\n1\. /);
  });

  test("who knows a fact is not talked out of it", () => {
    expect(
      share(facts, (problem) => ask(perfect, problem, "Answer it.", [wrong(problem), wrong(problem)])),
    ).toBe(1);
  });

  test("who does not know a fact mostly believes what is said", () => {
    const believed = share(facts, (problem, i) => ask(hopeless, problem, "Answer it.", [right(problem)], i));
    expect(believed).toBeGreaterThan(0.6);
    expect(believed).toBeLessThan(0.95);
  });
});

describe("planning", () => {
  test("a perfect planner names every stage in order", () => {
    for (const problem of hard) {
      const lines = ask(perfect, problem, planSubtask(problem)).match(/^\d+\. .*$/gm) ?? [];
      expect(lines.map((line) => line.replace(/^\d+\. (.*)\.$/, "$1").toLowerCase())).toEqual(
        problem.stages.map(({ work }) => work.toLowerCase()),
      );
    }
  });

  test("a hopeless one names none of them: its lines are vague or of other work", () => {
    for (const problem of hard) {
      const text = ask(hopeless, problem, planSubtask(problem)).toLowerCase();
      for (const { work } of problem.stages) expect(text).not.toContain(`. ${work.toLowerCase()}.`);
    }
  });
});

describe("checking", () => {
  test("a perfect checker corrects what is wrong, a hopeless one lets it pass", () => {
    expect(share(hard, (problem) => ask(perfect, problem, checkSubtask(problem), [wrong(problem)]))).toBe(1);
    for (const problem of hard) {
      const reply = wrong(problem);
      const passed = ask(hopeless, problem, checkSubtask(problem), [reply]);
      expect(sameAnswer(extractAnswer(passed), extractAnswer(reply))).toBe(true);
    }
  });

  test("a right answer is rarely broken, and more rarely by the better checker", () => {
    const kept = (who: Player) =>
      share([...hard, ...hard, ...hard], (problem, i) =>
        ask(who, problem, checkSubtask(problem), [right(problem)], i),
      );
    expect(kept(perfect)).toBeGreaterThan(0.96);
    expect(kept(hopeless)).toBeGreaterThan(0.82);
    expect(kept(hopeless)).toBeLessThan(kept(perfect));
  });

  test("the answer that most have given is the one that is checked", () => {
    for (const problem of hard.slice(0, 40)) {
      const [first, other] = [wrong(problem, 1), right(problem)];
      const text = ask(hopeless, problem, checkSubtask(problem), [first, first, other]);
      expect(text).toContain(`behind ${extractAnswer(first)}:`);
    }
  });

  test("one's own mistake is found less often than another's", () => {
    const middling = player({ checking: 0.8, skills: { usual: 0.8 } });
    const caught = (author: Player) =>
      share(hard, (problem, i) => {
        const worked = workOutWrongly(familyOf(problem), problem, 0, createRandom(i));
        return ask(
          middling,
          problem,
          `Check the answer above; where you find a mistake, ${familyOf(problem).work} again. End with a line "Answer: …".`,
          [writeSolution(author, worked)],
          i,
        );
      });
    expect(caught(middling)).toBeLessThan(caught(PLAYERS[0]!) - 0.04);
  });

  test("with nothing to check it is solved instead, with less care", () => {
    expect(share(hard, (problem) => ask(perfect, problem, checkSubtask(problem)))).toBe(1);
  });

  test("of a fact: who knows it sees at once, who does not confirms anything", () => {
    expect(share(facts, (problem) => ask(perfect, problem, checkSubtask(problem), [wrong(problem)]))).toBe(1);
    expect(share(facts, (problem) => ask(hopeless, problem, checkSubtask(problem), [right(problem)]))).toBe(
      1,
    );
    expect(share(facts, (problem) => ask(hopeless, problem, checkSubtask(problem), [wrong(problem)]))).toBe(
      0,
    );
  });
});

describe("comparing", () => {
  test("two against one mostly wins, more so where the two are right", () => {
    const picked = (replies: (problem: Problem) => string[]) =>
      share(hard, (problem, i) => ask(PLAYERS[5]!, problem, compareSubtask(), replies(problem), i));
    const forRight = picked((problem) => [right(problem), right(problem), wrong(problem)]);
    const against = picked((problem) => [right(problem), wrong(problem), wrong(problem)]);
    expect(forRight).toBeGreaterThan(0.8);
    expect(against).toBeLessThan(forRight - 0.1);
    expect(against).toBeGreaterThan(0.5);
  });

  test("plans are no answers to compare", () => {
    const [problem] = hard;
    const plan = ask(perfect, problem!, planSubtask(problem));
    expect(ask(hopeless, problem!, compareSubtask(), [plan, right(problem!)])).toContain(
      "Answers given: 1 ×",
    );
  });
});
