import { describe, expect, test } from "vitest";
import { findBaseline } from "../baseline/all.ts";
import { PLAYERS } from "../rehearsal/players.ts";
import type { Pool } from "../worker/types.ts";
import { renderWorkflow } from "../workflow/render.ts";
import { createRehearsalWorld } from "../world/rehearsal.ts";
import { calibratePlayers, createUnseenPools, withLiars } from "../world/rehearsal-pools.ts";
import { promptHash, splitOf } from "../world/split.ts";
import { changePools } from "./fitting.ts";
import { measureBaseline, openRehearsalTest, performPlans, scriptedPlanner } from "./test-sets.ts";
import type { BenchRow } from "./types.ts";

const fitted = openRehearsalTest({ count: 120, seed: 8 });
const { test: tasks } = fitted;
const measuring = { seed: 3, signal: new AbortController().signal };
const idsOf = ({ members }: Pool) => members.map(({ worker }) => worker.id);
const rightOf = (rows: readonly BenchRow[]) => rows.reduce((sum, { score }) => sum + score, 0) / rows.length;
const SOLVE = "Solve the overall task and give the answer.";
const alone = (worker: number) => renderWorkflow({ steps: [{ worker, subtask: SOLVE, access: [] }] });

describe("a test in the rehearsal", () => {
  test("asks test tasks only, and what its profiles come from is of the train split", () => {
    expect(tasks.length).toBeGreaterThan(30);
    expect(tasks.map((task) => splitOf(task))).toEqual(tasks.map(() => "test"));
    const known = calibratePlayers(PLAYERS, 60).calibration.tasks.map(({ text }) =>
      promptHash({ prompt: text }),
    );
    const asked = new Set(tasks.map((task) => promptHash(task)));
    expect(known.filter((hash) => asked.has(hash))).toEqual([]);
  });

  test("has the seven players and a vote, with the very profiles that a training would read", () => {
    expect(idsOf(fitted.pool)).toEqual([...PLAYERS.map(({ id }) => id), "consensus"]);
    const world = createRehearsalWorld({ seed: 1, pools: "fixed", calibrationTasks: 60, validation: 3 });
    for (const { task, pool } of world.validation) {
      const own = new Map(fitted.poolFor(task).members.map((member) => [member.worker.id, member.profile]));
      for (const { worker, profile } of pool.members) expect(own.get(worker.id)).toEqual(profile);
      expect(new Set(pool.members.map(({ profile }) => profile?.similar)).size).toBeGreaterThan(3);
    }
  });

  test("can be of strangers, whose own measurements then decide who is the best", async () => {
    const [pool] = createUnseenPools(1, 5, 30);
    const strange = openRehearsalTest({ count: 60, seed: 8, pool: pool! });
    expect(idsOf(strange.pool)).toEqual([...idsOf(pool!), "consensus"]);
    const [row] = await measureBaseline(strange, findBaseline("best-single"), measuring);
    const best = pool!.members.toSorted((a, b) => b.profile!.success - a.profile!.success)[0]!;
    expect(row!.asked).toEqual([best.worker.id]);
  });

  test("too small to have any test task is refused", () => {
    const find = (count: number) => () => openRehearsalTest({ count, seed: 0 });
    expect(find(0)).toThrow("None of 0 questions is for the test: make more of them");
  });
});

describe("plans that were written", () => {
  test("go through the performer that baselines go through, with the same chance, cost and delay", async () => {
    const plans = tasks.map((task) => ({ task, texts: [alone(4)], isValid: true }));
    const rows = await performPlans(fitted, plans, { name: "written", ...measuring });
    const same = await measureBaseline(fitted, findBaseline("single:rehearsal/piano"), measuring);
    const plain = (list: readonly BenchRow[]) => list.map(({ conductor: _, ...row }) => row);
    expect(plain(rows)).toEqual(plain(same));
    expect(rightOf(rows)).toBeGreaterThan(0.3);
    expect(rows[0]!.durationMs).toBeGreaterThan(100);
  });

  test("are wrong where they are not valid, at the cost of the rounds before", async () => {
    const [task, second, third] = tasks;
    const rows = await performPlans(
      fitted,
      [
        { task: task!, texts: ["model_id = [99]"], isValid: false },
        { task: second!, texts: [alone(0), "no workflow"], isValid: false },
        { task: third!, texts: [alone(0), renderWorkflow({ steps: [] })], isValid: true },
      ],
      { name: "written", ...measuring },
    );
    expect(rows.map(({ task: id, valid, calls, rounds }) => [id, valid, calls, rounds])).toEqual([
      [task!.id, false, 0, 0],
      [second!.id, false, 1, 1],
      [third!.id, true, 1, 1],
    ]);
    expect(rows.slice(0, 2).map(({ score, why }) => [score, why])).toEqual([
      [0, "no valid workflow"],
      [0, "no valid workflow"],
    ]);
  });

  test("of several rounds are performed one after the other", async () => {
    const plans = tasks.map((task) => ({ task, texts: [alone(6), alone(0)], isValid: true }));
    const rows = await performPlans(fitted, plans, { name: "written", ...measuring });
    expect(
      rows.every(
        ({ rounds, asked }) => rounds === 2 && asked.join() === "rehearsal/piccolo,rehearsal/violin",
      ),
    ).toBe(true);
  });
});

describe("changed pools", () => {
  test("keep what was fitted: the best worker is still asked, and its lies are told", async () => {
    const bestSingle = findBaseline("best-single");
    const honest = await measureBaseline(fitted, bestSingle, measuring);
    const number = idsOf(fitted.pool).indexOf(honest[0]!.asked[0]!);
    const lying = changePools(fitted, (pool) => withLiars(pool, [number]));
    const rows = await measureBaseline(lying, bestSingle, measuring);
    expect(rows.map(({ asked }) => asked)).toEqual(honest.map(({ asked }) => asked));
    expect(rightOf(honest)).toBeGreaterThan(0.4);
    expect(rightOf(rows)).toBeLessThan(0.05);
    expect(lying.poolFor(tasks[0]!).members[number]!.profile).toEqual(
      fitted.poolFor(tasks[0]!).members[number]!.profile,
    );
  });

  test("are seen by the scripted planner too, which is measured as a baseline", async () => {
    const rows = await measureBaseline(fitted, scriptedPlanner, measuring);
    expect(rows.map(({ conductor }) => conductor)).toEqual(tasks.map(() => "scripted-planner"));
    const everybody = changePools(fitted, (pool) => withLiars(pool, [0, 1, 2, 3, 4, 5, 6]));
    const lied = await measureBaseline(everybody, scriptedPlanner, measuring);
    expect(rightOf(rows)).toBeGreaterThan(0.8);
    expect(rightOf(lied)).toBe(0);
  });
});
