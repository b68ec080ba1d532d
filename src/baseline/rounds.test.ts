// Baselines that go round by round, performed by the real performer with workers that say what a
// table says: who is asked, when they stop, and whose words become the answer.

import { describe, expect, test } from "vitest";
import { performRun } from "../perform/driver.ts";
import { type Run, toRun } from "../perform/run.ts";
import {
  COUNTER,
  POET,
  poem,
  STEADY,
  sum,
  toAskedTask,
  toContext,
  toTraining,
  WEAK,
} from "../testing/learn/made-up-world.ts";
import { type ScriptedWorker, scriptedWorker, toPool, toStage, toStart } from "../testing/stage.ts";
import { createConsensusWorker } from "../worker/consensus.ts";
import type { Task } from "../worker/types.ts";
import { findBaseline } from "./all.ts";
import { measurePool } from "./strength.ts";
import type { TrainingTask } from "./types.ts";

const aPoem = toAskedTask(poem(100));

interface Played {
  run: Run;
  /** Numbers of the workers, in the order they were asked. */
  asked: number[];
}

/** `says` by number in the pool: weak, poet, counter, steady, and more where there are more. */
async function play(
  id: string,
  says: string[],
  task: Task = aPoem,
  training: readonly TrainingTask[] = toTraining(),
): Promise<Played> {
  const asked: number[] = [];
  const workers = says.map(
    (answer, number): ScriptedWorker =>
      scriptedWorker(`worker ${number}`, () => {
        asked.push(number);
        return answer === "" ? "" : `I am ${number}.\nAnswer: ${answer}`;
      }),
  );
  const pool = measurePool(
    toPool([...workers, createConsensusWorker()], { inputUsd: 0, outputUsd: 0 }),
    training,
  );
  const baseline = findBaseline(id);
  const stage = toStage(pool, baseline.fit(toContext({ pool, training })));
  const event = { ...toStart(pool, { rounds: baseline.rounds }), task };
  const run = toRun(await performRun(event, stage));
  expect(run.stopReason).toBe("done");
  expect(run.rounds.flatMap(({ fallback, planErrors }) => [fallback ?? [], planErrors].flat())).toEqual([]);
  return { run, asked };
}

/** Its words are nowhere in training, so what counts are the overall rates. */
const stranger: Task = { id: "stranger", messages: [{ role: "user", content: "¿Qué?" }] };

function toRates(rates: number[]): TrainingTask[] {
  return Array.from({ length: 200 }, (_, n) => ({
    task: sum(n),
    scores: rates.map((rate) => (n < rate * 200 ? 1 : 0)),
  }));
}

/** Six workers, right on every task, on every second, third, … */
const ladder = Array.from({ length: 60 }, (_, n) => ({
  task: sum(n),
  scores: [1, 2, 3, 4, 5, 6].map((share) => (n % share === 0 ? 1 : 0)),
}));

describe("the cascade", () => {
  test("accepts when the first two agree, in the words of the stronger one", async () => {
    const { run, asked } = await play("cascade", ["9", "7", "8", "7"]);
    expect(asked.toSorted()).toEqual([POET, STEADY]);
    expect(run.answer).toBe(`I am ${STEADY}.\nAnswer: 7`);
  });

  test("asks the next best while nobody agrees, and stops at the first agreement", async () => {
    const { run, asked } = await play("cascade", ["9", "7", "8", "8"]);
    expect(asked).toEqual([STEADY, POET, COUNTER]);
    expect(run.answer).toBe(`I am ${STEADY}.\nAnswer: 8`);
    expect(run.calls).toBe(3);
  });

  test("takes the heaviest vote, from whichever round, when all differ", async () => {
    const { run, asked } = await play("cascade", ["9", "7", "8", "6"]);
    expect(asked).toEqual([STEADY, POET, COUNTER, WEAK]);
    expect(run.answer).toBe(`I am ${STEADY}.\nAnswer: 6`);
  });

  test("never asks more than five", async () => {
    const { run, asked } = await play("cascade", ["1", "2", "3", "4", "5", "6"], aPoem, ladder);
    expect(asked).toEqual([0, 1, 2, 3, 4]);
    expect(run.answer).toContain("Answer: 1");
  });

  test("does not take two empty replies for an agreement", async () => {
    const { run, asked } = await play("cascade", ["8", "", "8", ""]);
    expect(asked).toEqual([STEADY, POET, COUNTER, WEAK]);
    expect(run.answer).toContain("Answer: 8");
  });
});

describe("ask until sure", () => {
  test("is content with one reply of a worker that is always right on such questions", async () => {
    const training = toTraining().map(({ task, scores }) => ({ task, scores: [0, 1, scores[2], scores[3]] }));
    const { run, asked } = await play("ask-until-sure", ["9", "7", "8", "6"], aPoem, training);
    expect(asked).toEqual([POET]);
    expect(run.answer).toContain("Answer: 7");
  });

  test("asks on after a disagreement and stops when the vote is sure", async () => {
    const training = toRates([0.4, 0.75, 0.7, 0.65]);
    const { run, asked } = await play("ask-until-sure", ["9", "7", "8", "7"], stranger, training);
    expect(asked).toEqual([POET, COUNTER, STEADY]);
    expect(run.answer).toBe(`I am ${POET}.\nAnswer: 7`);
    const agreeing = await play("ask-until-sure", ["9", "7", "7", "7"], stranger, training);
    expect(agreeing.asked).toEqual([POET, COUNTER]);
  });

  test("never asks more than five, and may go back to the first reply", async () => {
    const training = toRates([0.4, 0.35, 0.3, 0.25, 0.2, 0.15]);
    const says = ["1", "2", "3", "4", "5", "6"];
    const { run, asked } = await play("ask-until-sure", says, stranger, training);
    expect(asked).toEqual([0, 1, 2, 3, 4]);
    expect(run.answer).toBe("I am 0.\nAnswer: 1");
  });

  test("does not count an empty reply as a vote", async () => {
    const training = toRates([0.4, 0.75, 0.7, 0.65]);
    const { run, asked } = await play("ask-until-sure", ["9", "", "7", "7"], stranger, training);
    expect(asked).toEqual([POET, COUNTER, STEADY]);
    expect(run.answer).toContain("Answer: 7");
  });
});

describe("votes", () => {
  test("of the best by the neighbours weigh by the neighbours", async () => {
    // Overall steady is the strongest; on sums the counter always was right and the others never.
    const training = toTraining().map(({ task, scores }) =>
      task.category === "sums" ? { task, scores: [0, 0, 1, 0] } : { task, scores: [0, 0, 0, scores[3]] },
    );
    const play3 = (task: Task) => play("neighbours-vote-3", ["5", "5", "4", "5"], task, training);
    expect((await play3(toAskedTask(sum(100)))).run.answer).toContain("Answer: 4");
    expect((await play3(aPoem)).run.answer).toContain("Answer: 5");
  });

  test("of the best three weigh by the profiles of the pool and cost three calls", async () => {
    const { run, asked } = await play("vote-3", ["9", "7", "7", "8"]);
    expect(asked.toSorted()).toEqual([POET, COUNTER, STEADY]);
    expect(run.answer).toContain("Answer: 7");
    expect(run.calls).toBe(3);
    expect((await play("vote-3", ["8", "7", "6", "8"])).run.answer).toContain("Answer: 8");
  });

  test("of all may have more steps than the language allows", async () => {
    const says = ["1", "2", "2", "2", "2", "2"];
    const { run } = await play("vote-all", says, aPoem, ladder);
    expect(run.steps).toHaveLength(7);
    expect(run.answer).toContain("Answer: 2");
  });
});
