import fc from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";
import { checkTeam } from "../conductor/text.ts";
import {
  CONSENSUS,
  COUNTER,
  decideFor,
  POET,
  poem,
  STEADY,
  stepsFor,
  sum,
  toAskedTask,
  toContext,
  toTraining,
  toWorldPool,
  WEAK,
} from "../testing/learn/made-up-world.ts";
import { toPool } from "../testing/stage.ts";
import { createConsensusWorker } from "../worker/consensus.ts";
import { MAX_STEPS } from "../workflow/types.ts";
import { BASELINES, findBaseline } from "./all.ts";
import { createOracle } from "./oracle.ts";
import { createSingles } from "./single.ts";
import type { FitContext } from "./types.ts";

const aPoem = toAskedTask(poem(100));
const aSum = toAskedTask(sum(100));

async function whoIsAsked(id: string, task = aPoem, context = toContext()): Promise<number[]> {
  return (await stepsFor(findBaseline(id), context, task)).map(({ worker }) => worker);
}

describe("whom each baseline asks", () => {
  test.each<[id: string, forPoem: number[], forSum: number[]]>([
    ["single:weak", [WEAK], [WEAK]],
    ["best-single", [STEADY], [STEADY]],
    ["lookup-category", [POET], [COUNTER]],
    ["lookup-subtask", [POET], [COUNTER]],
    ["neighbours", [POET], [COUNTER]],
    ["router", [POET], [COUNTER]],
    ["vote-3", [STEADY, POET, COUNTER, CONSENSUS], [STEADY, POET, COUNTER, CONSENSUS]],
    ["vote-5", [STEADY, POET, COUNTER, WEAK, CONSENSUS], [STEADY, POET, COUNTER, WEAK, CONSENSUS]],
    ["vote-all", [STEADY, POET, COUNTER, WEAK, CONSENSUS], [STEADY, POET, COUNTER, WEAK, CONSENSUS]],
    ["neighbours-vote-3", [POET, STEADY, WEAK], [COUNTER, STEADY, WEAK]],
    ["neighbours-vote-5", [POET, STEADY, WEAK, COUNTER], [COUNTER, STEADY, WEAK, POET]],
    ["cascade", [STEADY, POET], [STEADY, POET]],
    ["ask-until-sure", [POET], [COUNTER]],
    ["all-one-worker", [STEADY, STEADY, STEADY], [STEADY, STEADY, STEADY]],
    ["self-consistency", [...Array(5).fill(STEADY), CONSENSUS], [...Array(5).fill(STEADY), CONSENSUS]],
    ["self-reflection", Array(5).fill(STEADY), Array(5).fill(STEADY)],
    [
      "mixture-of-agents",
      [STEADY, POET, COUNTER, WEAK, STEADY, POET, COUNTER, WEAK, STEADY],
      [STEADY, POET, COUNTER, WEAK, STEADY, POET, COUNTER, WEAK, STEADY],
    ],
    [
      "mixture-of-agents-8",
      [STEADY, POET, COUNTER, WEAK, STEADY, POET, COUNTER, STEADY],
      [STEADY, POET, COUNTER, WEAK, STEADY, POET, COUNTER, STEADY],
    ],
  ])("%s", async (id, forPoem, forSum) => {
    expect(await whoIsAsked(id, aPoem)).toEqual(forPoem);
    expect(await whoIsAsked(id, aSum)).toEqual(forSum);
  });

  test("the cascade begins with the two cheapest where prices differ", async () => {
    const context = toContext();
    const prices = [1, 20, 2, 30];
    const pool = {
      members: context.pool.members.map((member, i) =>
        i === CONSENSUS ? member : { ...member, price: { inputUsd: 0, outputUsd: prices[i]! } },
      ),
    };
    expect(await whoIsAsked("cascade", aPoem, { ...context, pool })).toEqual([WEAK, COUNTER]);
  });

  test("the oracle asks the strongest of those who are right, and the best single one when nobody is", async () => {
    const isRight = (task: string, worker: string) => task === aPoem.id && worker !== "steady";
    const oracle = createOracle(isRight);
    const workerFor = async (task: typeof aPoem) => (await stepsFor(oracle, toContext(), task))[0]!.worker;
    expect(await workerFor(aPoem)).toBe(POET);
    expect(await workerFor(aSum)).toBe(STEADY);
  });

  test("where dollars are known the oracle asks the cheapest of those who are right", async () => {
    const usd: Record<string, number> = { weak: 0.01, poet: 2, counter: 1, steady: 3 };
    const oracle = createOracle(
      (task, worker) => task === aPoem.id && worker !== "weak",
      (_, worker) => usd[worker],
    );
    const workerFor = async (task: typeof aPoem) => (await stepsFor(oracle, toContext(), task))[0]!.worker;
    expect(await workerFor(aPoem)).toBe(COUNTER);
    expect(await workerFor(aSum)).toBe(WEAK);
  });
});

