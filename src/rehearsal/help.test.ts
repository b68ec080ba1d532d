// That the rules of help really help, measured over many problems through the worker port.
import { beforeAll, describe, expect, test } from "vitest";
import { hashSeed } from "../base/random.ts";
import type { Step } from "../workflow/types.ts";
import { simulateWorkflow } from "./best-workflow.ts";
import { createRehearsalPool } from "./pool.ts";
import { familyOf, generateProblems, gradeProblem } from "./questions.ts";
import type { Problem } from "./types.ts";

const pool = createRehearsalPool({ delayScale: 0 });
const [VIOLIN, VIOLA, CELLO, , PIANO, OBOE, PICCOLO] = [0, 1, 2, 3, 4, 5, 6] as const;
const HARD = generateProblems({
  count: 600,
  seed: "help",
  difficulties: [3],
  families: ["arithmetic", "equations", "shopping", "gardens"],
});

/** Words that name the work and nothing else, so that what is compared here is the team and not its sentences. */
const STATE_IT = 'End with a line "Answer: …".';
const workOf = (problem: Problem) => familyOf(problem).work;
const planSubtask = (problem: Problem) =>
  `Plan the solution without solving it: list the steps it takes to ${workOf(problem)}.`;
const solveSubtask = (problem: Problem, options: { plan?: boolean } = {}) =>
  `Solve it step by step${options.plan ? ", along the plan above" : ""}: ${workOf(problem)}. ${STATE_IT}`;
const checkSubtask = (problem: Problem) =>
  `Check the answer above; where you find a mistake, ${workOf(problem)} again. ${STATE_IT}`;
const compareSubtask = () => `Compare the answers above and pick the one that is right. ${STATE_IT}`;

type Shape = (problem: Problem) => Step[];

async function success(problems: Problem[], shape: Shape): Promise<number> {
  let right = 0;
  for (const [i, problem] of problems.entries()) {
    const options = { seed: hashSeed(i), signal: new AbortController().signal };
    const { reply } = await simulateWorkflow({ steps: shape(problem) }, problem, pool, options);
    right += gradeProblem(problem, reply).score;
  }
  return right / problems.length;
}

const step = (worker: number, subtask: string, access: Step["access"] = []): Step => ({
  worker,
  subtask,
  access,
});
const single =
  (worker: number): Shape =>
  (problem) => [step(worker, solveSubtask(problem))];
const checked =
  (solver: number, checker: number): Shape =>
  (problem) => [step(solver, solveSubtask(problem)), step(checker, checkSubtask(problem), "all")];
const planned =
  (planner: number, solver: number): Shape =>
  (problem) => [
    step(planner, planSubtask(problem)),
    step(solver, solveSubtask(problem, { plan: true }), [0]),
  ];

describe("on hard problems of many stages", () => {
  let alone = 0;
  beforeAll(async () => {
    alone = await success(HARD, single(PIANO));
  });

  test("plan, solve, check beats the best single worker by ten points", async () => {
    const team: Shape = (problem) => [
      ...planned(CELLO, PIANO)(problem),
      step(OBOE, checkSubtask(problem), "all"),
    ];
    expect(await success(HARD, team)).toBeGreaterThan(alone + 0.1);
  });

  test("a good planner helps, a poor one helps much less", async () => {
    const good = await success(HARD, planned(CELLO, PIANO));
    const poor = await success(HARD, planned(PICCOLO, PIANO));
    expect(good).toBeGreaterThan(alone + 0.05);
    expect(good).toBeGreaterThan(poor + 0.08);
  });

  test("a good checker helps, and a weak one less; checking oneself hardly", async () => {
    const good = await success(HARD, checked(VIOLA, OBOE));
    const weak = await success(HARD, checked(VIOLA, PICCOLO));
    const self = await success(HARD, checked(VIOLA, VIOLA));
    expect(good).toBeGreaterThan((await success(HARD, single(VIOLA))) + 0.1);
    expect(good).toBeGreaterThan(weak + 0.05);
    expect(good).toBeGreaterThan(self + 0.1);
  });

  test("a subtask that names the work beats a generic one, which beats the wrong one", async () => {
    const generic: Shape = () => [step(VIOLA, "Solve the question.")];
    const wrong: Shape = () => [step(VIOLA, "Find the shortest route between the towns.")];
    const named = await success(HARD, single(VIOLA));
    const plain = await success(HARD, generic);
    expect(named).toBeGreaterThan(plain + 0.03);
    expect(plain).toBeGreaterThan((await success(HARD, wrong)) + 0.03);
  });

  test("two opinions and a good comparison beat each of the two", async () => {
    const two: Shape = (problem) => [
      step(VIOLIN, solveSubtask(problem)),
      step(PIANO, solveSubtask(problem)),
      step(OBOE, compareSubtask(), [0, 1]),
    ];
    expect(await success(HARD, two)).toBeGreaterThan(alone + 0.02);
  });

  test("a wrong answer in sight drags others along", async () => {
    const dragged: Shape = (problem) => [
      step(PICCOLO, solveSubtask(problem)),
      step(PIANO, solveSubtask(problem), [0]),
    ];
    expect(await success(HARD, dragged)).toBeLessThan(alone - 0.03);
  });

  test("asking one worker twice helps less than asking two", async () => {
    const pair =
      (first: number, second: number): Shape =>
      (problem) => [
        step(first, solveSubtask(problem)),
        step(second, solveSubtask(problem)),
        step(OBOE, compareSubtask(), [0, 1]),
      ];
    expect(await success(HARD, pair(PIANO, VIOLIN))).toBeGreaterThan(
      await success(HARD, pair(VIOLIN, VIOLIN)),
    );
  });
});

describe("on easy questions a team only costs", () => {
  test.each([["capitals"], ["units"], ["arithmetic"]])("%s", async (family) => {
    const easy = generateProblems({ count: 400, seed: "easy", difficulties: [1], families: [family] });
    const singles = await Promise.all(pool.members.map((_, worker) => success(easy, single(worker))));
    const best = Math.max(...singles);
    const solver = singles.indexOf(best);
    const team: Shape = (problem) => [
      ...planned(CELLO, solver)(problem),
      step(OBOE, checkSubtask(problem), "all"),
    ];
    expect(best).toBeGreaterThan(0.95);
    expect(await success(easy, team)).toBeLessThanOrEqual(best + 0.015);
  });
});
