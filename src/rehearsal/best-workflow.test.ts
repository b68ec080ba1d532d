import { describe, expect, test } from "vitest";
import { createConsensusWorker } from "../worker/consensus.ts";
import type { Pool } from "../worker/types.ts";
import { findBestWorkflow, simulateWorkflow } from "./best-workflow.ts";
import { createRehearsalPool } from "./pool.ts";
import { generateProblems, gradeProblem } from "./questions.ts";

const { members } = createRehearsalPool({ delayScale: 0 });
// Cello plans, piano calculates, oboe checks, piccolo is cheap.
const pool: Pool = { members: [members[2]!, members[4]!, members[5]!, members[6]!] };
const signal = new AbortController().signal;
const problemOf = (difficulty: 1 | 3, seed: number, family: string) =>
  generateProblems({ count: 1, seed, families: [family], difficulties: [difficulty] })[0]!;

describe("findBestWorkflow", () => {
  test("takes a team for hard problems, and beats every single worker with it", async () => {
    let best = 0;
    let single = 0;
    const seeds = [1, 2, 3, 4, 5, 6];
    const steps: number[] = [];
    for (const seed of seeds) {
      const problem = problemOf(3, seed, "gardens");
      const found = await findBestWorkflow(problem, pool, { repetitions: 12, seed });
      steps.push(found.workflow.steps.length);
      best += found.success / seeds.length;
      const alone = pool.members.map(async (_, worker) => {
        let right = 0;
        const workflow = { steps: [{ worker, subtask: "Work out the geometry.", access: [] }] };
        for (let i = 0; i < 50; i++) {
          const { reply } = await simulateWorkflow(workflow, problem, pool, { seed: i, signal });
          right += gradeProblem(problem, reply).score / 50;
        }
        return right;
      });
      single += Math.max(...(await Promise.all(alone))) / seeds.length;
    }
    expect(best).toBeGreaterThan(single + 0.05);
    expect(Math.max(...steps)).toBeGreaterThan(1);
  });

  test("takes one cheap call for what everybody knows", async () => {
    const problem = problemOf(1, 3, "capitals");
    const found = await findBestWorkflow(problem, pool, { repetitions: 4, seed: 1 });
    expect(found).toMatchObject({ shape: "solve", success: 1, calls: 1 });
  });

  test("gives the same for the same seed, and counts no call for a vote", async () => {
    const small: Pool = { members: [members[4]!, { worker: createConsensusWorker() }, members[5]!] };
    const problem = problemOf(3, 2, "knights");
    const options = { repetitions: 6, seed: 9 };
    const found = await findBestWorkflow(problem, small, options);
    expect(await findBestWorkflow(problem, small, options)).toEqual(found);
    expect(found.calls).toBe(found.workflow.steps.filter(({ worker }) => worker !== 1).length);
    expect(found.costUsd).toBeGreaterThan(0);
  });

  test("a pool without models is refused in words", async () => {
    const empty: Pool = { members: [] };
    const search = findBestWorkflow(problemOf(1, 1, "units"), empty, { repetitions: 1, seed: 1 });
    await expect(search).rejects.toMatchObject({ code: "usage" });
  });
});

test("a simulated step sees exactly what its access allows", async () => {
  const problem = problemOf(3, 4, "equations");
  const seen: string[][] = [];
  const spy: Pool = {
    members: [
      {
        worker: {
          id: "spy",
          kind: "model",
          async *ask({ brief }) {
            seen.push(brief!.visible.map(({ reply }) => reply));
            yield { type: "text-delta", text: `reply ${seen.length}` };
          },
        },
      },
    ],
  };
  const step = (access: "all" | number[]) => ({ worker: 0, subtask: "Solve it.", access });
  const { reply } = await simulateWorkflow(
    { steps: [step("all"), step([]), step([0]), step("all")] },
    problem,
    spy,
    { seed: 1, signal },
  );
  expect(seen).toEqual([[], [], ["reply 1"], ["reply 1", "reply 2", "reply 3"]]);
  expect(reply).toBe("reply 4");
});
