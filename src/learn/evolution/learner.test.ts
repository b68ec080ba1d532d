// Every way of learning a searched policy, one suite over all: it learns whom to ask and when to stop, with the same number
// of runs, is evaluated, killed and resumed to the bit.

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TuttiError } from "../../base/errors.ts";
import type { TurnChoice } from "../../conductor/trinity/types.ts";
import { createMemoryStore } from "../../store/memory.ts";
import { createLinearPicker } from "../../testing/learn/linear-picker.ts";
import { createSmallWorld, toMember } from "../../testing/learn/small-world.ts";
import type { World } from "../../world/types.ts";
import { openTrainingFolder } from "../folder.ts";
import { performAll } from "../perform.ts";
import type { ConductedRollout, TrainEvent } from "../types.ts";
import {
  ALGORITHMS,
  type AlgorithmName,
  learnPolicy,
  openLearner,
  type TrainPolicyOptions,
  trainPolicy,
} from "./learner.ts";

const home = mkdtempSync(join(tmpdir(), "tutti-evolution-"));
afterAll(() => rmSync(home, { recursive: true }));
const { signal } = new AbortController();

const [QUESTIONS, REPLICATIONS, POPULATION, ITERATIONS] = [4, 2, 8, 24];
const settings = {
  ...{ questions: QUESTIONS, replications: REPLICATIONS, population: POPULATION, sigma: 0.8, seed: 1 },
  ...{ costPerCall: 0.1, temperature: 0.5, learningRate: 0.2 },
};

