import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRandom } from "../base/random.ts";
import { fitNeighbours } from "../baseline/neighbours.ts";
import { toCalibration } from "../baseline/strength.ts";
import { startCpuClock } from "../testing/cpu-clock.ts";
import { poem, sum, toAskedTask, toTraining, toWorldPool } from "../testing/learn/made-up-world.ts";
import { scriptedWorker, toPool } from "../testing/stage.ts";
import type { Pool } from "../worker/types.ts";
import { createProfiler } from "./profiler.ts";
import { textOf } from "./text-features.ts";
import type { Calibration } from "./types.ts";

const similarOf = ({ members }: Pool) => members.map(({ profile }) => profile?.similar);
const textFor = (task: ReturnType<typeof poem>) => textOf(toAskedTask(task).messages);

describe("the pool for a question", () => {
  const pool = toWorldPool();
  const profiler = createProfiler(toCalibration(pool, toTraining()));

  test("knows who is good at questions like it, as the baseline of neighbours does", () => {
    const { estimate } = fitNeighbours({ pool, training: toTraining() });
    for (const task of [poem(100), sum(100)]) {
      const similar = similarOf(profiler.poolFor(pool, textFor(task)));
      const estimates = [...estimate(toAskedTask(task))];
      for (const worker of [0, 1, 2, 3]) expect(similar[worker]).toBeCloseTo(estimates[worker]!, 4);
      expect(similar[4]).toBeUndefined();
    }
    const [, poet, counter] = similarOf(profiler.poolFor(pool, textFor(poem(100))));
    expect(poet).toBeGreaterThan(0.8);
    expect(counter).toBeLessThan(0.2);
  });

  test("falls back to the overall success where nothing is similar", () => {
    for (const { profile } of profiler.poolFor(pool, "日本語").members.slice(0, 4))
      expect(profile!.similar).toBeCloseTo(profile!.success, 4);
  });

  test("has the same members in the same order, with all they had but their figures", () => {
    const price = { inputUsd: 1, outputUsd: 2 };
    const profile = { success: 0.99, tasks: 9, topics: { logic: 1 }, delayMs: 120, similar: 0.1 };
    const given = {
      members: pool.members.map((member) => ({ ...member, price, profile, maxOutputTokens: 77 })),
    };
    const { members } = profiler.poolFor(given, textFor(sum(3)));
    expect(members.map(({ worker }) => worker)).toEqual(pool.members.map(({ worker }) => worker));
    expect(members[3]).toMatchObject({ price, maxOutputTokens: 77, profile: { delayMs: 120, tasks: 40 } });
    expect(members[3]!.profile!.topics).toEqual({});
    expect(given.members[3]!.profile).toBe(profile);
  });

  test("leaves who was not calibrated as it is", () => {
    const stranger = {
      worker: scriptedWorker("stranger", ""),
      profile: { success: 0.4, tasks: 1, topics: {} },
    };
    const [member] = profiler.poolFor(toPool([stranger]), "Add the numbers").members;
    expect(member).toBe(stranger);
  });

  test("is the same whether it was asked for before or not", () => {
    const fresh = createProfiler(toCalibration(pool, toTraining()));
    const first = profiler.poolFor(pool, textFor(sum(50)));
    expect(profiler.poolFor(pool, textFor(sum(50)))).toEqual(first);
    expect(fresh.poolFor(pool, textFor(sum(50)))).toEqual(first);
  });

  test("takes any text, and every figure stays a rate", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const rates = similarOf(profiler.poolFor(pool, text)).slice(0, 4);
        expect(rates.every((rate) => rate! >= 0 && rate! <= 1)).toBe(true);
      }),
      { seed: 1 },
    );
  });
});

describe("a task that is left out", () => {
  // The first two are twins but for case and spaces, and the worker is right in these alone.
  const calibration: Calibration = {
    workers: ["w"],
    tasks: [
      "the quick fox jumps",
      "The quick  fox jumps",
      "a fox sleeps",
      "add two numbers",
      "add more numbers",
      "sort three words",
      "sort many words",
    ].map((text) => ({ text })),
    scores: [[1], [1], [0], [0], [0], [0], [0]],
    source: "a test",
  };
  const pool = toPool([scriptedWorker("w", "")]);
  const similar = (without?: number) => {
    const options = without === undefined ? {} : { without };
    return similarOf(createProfiler(calibration).poolFor(pool, "the quick fox jumps", options))[0]!;
  };

  test("is not its own neighbour, and neither are its twins", () => {
    const overall = createProfiler(calibration).poolFor(pool, "the quick fox jumps").members[0]!.profile!;
    expect(similar()).toBeGreaterThan(overall.success);
    expect(similar(0)).toBeLessThan(overall.success);
    expect(similar(1)).toBe(similar(0));
    expect(similar(4)).toBe(similar());
  });

  test("does not change what is remembered of the same text without leaving out", () => {
    const profiler = createProfiler(calibration);
    const ask = (options = {}) => similarOf(profiler.poolFor(pool, "the quick fox jumps", options))[0];
    const [whole, without] = [ask(), ask({ without: 0 })];
    expect([ask(), ask({ without: 0 }), ask()]).toEqual([whole, without, whole]);
    expect(whole).not.toBe(without);
  });

  test("must be there", () => {
    expect(() => similar(7)).toThrow("There is no calibration task 7 to leave out (there are 7, from 0)");
  });
});

test("two thousand questions a second against a thousand calibration tasks and ten workers", () => {
  const random = createRandom(11);
  const words = Array.from(
    { length: 400 },
    (_, i) => `word${String.fromCharCode(97 + (i % 26))}${"x".repeat(i % 17)}`,
  );
  const draw = () => Array.from({ length: 40 }, () => random.pick(words)).join(" ");
  const workers = Array.from({ length: 10 }, (_, i) => `w${i}`);
  const profiler = createProfiler({
    workers,
    tasks: Array.from({ length: 1000 }, () => ({ text: draw(), topic: "other" as const })),
    scores: Array.from({ length: 1000 }, () => workers.map(() => (random.next() < 0.5 ? 1 : 0))),
    source: "a test",
  });
  const pool = toPool(workers.map((id) => scriptedWorker(id, "")));
  const texts = Array.from({ length: 300 }, draw);
  profiler.poolFor(pool, texts[0]!);
  const cpuMs = startCpuClock();
  for (const text of texts) profiler.poolFor(pool, text);
  const perSecond = (texts.length * 1000) / cpuMs();
  // A quarter of what is promised, because the machine that tests may be busy with other things.
  expect(perSecond).toBeGreaterThan(500);
});