describe("what the steps of a team see", () => {
  const accessOf = async (id: string) =>
    (await stepsFor(findBaseline(id), toContext(), aPoem)).map(({ access }) => access);

  test.each<[string, unknown[]]>([
    ["vote-3", [[], [], [], [0, 1, 2]]],
    ["self-consistency", [[], [], [], [], [], [0, 1, 2, 3, 4]]],
    ["self-reflection", [[], [0], [1], [2], [3]]],
    ["all-one-worker", [[], [0], "all"]],
    ["mixture-of-agents-8", [...Array(7).fill([]), "all"]],
    ["mixture-of-agents", [...Array(4).fill([]), ...Array(4).fill([0, 1, 2, 3]), [4, 5, 6, 7]]],
  ])("%s", async (id, access) => {
    expect(await accessOf(id)).toEqual(access);
  });

  test("exactly those that let a model see a reply are marked as needing hand-offs", async () => {
    for (const baseline of BASELINES) {
      const steps = await Promise.all(
        Array.from({ length: 30 }, (_, n) => stepsFor(baseline, toContext(), toAskedTask(sum(n)))),
      );
      const handsOver = steps.flat().some(({ worker, access }) => worker !== CONSENSUS && access.length > 0);
      expect([baseline.id, baseline.needsHandOffs]).toEqual([baseline.id, handsOver]);
    }
  });

  test("`samples` says how often one worker is asked the same", async () => {
    for (const baseline of BASELINES.filter(({ needsHandOffs }) => !needsHandOffs)) {
      const asked = (await whoIsAsked(baseline.id)).filter((worker) => worker !== CONSENSUS);
      const most = asked.length - new Set(asked).size + 1;
      expect([baseline.id, baseline.samples ?? 1]).toEqual([baseline.id, most]);
    }
  });
});

describe("the edges of training", () => {
  const nothingSaid = { id: "nowhere", messages: [{ role: "user" as const, content: "¿Qué?" }] };

  test.each(["lookup-category", "lookup-subtask", "neighbours", "router"])(
    "%s asks the best single worker where nothing is known of a question",
    async (id) => expect(await whoIsAsked(id, nothingSaid)).toEqual([STEADY]),
  );

  test("a label of one task does not overrule what forty others say", async () => {
    const odd = { ...poem(50), category: "odd", family: "odd" };
    const training = [...toTraining(), { task: odd, scores: [1, 0, 0, 1] }];
    expect(await whoIsAsked("lookup-subtask", toAskedTask(odd), toContext({ training }))).toEqual([STEADY]);
  });

  test("of equally good workers the first in the pool is asked", async () => {
    const training = toTraining().map(({ task }) => ({ task, scores: [0, 1, 1, 1] }));
    for (const id of ["best-single", "lookup-category", "neighbours", "router"]) {
      expect([id, await whoIsAsked(id, aSum, toContext({ training }))]).toEqual([id, [POET]]);
    }
  });

  test("without any training the order of the pool decides", async () => {
    for (const id of ["best-single", "lookup-subtask", "neighbours", "router", "ask-until-sure"]) {
      expect([id, await whoIsAsked(id, aSum, toContext({ training: [] }))]).toEqual([id, [WEAK]]);
    }
  });

  test("a worker that was measured on a few tasks only is not the best by luck", async () => {
    const training = toTraining().map(({ task, scores }, i) => ({
      task,
      scores: [i < 2 ? 1 : undefined, ...scores.slice(1)],
    }));
    expect(await whoIsAsked("best-single", aSum, toContext({ training }))).toEqual([STEADY]);
  });

  test("nothing but the training tasks and the labels can reach a baseline", () => {
    expectTypeOf<keyof FitContext>().toEqualTypeOf<"pool" | "training" | "labels" | "seed">();
    type Label = FitContext["labels"] extends ReadonlyMap<string, infer Value> ? Value : never;
    expectTypeOf<Label>().toEqualTypeOf<{ category: string; family: string }>();
  });

  test("only lookup tables read the labels", async () => {
    for (const { id } of BASELINES) {
      const withLabels = await whoIsAsked(id);
      const without = await whoIsAsked(id, aPoem, toContext({ labels: new Map() }));
      expect([id, id.startsWith("lookup") || withLabels.join() === without.join()]).toEqual([id, true]);
    }
  });
});