async function run(path: string, algorithm: AlgorithmName, parts: Partial<TrainPolicyOptions> = {}) {
  const folder = openTrainingFolder(path);
  const events: TrainEvent[] = [];
  try {
    const result = await trainPolicy({
      ...{ ...settings, algorithm, policy: createLinearPicker(), world: createSmallWorld(), folder, signal },
      ...{ iterations: ITERATIONS, saveEvery: 5, evaluateEvery: 4, resume: false },
      onEvent: (event) => events.push(event),
      ...parts,
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

describe.each(ALGORITHMS)("%s", (algorithm) => {
  const whole = join(home, algorithm);
  const killedAt = (iteration: number) => join(home, `${algorithm}-killed-${iteration}`);
  // Before the first save, in the first stage or the second, and before the last save.
  const kills = [1, 6, 13, ITERATIONS - 1];
  let events: TrainEvent[];
  beforeAll(async () => {
    events = [];
    const onEvent = (event: TrainEvent) => {
      events.push(event);
      if (event.type !== "iteration" || !kills.includes(event.iteration)) return;
      cpSync(whole, killedAt(event.iteration), { recursive: true });
      rmSync(join(killedAt(event.iteration), "training.lock"));
    };
    await run(whole, algorithm, { onEvent });
  });

  test("learns to ask who is right, and to stop", () => {
    const last = events.filter((event) => event.type === "validation").at(-1);
    expect(last).toMatchObject({ accuracy: 1, calls: 1, validShare: 1 });
    const {
      vector,
      algorithm: name,
      runs,
    } = JSON.parse(readFileSync(join(whole, "best/picker.json"), "utf8"));
    expect(vector[0]).toBeGreaterThan(0);
    expect(name).toBe(algorithm);
    expect(runs % (QUESTIONS * REPLICATIONS * POPULATION)).toBe(0);
  });

  test("counts its runs, and takes as many as the others", () => {
    const iterations = events.filter((event) => event.type === "iteration");
    const each = QUESTIONS * REPLICATIONS * POPULATION;
    expect(iterations.map(({ runs }) => runs)).toEqual(iterations.map((_, i) => (i + 1) * each));
  });

  test.each(kills)("killed during iteration %i it goes on to the bit", async (iteration) => {
    await run(killedAt(iteration), algorithm, { resume: true });
    expect(resultOf(killedAt(iteration))).toEqual(resultOf(whole));
  });

  test("stopped in the middle of an iteration nothing of it was learned", async () => {
    const path = join(home, `${algorithm}-stopped`);
    const abort = new AbortController();
    const world = createSmallWorld();
    let graded = 0;
    const grade: World["grade"] = (...of) => {
      if (++graded === 300) abort.abort();
      return world.grade(...of);
    };
    const stopped = await run(path, algorithm, { world: { ...world, grade }, signal: abort.signal });
    expect(stopped.isStopped).toBe(true);
    await run(path, algorithm, { resume: true });
    expect(resultOf(path)).toEqual(resultOf(whole));
  });
});

test("plain Fugu's recipe has two stages, and the second begins where the first has come to", async () => {
  const { events } = await run(join(home, "stages"), "supervised");
  const stages = events.flatMap((event) => (event.type === "iteration" ? [event.stage] : []));
  expect(stages).toEqual([...Array(7).fill("supervised"), ...Array(17).fill("evolution")]);
  const only = { ...settings, policy: createLinearPicker(), world: createSmallWorld(), signal };
  const first = await learnPolicy({ ...only, algorithm: "supervised", supervisedShare: 1, iterations: 7 });
  expect(first.vector[0]).toBeGreaterThan(-1);
  // Gradients move the head alone.
  expect(first.vector[3]).toBe(5);
});

test("without a folder it learns the same", async () => {
  const own = { ...settings, policy: createLinearPicker(), world: createSmallWorld(), signal };
  const { vector, runs, metrics } = await learnPolicy({
    ...own,
    algorithm: "evolution",
    iterations: ITERATIONS,
  });
  const path = join(home, "evolution/checkpoint", String(ITERATIONS), "values.json");
  const { search } = JSON.parse(readFileSync(path, "utf8"));
  expect([...vector]).toEqual(search.vectors.mean);
  expect(runs).toBe(ITERATIONS * QUESTIONS * REPLICATIONS * POPULATION);
  expect(metrics).toHaveLength(ITERATIONS);
  expect(metrics.at(-1)).toMatchObject({ loss: expect.any(Number), decisionEntropy: Number.NaN });
});

test("another algorithm does not go on with its state", async () => {
  await expect(run(join(home, "evolution"), "reinforce", { resume: true })).rejects.toThrow(
    "cannot go on with reinforce: it was begun with evolution",
  );
});

test("samples of the evaluation are performed into the journal by the Conductor itself", async () => {
  const journal = createMemoryStore();
  const { events } = await run(join(home, "journal"), "evolution", { iterations: 4, journal });
  const samples = events.filter((event) => event.type === "sample");
  expect(samples).toHaveLength(3);
  for (const { runId, texts, calls } of samples) {
    expect(texts).toHaveLength(calls);
    expect(texts[0]).toContain("model_id = [");
    expect((await journal.loadRun(runId))?.length).toBeGreaterThan(0);
  }
});

test("an outage is nobody's fault: with workers that are down nothing moves", async () => {
  const down = () => new TuttiError("overloaded", "Down", { retryable: true });
  const members = [toMember("good", down, 0.9), toMember("bad", down, 0.2)];
  const world = createSmallWorld();
  const away: World = { ...world, sample: (seed) => ({ ...world.sample(seed), pool: { members } }) };
  const own = { ...settings, policy: createLinearPicker(), world: away, signal, iterations: 3 };
  for (const algorithm of ALGORITHMS) {
    const { vector, metrics } = await learnPolicy({ ...own, algorithm });
    expect(metrics[0]!.outages).toBeGreaterThan(0);
    expect([algorithm, ...vector]).toEqual([algorithm, ...createLinearPicker().start]);
  }
});

test("all candidates of a generation are given the same questions and seeds, and the next generation others", async () => {
  const own = { ...settings, policy: createLinearPicker(), world: createSmallWorld() };
  const algorithm = openLearner({ ...own, algorithm: "evolution" });
  const trialsOf = async (iteration: number) => {
    const { value } = await algorithm.iterate(algorithm.schedule(9).at(iteration), signal).next();
    const rollouts = value as ConductedRollout[];
    const trials = rollouts.map(({ question, seed }) => `${question.task.id} ${seed}`);
    const size = QUESTIONS * REPLICATIONS;
    return Array.from({ length: POPULATION }, (_, i) => trials.slice(i * size, (i + 1) * size));
  };
  const [first, second] = [await trialsOf(0), await trialsOf(1)];
  for (const trials of first) expect(trials).toEqual(first[0]);
  expect(new Set(first[0]).size).toBe(QUESTIONS * REPLICATIONS);
  expect(second[0]).not.toEqual(first[0]);
});

test("all algorithms are given the same questions", async () => {
  const world = createSmallWorld();
  const asked: number[] = [];
  const sample: World["sample"] = (seed) => {
    asked.push(seed);
    return world.sample(seed);
  };
  const own = { ...settings, policy: createLinearPicker(), signal, iterations: 3 };
  const seen: number[][] = [];
  for (const algorithm of ALGORITHMS) {
    await learnPolicy({ ...own, world: { ...world, sample }, algorithm });
    seen.push(asked.splice(0));
  }
  expect(new Set(seen[0]).size).toBe(3 * QUESTIONS);
  for (const other of seen) expect(other).toEqual(seen[0]);
});

test("a forced choice is taken at its turn only", async () => {
  const policy = createLinearPicker();
  const told: TurnChoice[] = [];
  const world = createSmallWorld();
  const conductor = policy.conductor(policy.start, {
    force: { turn: 1, option: 1 },
    onChoice: (choice) => told.push(choice),
  });
  const [outcome] = await performAll(
    [{ question: world.sample(1), conductor, rounds: 3, seed: 1 }],
    world,
    signal,
  );
  expect(outcome!.calls).toBe(2);
  expect(told.map(({ taken }) => taken)[1]).toBe(1);
});
