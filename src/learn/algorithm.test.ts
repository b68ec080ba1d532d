// Another algorithm behind the port costs one file and nothing else: a (1+1) evolution strategy over the weights of a
// linear picker of one worker. It goes through the same trainer, is saved, killed and resumed to the bit.

import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRandom, hashSeed } from "../base/random.ts";
import { createSmallWorld } from "../testing/learn/small-world.ts";
import { renderWorkflow } from "../workflow/render.ts";
import type { Question, World } from "../world/types.ts";
import { openTrainingFolder } from "./folder.ts";
import { toOutcomeMetrics } from "./metrics.ts";
import { performAll } from "./perform.ts";
import { type TrainerOptions, train } from "./train.ts";
import type { AlgorithmState, LearningAlgorithm, Rollout, ScheduleEntry, TrainEvent } from "./types.ts";

const QUESTIONS = 3;

function createEvolution(world: World, seed: number, saved?: AlgorithmState): LearningAlgorithm {
  // It begins by preferring whoever fails most.
  let weights = saved?.tensors.get("weights")?.data ?? Float32Array.of(-1, 0);
  let sigma = (saved?.values.sigma as number | undefined) ?? 0.5;

  const pick = ({ pool: { members } }: Question, own: Float32Array) => {
    const worth = members.map(({ worker, profile }) =>
      worker.kind === "model" ? own[0]! * (profile?.success ?? 0) + own[1]! : Number.NEGATIVE_INFINITY,
    );
    return worth.indexOf(Math.max(...worth));
  };
  const toRollout = (question: Question, own: Float32Array, runSeed: number): Rollout => {
    const step = { worker: pick(question, own), subtask: "Answer the question", access: [] };
    return { question, texts: [renderWorkflow({ steps: [step] })], seed: runSeed };
  };

  return {
    name: "evolution",
    schedule: (total) => ({
      total,
      at: (iteration) => ({ iteration, stage: "evolve", isWarmUp: false, isFinal: true, tolerance: 0 }),
    }),
    async *iterate({ iteration }) {
      const random = createRandom(hashSeed(seed, "mutation", iteration));
      const mutant = weights.map((weight) => weight + sigma * random.normal());
      const questions = Array.from({ length: QUESTIONS }, (_, i) =>
        world.sample(hashSeed(seed, iteration, i)),
      );
      const outcomes = yield [weights, mutant].flatMap((own) =>
        questions.map((question) => toRollout(question, own, iteration)),
      );
      const [parent, child] = [outcomes.slice(0, QUESTIONS), outcomes.slice(QUESTIONS)].map(toOutcomeMetrics);
      const isBetter = child!.reward >= parent!.reward;
      if (isBetter) weights = mutant;
      sigma *= isBetter ? 1.2 : 0.9;
      const none = { decisionEntropy: Number.NaN, loss: Number.NaN, gradientNorm: Number.NaN };
      return { ...child!, ...none, flatShare: 0, learningRate: sigma };
    },
    answer(questions, _, { seed: runSeed, signal }) {
      const rollouts = questions.map((question) => toRollout(question, weights, runSeed));
      return performAll(rollouts, world, signal);
    },
    save: () => ({ tensors: new Map([["weights", { dims: [2], data: weights }]]), values: { sigma } }),
    async saveCheckpoint(folder, trained) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "picker.json"), JSON.stringify({ weights: [...weights], ...trained }));
    },
    async close() {},
  };
}

const home = mkdtempSync(join(tmpdir(), "tutti-algorithm-"));
afterAll(() => rmSync(home, { recursive: true }));

const ITERATIONS = 24;
const killedAt = (iteration: number) => join(home, `killed-${iteration}`);

async function run(path: string, options: Partial<TrainerOptions<ScheduleEntry>> = {}) {
  const folder = openTrainingFolder(path);
  const world = createSmallWorld();
  const events: TrainEvent[] = [];
  try {
    const result = await train({
      open: async (saved) => createEvolution(world, 1, saved),
      ...{ world, seed: 1, iterations: ITERATIONS, costPerCall: 0, saveEvery: 3, evaluateEvery: 4 },
      ...{ folder, resume: false, signal: new AbortController().signal },
      onEvent: (event) => events.push(event),
      ...options,
    });
    return { ...result, events };
  } finally {
    folder.close();
  }
}

