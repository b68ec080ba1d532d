import { describe, expect, it } from "vitest";
import type { ErrorCode } from "../base/error-codes.ts";
import { TuttiError } from "../base/errors.ts";
import { createFixedConductor } from "../conductor/fixed.ts";
import type { Run } from "../perform/run.ts";
import type { Grade, GradedTask } from "../task/types.ts";
import { toTask } from "../testing/bench-rows.ts";
import { playedConductor, scriptedWorker, step, toPool } from "../testing/stage.ts";
import { createConsensusWorker } from "../worker/consensus.ts";
import type { WorkerRequest } from "../worker/types.ts";
import type { Grading } from "../world/types.ts";
import { type EvaluateOptions, evaluate } from "./evaluate.ts";
import { LaneBudget } from "./lane-budget.ts";

const tasks = Array.from({ length: 12 }, (_, i) => toTask(i));
const numberOf = ({ brief }: WorkerRequest) => Number(brief!.task.id!.slice(1));
const grade = ({ answer }: GradedTask, run: Run): Grade =>
  run.answer === answer ? { score: 1, why: "right" } : { score: 0, why: `not ${answer}` };
const single = createFixedConductor({ steps: [step(0, "solve")] });
const right = (id: string) => scriptedWorker(id, (request) => String(numberOf(request) * 2));

const world: Grading = { grade, isInstant: false };

function measure(options: Partial<EvaluateOptions> & Pick<EvaluateOptions, "pool">) {
  return evaluate({ conductor: single, rounds: 1, tasks, world, seed: 1, concurrency: 3, ...options });
}

describe("evaluate", () => {
  it("grades every task through the performer, in order, with what it took", async () => {
    const worker = scriptedWorker("half", (request) =>
      numberOf(request) % 2 === 0 ? String(numberOf(request) * 2) : "no idea",
    );
    const seen: string[] = [];
    const pool = toPool([worker], { inputUsd: 1, outputUsd: 2 });
    const rows = await measure({ pool, onRow: ({ task }) => seen.push(task) });
    expect(rows.map(({ task }) => task)).toEqual(tasks.map(({ id }) => id));
    expect(seen.toSorted()).toEqual(tasks.map(({ id }) => id).toSorted());
    expect(rows.map(({ score }) => score)).toEqual(tasks.map((_, i) => (i % 2 === 0 ? 1 : 0)));
    expect(rows[1]).toMatchObject({
      conductor: "fixed",
      set: "sums",
      category: "odd",
      calls: 1,
      conductorCalls: 0,
      steps: 1,
      rounds: 1,
      valid: true,
      asked: ["half"],
      isOutage: false,
      ungraded: false,
      answer: "no idea",
      stopReason: "done",
    });
    expect(rows[1]!.costUsd).toBeGreaterThan(0);
    expect(rows[1]!.tokens).toBeGreaterThan(0);
  });

  it("asks with the words of the task, and gives each task its own chance whoever conducts", async () => {
    const [one, other] = [right("one"), right("other")];
    await measure({ pool: toPool([one]), concurrency: 1 });
    await measure({ pool: toPool([other]), name: "another", concurrency: 5 });
    const seedsOf = ({ requests }: typeof one) => new Map(requests.map((r) => [r.brief!.task.id, r.seed]));
    expect(seedsOf(one)).toEqual(seedsOf(other));
    expect(new Set(seedsOf(one).values()).size).toBe(tasks.length);
    expect(JSON.stringify(one.requests[3]!.brief!.task.messages)).toContain("twice 3");
  });

  it("counts calls of models only: a vote of three is three calls and four steps", async () => {
    const pool = toPool([right("a"), right("b"), scriptedWorker("c", "7"), createConsensusWorker()]);
    const vote = { steps: [step(0, "x"), step(1, "x"), step(2, "x"), step(3, "vote", "all")] };
    const [row] = await measure({ pool, conductor: createFixedConductor(vote) });
    expect(row).toMatchObject({ calls: 3, steps: 4, asked: ["a", "b", "c"], score: 1 });
  });

  it("measures validity by the first plan alone", async () => {
    const error = { code: "cut-off" as const, message: "cut" };
    const workflow = { steps: [step(0, "solve")] };
    const conductor = playedConductor({ type: "format-error", error }, workflow);
    const rows = await measure({
      pool: toPool([right("a")]),
      conductor,
      tasks: tasks.slice(0, 2),
      concurrency: 1,
    });
    expect(rows.map(({ valid, score }) => [valid, score])).toEqual([
      [false, 1],
      [true, 1],
    ]);
  });

  it("counts rounds, and the steps of the accepted one", async () => {
    const first = { steps: [step(0, "a"), step(0, "b", "all")] };
    const conductor = playedConductor(first, { steps: [step(0, "c")] });
    const [row] = await measure({
      pool: toPool([right("a")]),
      conductor,
      rounds: 2,
      tasks: tasks.slice(0, 1),
    });
    expect(row).toMatchObject({ rounds: 2, steps: 1, calls: 3 });
  });
});