describe("chance", () => {
  const anyTask = fc.string({ minLength: 1 }).map((id) => ({ id, messages: aSum.messages }));

  test("a random workflow is valid for any question and seed", async () => {
    const { pool } = toContext();
    await fc.assert(
      fc.asyncProperty(anyTask, fc.integer(), async (task, seed) => {
        const steps = await stepsFor(findBaseline("random-workflow"), toContext({ seed }), task);
        expect(steps.length).toBeGreaterThanOrEqual(1);
        expect(steps.length).toBeLessThanOrEqual(MAX_STEPS);
        expect(checkTeam({ steps }, pool)).toBeUndefined();
        for (const [position, { worker, subtask, access }] of steps.entries()) {
          expect(worker in pool.members && subtask.trim() !== "").toBe(true);
          if (typeof access !== "string")
            expect(access.every((seen) => seen >= 0 && seen < position)).toBe(true);
        }
      }),
      { seed: 1, numRuns: 200 },
    );
  });

  test("every baseline decides the same again for the same seed", async () => {
    for (const baseline of BASELINES) {
      const first = await decideFor(baseline, toContext(), aSum);
      expect(await decideFor(baseline, toContext(), structuredClone(aSum))).toEqual(first);
    }
  });

  test("the lot differs by question and by seed, and falls on every model alike", async () => {
    const tasks = Array.from({ length: 400 }, (_, n) => toAskedTask(sum(n)));
    const draw = async (seed: number) =>
      (await Promise.all(tasks.map((task) => whoIsAsked("random-worker", task, toContext({ seed }))))).flat();
    const drawn = await draw(1);
    expect(await draw(2)).not.toEqual(drawn);
    for (const worker of [WEAK, POET, COUNTER, STEADY]) {
      const share = drawn.filter((each) => each === worker).length / drawn.length;
      expect(Math.abs(share - 1 / 4)).toBeLessThan(0.07);
    }
    expect(drawn).not.toContain(CONSENSUS);
  });
});

describe("names", () => {
  test("each has its own, and is found by it", () => {
    expect(new Set(BASELINES.map(({ id }) => id)).size).toBe(BASELINES.length);
    for (const baseline of BASELINES) expect(findBaseline(baseline.id)).toBe(baseline);
  });

  test("an unknown one is refused and the others are named", () => {
    expect(() => findBaseline("vote-4")).toThrow(
      /No baseline "vote-4" \(there are: .*vote-3.*single:<worker>\)/,
    );
    expect(() => findBaseline("single:")).toThrow(/No baseline "single:"/);
  });

  test("the singles of a pool are its models", () => {
    const ids = createSingles(toWorldPool()).map(({ id }) => id);
    expect(ids).toEqual(["single:weak", "single:poet", "single:counter", "single:steady"]);
  });

  test("a single one that is not in the pool is refused and the others are named", () => {
    expect(() => findBaseline("single:gpt-9").fit(toContext())).toThrow(
      'No model "gpt-9" in the pool (there are: weak, poet, counter, steady)',
    );
  });

  test("a vote is refused where the pool has no consensus, and choosing where it has no model", () => {
    const pool = { members: toWorldPool().members.slice(0, CONSENSUS) };
    for (const id of ["vote-3", "vote-all", "self-consistency"]) {
      expect(() => findBaseline(id).fit(toContext({ pool }))).toThrow(
        /needs the worker "consensus" in the pool/,
      );
    }
    const tools = toPool([createConsensusWorker()]);
    expect(() => findBaseline("best-single").fit(toContext({ pool: tools }))).toThrow(/no model to ask/);
  });
});