function resultOf(path: string) {
  const [name] = readdirSync(join(path, "checkpoint")).filter((each) => /^\d+$/.test(each));
  const rows = (file: string) =>
    readFileSync(join(path, file), "utf8")
      .trim()
      .split("\n")
      .map((line) => ({ ...JSON.parse(line), seconds: 0 }));
  return {
    state: readFileSync(join(path, "checkpoint", name!, "state.safetensors")).toString("base64"),
    values: readFileSync(join(path, "checkpoint", name!, "values.json"), "utf8"),
    best: readFileSync(join(path, "best", "picker.json"), "utf8"),
    events: [rows("iterations.jsonl"), rows("validation.jsonl")],
  };
}

let events: TrainEvent[];
beforeAll(async () => {
  const whole = join(home, "whole");
  const copyAt = (event: TrainEvent) => {
    if (event.type !== "iteration" || ![1, 10, ITERATIONS - 1].includes(event.iteration)) return;
    cpSync(whole, killedAt(event.iteration), { recursive: true });
    rmSync(join(killedAt(event.iteration), "training.lock"));
  };
  const told: TrainEvent[] = [];
  const onEvent = (event: TrainEvent) => {
    told.push(event);
    copyAt(event);
  };
  await run(whole, { onEvent });
  events = told;
});

describe("an evolution strategy behind the port", () => {
  test("learns whom to ask, is evaluated, and its best is kept", () => {
    const validations = events.filter((event) => event.type === "validation");
    expect(validations.map(({ iteration }) => iteration + 1)).toEqual([4, 8, 12, 16, 20, 24]);
    const [first] = events.filter((event) => event.type === "iteration");
    expect(first).toMatchObject({ stage: "evolve", total: ITERATIONS, loss: Number.NaN });
    expect(validations.at(-1)).toMatchObject({ accuracy: 1, calls: 1, validShare: 1 });
    const { weights, validation } = JSON.parse(readFileSync(join(home, "whole/best/picker.json"), "utf8"));
    expect(weights[0]).toBeGreaterThan(0);
    expect(validation).toMatchObject({ isBest: true, accuracy: 1 });
  });

  // Before the first save, between two saves, and before the last one.
  test.each([1, 10, ITERATIONS - 1])(
    "killed during iteration %i it goes on to the bit",
    async (iteration) => {
      await run(killedAt(iteration), { resume: true });
      expect(resultOf(killedAt(iteration))).toEqual(resultOf(join(home, "whole")));
    },
  );

  test("stopped in the middle of an iteration nothing of it was learned", async () => {
    const path = join(home, "stopped");
    const abort = new AbortController();
    const world = createSmallWorld();
    let graded = 0;
    const stopping: World = {
      ...world,
      grade: (...of) => {
        if (++graded === 40) abort.abort();
        return world.grade(...of);
      },
    };
    const { isStopped } = await run(path, { world: stopping, signal: abort.signal });
    expect(isStopped).toBe(true);
    await run(path, { resume: true });
    expect(resultOf(path)).toEqual(resultOf(join(home, "whole")));
  });

  test("minutes become a count for it too", async () => {
    const abort = new AbortController();
    const told: TrainEvent[] = [];
    const onEvent = (event: TrainEvent) => {
      told.push(event);
      if (event.type === "iteration" && !event.isTiming) abort.abort();
    };
    await run(join(home, "timed"), { iterations: undefined, minutes: 100, onEvent, signal: abort.signal });
    const iterations = told.filter((event) => event.type === "iteration");
    expect(iterations.map(({ isTiming = false }) => isTiming)).toEqual([...Array(5).fill(true), false]);
    const notice = told.findLast((event) => event.type === "notice")!;
    expect(notice.text).toContain(`100 minutes are ${iterations.at(-1)!.total} iterations here`);
  });

  test("another algorithm does not go on with its state", async () => {
    const open = async (saved?: AlgorithmState) => ({
      ...createEvolution(createSmallWorld(), 1, saved),
      name: "another",
    });
    await expect(run(join(home, "whole"), { open, resume: true })).rejects.toThrow(
      "cannot go on with another: it was begun with evolution",
    );
  });
});

test("a training too short for its final stage keeps what it ends with", async () => {
  const evolution = createEvolution(createSmallWorld(), 1);
  const schedule: LearningAlgorithm["schedule"] = (total) => {
    const { at } = evolution.schedule(total);
    return { total, at: (iteration) => ({ ...at(iteration), isFinal: false }) };
  };
  const open = async () => ({ ...evolution, schedule });
  const { validation, checkpoint } = await run(join(home, "short"), {
    open,
    iterations: 2,
    evaluateEvery: 1,
  });
  expect(validation).toMatchObject({ iteration: 1, isBest: true });
  expect(readdirSync(checkpoint)).toContain("picker.json");
});