describe("what is down is counted apart", () => {
  const down = () =>
    scriptedWorker("down", (request) =>
      numberOf(request) === 3
        ? new TuttiError("auth", "refused", { status: 401 })
        : String(numberOf(request) * 2),
    );

  it("also when somebody else stepped in", async () => {
    const rows = await measure({ pool: toPool([down(), right("other")]) });
    expect(rows.filter(({ isOutage }) => isOutage).map(({ task }) => task)).toEqual(["t3"]);
    expect(rows[3]!.asked).toEqual(["down", "other"]);
    // A worker that failed once is asked again for the next task: no circuit opens.
    expect(rows[4]!.asked).toEqual(["down"]);
  });

  it("and when nobody answered", async () => {
    const rows = await measure({ pool: toPool([down()]) });
    expect(rows[3]).toMatchObject({ isOutage: true, stopReason: "failed" });
  });

  it("but a request that a worker cannot take is how well it does", async () => {
    const picky = scriptedWorker("picky", () => new TuttiError("bad-request", "too long", { status: 400 }));
    const rows = await measure({ pool: toPool([picky]) });
    expect(rows[0]).toMatchObject({ isOutage: false, score: 0, stopReason: "failed" });
  });

  it("and what cannot be graded is kept as such", async () => {
    const rows = await measure({
      pool: toPool([right("a")]),
      world: { ...world, grade: () => ({ score: 0, why: "no sandbox", ungraded: true }) },
    });
    expect(rows.every(({ ungraded }) => ungraded)).toBe(true);
  });
});

describe("what a recording does not have", () => {
  const refusing = (code: ErrorCode) =>
    scriptedWorker("recorded", () => new TuttiError(code, `refused: ${code}`));

  it.each<ErrorCode>(["no-more-samples", "handoff-not-recorded"])("ends the evaluation: %s", async (code) => {
    await expect(measure({ pool: toPool([refusing(code), right("other")]) })).rejects.toMatchObject({ code });
  });

  it("does not, where only a replacement was refused, and that is no call", async () => {
    const pool = toPool([scriptedWorker("silent", ""), right("a"), createConsensusWorker()]);
    pool.members.push({ worker: refusing("handoff-not-recorded") });
    const conductor = createFixedConductor({ steps: [step(0, "x"), step(3, "x"), step(2, "vote", "all")] });
    await expect(measure({ pool, conductor })).rejects.toMatchObject({ code: "handoff-not-recorded" });
    const lonely = createFixedConductor({ steps: [step(1, "x"), step(0, "x"), step(2, "vote", "all")] });
    const members = pool.members.map((member, i) =>
      i === 0 ? { ...member, profile: { success: 0, tasks: 1, topics: {} } } : member,
    );
    const rows = await measure({ pool: { members }, conductor: lonely });
    expect(rows[2]!.calls).toBe(rows[2]!.asked.length);
    expect(rows[2]!.asked).not.toContain("recorded");
  });
});

