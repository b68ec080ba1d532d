// The minutes of a training, with a clock that the algorithm itself moves: nothing waits, and every second is known.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createSmallWorld } from "../testing/learn/small-world.ts";
import { openTrainingFolder } from "./folder.ts";
import { toOutcomeMetrics } from "./metrics.ts";
import { performAll } from "./perform.ts";
import { train } from "./train.ts";
import type { LearningAlgorithm, TrainEvent } from "./types.ts";

const home = mkdtempSync(join(tmpdir(), "tutti-minutes-"));
afterAll(() => rmSync(home, { recursive: true }));

interface Speed {
  minutes: number;
  warmUp: number;
  warmUpSeconds: (iteration: number) => number;
  iterationSeconds: (iteration: number) => number;
  /** On the whole validation split. */
  evaluationSeconds: number;
}

/** The seconds it took up to the test, and how many iterations the final stage had. */
async function trainFor(name: string, speed: Speed) {
  let seconds = 2;
  const world = createSmallWorld();
  const events: TrainEvent[] = [];
  const folder = openTrainingFolder(join(home, name));
  const algorithm: LearningAlgorithm = {
    name: "clockwork",
    schedule: (iterations) => ({
      total: speed.warmUp + iterations,
      at: (iteration) => {
        const isFinal = iteration - speed.warmUp >= Math.round(iterations * 0.8);
        const stage = iteration < speed.warmUp ? "warm-up" : isFinal ? "last" : "first";
        return { iteration, stage, isWarmUp: stage === "warm-up", isFinal, tolerance: 0 };
      },
    }),
    // biome-ignore lint/correctness/useYield: it asks nobody
    async *iterate({ iteration, isWarmUp }) {
      seconds += isWarmUp ? speed.warmUpSeconds(iteration) : speed.iterationSeconds(iteration - speed.warmUp);
      const none = { decisionEntropy: 0, loss: 0, gradientNorm: 0, flatShare: 0, learningRate: 0 };
      return { ...toOutcomeMetrics([]), ...none };
    },
    answer(questions, _, { seed, signal }) {
      seconds += (speed.evaluationSeconds * questions.length) / world.validation.length;
      const texts = ['model_id = [0]\nsubtasks = ["Add"]\naccess_list = [[]]'];
      return performAll(
        questions.map((question) => ({ question, texts, seed })),
        world,
        signal,
      );
    },
    save: () => ({ tensors: new Map(), values: {} }),
    saveCheckpoint: async (path) => void mkdirSync(path, { recursive: true }),
    async close() {},
  };
  try {
    const result = await train({
      open: async () => algorithm,
      ...{ world, seed: 1, minutes: speed.minutes, costPerCall: 0, saveEvery: 1000 },
      ...{ clock: () => seconds, hasTest: true, folder, resume: false, signal: new AbortController().signal },
      onEvent: (event) => events.push(event),
    });
    const last = events.filter((event) => event.type === "iteration" && event.stage === "last").length;
    return { seconds, last, events, ...result };
  } finally {
    folder.close();
  }
}

const STEADY: Speed = {
  ...{ minutes: 5, warmUp: 300, warmUpSeconds: () => 0.15, evaluationSeconds: 4 },
  iterationSeconds: () => 1,
};

test.each<[string, Partial<Speed>]>([
  ["steady", {}],
  ["slower with every iteration", { iterationSeconds: (i) => 0.5 + 0.01 * i }],
  ["three times slower from the twentieth on", { iterationSeconds: (i) => (i < 20 ? 0.5 : 1.5) }],
  ["slow evaluations", { evaluationSeconds: 15 }],
  ["a long warm-up", { warmUpSeconds: () => 0.6 }],
  ["a slow start", { warmUpSeconds: (i) => (i < 8 ? 5 : 0.15) }],
  ["no warm-up", { warmUp: 0 }],
])("are kept, test included: %s", async (name, change) => {
  const speed = { ...STEADY, ...change };
  const { seconds, last, validation } = await trainFor(name, speed);
  // As measured: a test takes about three evaluations.
  const whole = seconds + 3 * speed.evaluationSeconds;
  expect(whole).toBeLessThanOrEqual(speed.minutes * 60 * 1.1);
  expect(whole).toBeGreaterThan(speed.minutes * 60 * 0.7);
  // The final stage was reached, and something is kept.
  expect(last).toBeGreaterThan(0);
  expect(validation?.isBest).toBe(true);
});

test("that cannot be kept are refused after a few iterations, with how many would do", async () => {
  const refused = trainFor("refused", { ...STEADY, minutes: 1, warmUpSeconds: () => 1 });
  await expect(refused).rejects.toThrow(
    "1 minute is not enough here: the warm-up alone takes about 302 s. Give it --minutes 7.2 or more, or a number of --iterations",
  );
});

test("that cannot be kept on a slow machine are refused when a third of them is over", async () => {
  let iterations = 0;
  const warmUpSeconds = () => {
    iterations++;
    return 10;
  };
  const refused = trainFor("slow", { ...STEADY, minutes: 3, warmUpSeconds });
  await expect(refused).rejects.toThrow("3 minutes are not enough here");
  expect(iterations).toBe(6);
});

test("are told as a count that repeats the training, and a lower count is told too", async () => {
  const notices = async (name: string, change: Partial<Speed>) =>
    (await trainFor(name, { ...STEADY, ...change })).events.flatMap((event) =>
      event.type === "notice" ? [event.text] : [],
    );
  expect(await notices("told", {})).toEqual([
    expect.stringMatching(/^5 minutes are \d+ iterations here: --iterations \d+ --seed 1 repeats/),
  ]);
  const slower = await notices("told-slower", { iterationSeconds: (i) => (i < 20 ? 0.5 : 1.5) });
  expect(slower.slice(1).join("\n")).toContain("there is time for ");
});
