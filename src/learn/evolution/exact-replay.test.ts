// The exact replay must be the real run without its machinery: the same answer, the same calls.

import { describe, expect, test } from "vitest";
import { createRandom, hashSeed } from "../../base/random.ts";
import { createStartPolicy } from "../../conductor/trinity/policy.ts";
import { createTrinityConductor } from "../../conductor/trinity/trinity.ts";
import { createFiles } from "../../testing/temporary-files.ts";
import { createHelper } from "../../worker/kinds.ts";
import { createRecordingWorld } from "../../world/recording.ts";
import { performConductor } from "../../world/rollout.ts";
import { sampleEachSet } from "./exact-generation.ts";
import { PRICES, replayTurns, toFrontValue } from "./exact-replay.ts";
import { learnPolicy } from "./learner.ts";
import { openTrinityPolicy } from "./trinity-policy.ts";

const files = createFiles();
const WORKERS = ["a", "b", "c", "d"];

/** Some wrong answers are shared, some replies have no answer at all. */
function writeRecording(): string {
  const tasks: object[] = [];
  const outcomes: object[] = [];
  for (let i = 0; i < 160; i++) {
    const id = `s/${i}`;
    const word = [...String(hashSeed("word", i))].map((digit) => "abcdefghij"[Number(digit)]).join("");
    const prompt = `What is ${word} in the ${["garden", "river"][i % 2]}?`;
    tasks.push({ id, set: "s", category: "sums", subtask: "words", prompt, answer: "yes" });
    for (const [number, worker] of WORKERS.entries()) {
      const random = createRandom(hashSeed(id, worker));
      const isRight = random.next() < 0.4 + 0.12 * number;
      const wrong = random.next() < 0.1 ? null : `no ${random.integer(1, 3)}`;
      outcomes.push({
        ...{ task: id, worker, sample: 0, tokens: 3 },
        ...(isRight ? { answer: "yes", score: 1 } : { answer: wrong, score: 0 }),
      });
    }
  }
  files.writeRows("replayed/tasks.jsonl", ...tasks);
  files.writeRows("replayed/outcomes.jsonl", ...outcomes);
  return `${files.folder}/replayed`;
}

const world = await createRecordingWorld({
  recordings: [{ folder: writeRecording() }],
  ...{ seed: 1, pools: "fixed" },
});
const policy = createStartPolicy();
const base = { policy, hasRoles: false, maxTurns: 4 };
const signal = new AbortController().signal;

describe("an exact replay", () => {
  test.each([0, 0.01, 0.05])("is the real run, at a price of %d", async (costPerCall) => {
    const replays = world.replays!("validation");
    const conductor = createTrinityConductor({ kind: "custom", id: "t" }, { ...base, costPerCall });
    let calls = 0;
    for (const { task } of world.validation) {
      // The same question: profiles belong to it alone.
      const replay = replays[world.validation.findIndex((other) => other.task.id === task.id)]!;
      const pool = { members: [...replay.pool.members, createHelper("consensus")] };
      const run = { world, question: { task, pool }, conductor, rounds: 5, seed: 1, signal };
      const performed = await performConductor(run);
      const replayed = replayTurns(replay, { ...base, costPerCall });
      expect(replayed).toEqual({ isRight: performed.isRight, calls: performed.calls });
      calls += replayed.calls;
    }
    expect(calls).toBeGreaterThan(0);
  });

  test("of a training question does not know the question itself", () => {
    const [own] = world.replays!("train");
    const right = own!.right.map(Number);
    const promised = own!.pool.members.map(({ profile }) => profile!.probability!);
    expect(promised).not.toEqual(right);
    expect(Math.min(...promised)).toBeGreaterThan(0.02);
  });
});

describe("the value of a front", () => {
  test("is higher for whoever asks where it pays than for whoever asks always", () => {
    const questions = world.replays!("train");
    const eager = { ...policy, head: policy.head.map((weight, i) => (i === 0 ? weight + 1 : weight)) };
    eager.head[3] = 1;
    const { value, outcomes } = toFrontValue(questions, base);
    expect(value).toBeGreaterThan(toFrontValue(questions, { ...base, policy: eager }).value);
    expect(outcomes).toHaveLength(PRICES.length * questions.length);
  });

  test("counts sets the same, whatever their size", () => {
    const [first, ...rest] = world.replays!("train");
    const named = [{ ...first!, set: "small" }, ...rest];
    const alone = toFrontValue([first!], base).value;
    const others = toFrontValue(rest, base).value;
    expect(toFrontValue(named, base).value).toBeCloseTo((alone + others) / 2, 9);
    expect(sampleEachSet(named, 10, 1)).toHaveLength(11);
  });
});

test("evolution on a recording performs nothing, and never saves what is below its beginning", async () => {
  const searched = openTrinityPolicy({
    ...{ world, hasRoles: false, turns: 4, costPerCall: 0.01, seed: 1, command: "" },
  });
  const learn = () =>
    learnPolicy({
      ...{ policy: searched, world, seed: 1, algorithm: "evolution" as const, questions: 40 },
      ...{ replications: 1, sigma: 0.3, costPerCall: 0.01, iterations: 3, signal, population: 6 },
    });
  const { vector, runs } = await learn();
  expect(runs).toBe(3 * 6 * 40 * PRICES.length);
  expect(vector).not.toEqual(searched.start);
  expect((await learn()).vector).toEqual(vector);
});