describe("stopping", () => {
  it("keeps what was measured and leaves the rest out", async () => {
    const controller = new AbortController();
    let seen = 0;
    const onRow = () => {
      seen++;
      if (seen === 4) controller.abort();
    };
    const rows = await measure({
      pool: toPool([right("a")]),
      concurrency: 1,
      signal: controller.signal,
      onRow,
    });
    expect(rows).toHaveLength(4);
  });

  it("does not take a grader that was stopped for a verdict or a fault", async () => {
    const controller = new AbortController();
    const rows = await measure({
      pool: toPool([right("a")]),
      signal: controller.signal,
      world: {
        ...world,
        grade(task, run, signal) {
          if (task.id === "t2") controller.abort();
          signal.throwIfAborted();
          return grade(task, run);
        },
      },
      concurrency: 1,
    });
    expect(rows.map(({ task }) => task)).toEqual(["t0", "t1"]);
  });

  it("never spends more than the budget, and measures nothing badly for lack of money", async () => {
    const price = { inputUsd: 0, outputUsd: 1000 };
    const expensive = () => scriptedWorker("expensive", (request) => "x".repeat(400) + numberOf(request));
    const cheap = { worker: scriptedWorker("cheap", "1"), price: { inputUsd: 0, outputUsd: 0 } };
    const members = [{ worker: expensive(), price, maxOutputTokens: 200 }, cheap];
    const one = await measure({ pool: { members }, tasks: tasks.slice(0, 1), budget: new LaneBudget(10) });
    expect(await measure({ pool: { members }, concurrency: 8, budget: new LaneBudget(50) })).toHaveLength(
      tasks.length,
    );
    const budget = new LaneBudget(0.75);
    const rows = await measure({ pool: { members }, budget });
    expect(budget.isClosed).toBe(true);
    // Each takes 0.1 and reserves 0.2 before it starts, so 0.05 must stay.
    expect(one[0]!.costUsd).toBeCloseTo(0.101, 3);
    expect(rows).toHaveLength(6);
    expect(rows.reduce((sum, { costUsd }) => sum + costUsd, 0)).toBeLessThanOrEqual(0.75);
    for (const row of rows) expect(row).toMatchObject({ asked: ["expensive"], costUsd: one[0]!.costUsd });
  });
});

it("tells the delay of replayed steps along the longest chain", async () => {
  const pool = toPool([right("a"), right("b"), createConsensusWorker()]);
  const vote = { steps: [step(0, "x"), step(1, "x"), step(2, "vote", "all")] };
  const delays: Record<string, number> = { a: 300, b: 500, consensus: 1 };
  const [row] = await measure({
    pool,
    conductor: createFixedConductor(vote),
    world: { ...world, delayOf: (_, { workerId }) => delays[workerId]! },
  });
  expect(row!.durationMs).toBe(501);
});

describe("a pool for each task", () => {
  const common = toPool([right("a"), right("b"), createConsensusWorker()]);
  const withSimilar = (similar: number) => ({
    members: common.members.map((member) => ({
      ...member,
      profile: { success: 0.5, tasks: 1, topics: {}, similar },
    })),
  });

  it("is what the Conductor and the votes of that task see", async () => {
    const conductor = playedConductor({
      steps: [step(0, "solve"), step(1, "solve"), step(2, "vote", "all")],
    });
    const rows = await measure({
      pool: common,
      poolFor: ({ id }) => withSimilar(Number(id.slice(1)) / 100),
      conductor,
      tasks: tasks.slice(0, 3),
      concurrency: 1,
    });
    expect(rows.map(({ score }) => score)).toEqual([1, 1, 1]);
    const seen = conductor.requests.map(({ pool }) => pool.members[1]!.profile!.similar);
    expect(seen).toEqual([0, 0.01, 0.02]);
  });

  it("must have the members of the common one, in their order", async () => {
    const turned = () => ({ members: common.members.toReversed() });
    await expect(measure({ pool: common, poolFor: turned })).rejects.toThrow(/in their order/);
  });
});
