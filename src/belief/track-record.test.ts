import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRandom } from "../base/random.ts";
import { meanOf } from "../base/statistics.ts";
import { type Dependence, hear, NOTHING_SAID, probabilitiesOf, toCurve } from "./posterior.ts";
import {
  adjustProbability,
  type FinishedReply,
  NO_RECORD,
  parseTrackRecord,
  recordOf,
  type TrackRecord,
  updateTrackRecord,
} from "./track-record.ts";

const share = fc.double({ min: 0, max: 1, noNaN: true });
const worker = fc.constantFrom("a", "b", "c", "__proto__");
const question = fc.array(fc.record({ worker, expected: share, believed: share }), { maxLength: 4 });
const history = fc.array(question, { maxLength: 40 });
const replay = (questions: readonly FinishedReply[][]): TrackRecord =>
  questions.reduce(updateTrackRecord, NO_RECORD);
const repeat = (count: number, expected: number, believed: number) =>
  Array.from({ length: count }, () => [{ worker: "a", expected, believed }]);
const adjustedBy = (questions: readonly FinishedReply[][], probability = 0.8) =>
  adjustProbability(probability, recordOf(replay(questions), "a"));

describe("whatever happened", () => {
  test("a probability stays within its bounds, and a record possible", () => {
    fc.assert(
      fc.property(history, share, (questions, probability) => {
        const record = replay(questions);
        for (const id of ["a", "b", "c", "__proto__", "nobody"]) {
          const { questions: n, expected, believed } = recordOf(record, id);
          expect(n).toBeLessThanOrEqual(1 / 0.03 + 1e-9);
          for (const sum of [expected, believed]) {
            expect(sum).toBeGreaterThanOrEqual(0);
            expect(sum).toBeLessThanOrEqual(n + 1e-9);
          }
          const adjusted = adjustProbability(probability, recordOf(record, id));
          expect(adjusted).toBeGreaterThanOrEqual(0.02);
          expect(adjusted).toBeLessThanOrEqual(0.98);
        }
      }),
      { seed: 1 },
    );
  });

  test("it is kept as JSON without loss, and the same history gives the same record", () => {
    fc.assert(
      fc.property(history, (questions) => {
        const record = replay(questions);
        expect(parseTrackRecord(JSON.parse(JSON.stringify(record)))).toEqual(record);
        expect(replay(questions)).toEqual(record);
      }),
      { seed: 2 },
    );
  });

  test("a record that was given is never changed", () => {
    const record = replay(repeat(3, 0.8, 0.5));
    const copy = structuredClone(record);
    updateTrackRecord(record, [{ worker: "a", expected: 0.1, believed: 0.9 }]);
    expect(record).toEqual(copy);
  });

  test("more belief never lowers a probability, and the order of two workers is kept", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(share, share), { maxLength: 20 }), share, share, (seen, p, q) => {
        const questions = seen.map(([expected, believed]) => [{ worker: "a", expected, believed }]);
        const better = questions.map(([reply]) => [
          { ...reply!, believed: Math.min(1, reply!.believed + 0.1) },
        ]);
        expect(adjustedBy(better, p)).toBeGreaterThanOrEqual(adjustedBy(questions, p) - 1e-12);
        expect(adjustedBy(questions, Math.max(p, q))).toBeGreaterThanOrEqual(
          adjustedBy(questions, Math.min(p, q)) - 1e-12,
        );
      }),
      { seed: 3 },
    );
  });

  test("any JSON is read, and what is no record is left out", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const record = parseTrackRecord(value);
        for (const id of Object.keys(record)) adjustProbability(0.5, recordOf(record, id));
      }),
      { seed: 4 },
    );
    const good = { questions: 2, expected: 1.5, believed: 1 };
    const bad = {
      x: null,
      y: { ...good, believed: 3 },
      z: { ...good, questions: 1e9 },
      u: { ...good, expected: "1" },
    };
    expect(parseTrackRecord({ ...bad, good })).toEqual({ good });
  });

  test("numbers that are none do not count", () => {
    const record = replay(repeat(3, 0.8, 0.5));
    expect(updateTrackRecord(record, [{ worker: "a", expected: Number.NaN, believed: 1 }])).toBe(record);
  });
});

describe("promises", () => {
  test("without a record, or kept to the letter, leave the probability as it is", () => {
    expect(adjustedBy([])).toBe(0.8);
    for (const probability of [0.1, 0.5, 0.8, 0.95])
      expect(adjustedBy(repeat(50, 0.7, 0.7), probability)).toBeCloseTo(probability, 9);
  });

  test("one broken promise moves little, twenty move much", () => {
    expect(adjustedBy(repeat(1, 0.8, 0.1))).toBeGreaterThan(0.7);
    expect(adjustedBy(repeat(5, 0.8, 0.1))).toBeGreaterThan(0.5);
    expect(adjustedBy(repeat(10, 0.8, 0.1))).toBeLessThan(0.5);
    expect(adjustedBy(repeat(20, 0.8, 0.1))).toBeLessThan(0.36);
    expect(adjustedBy(repeat(200, 0.95, 0), 0.95)).toBeLessThan(0.3);
  });

  test("agreement beyond what was promised earns nothing", () => {
    expect(adjustedBy(repeat(500, 0.3, 1), 0.3)).toBe(0.3);
  });

  test("being outvoted now and then, as whoever settles disputes is, costs nothing", () => {
    expect(adjustedBy(repeat(500, 0.75, 0.6), 0.75)).toBe(0.75);
    expect(adjustedBy(repeat(500, 0.75, 0.3), 0.75)).toBeLessThan(0.5);
  });

  test("a worker recovers when it is honest again, and slowly when nobody asks it", () => {
    const fallen = repeat(20, 0.8, 0.05);
    const low = adjustedBy(fallen);
    expect(adjustedBy([...fallen, ...repeat(30, 0.8, 0.85)])).toBeGreaterThan(0.6);
    const others = (count: number) =>
      Array.from({ length: count }, () => [{ worker: "b", expected: 0.5, believed: 0.5 }]);
    expect(adjustedBy([...fallen, ...others(20)])).toBeLessThan(low + 0.05);
    expect(adjustedBy([...fallen, ...others(600)])).toBeGreaterThan(0.7);
  });

  test("several replies of one worker to one question count once", () => {
    const twice = replay([[0.2, 0.4].map((believed) => ({ worker: "a", expected: 0.8, believed }))]);
    expect(recordOf(twice, "a").questions).toBe(1);
    expect(recordOf(twice, "a").believed).toBeCloseTo(0.3, 12);
  });

  test("an honest worker stays within noise, however long it works", () => {
    for (let seed = 0; seed < 40; seed++) {
      const random = createRandom(seed);
      const probability = 0.4 + 0.5 * random.next();
      // The hardest case: the posterior is always certain, so that nothing but the number of questions smooths.
      const questions = Array.from({ length: 120 }, () => [
        { worker: "a", expected: probability, believed: random.next() < probability ? 1 : 0 },
      ]);
      for (const count of [5, 20, 60, 120])
        expect(Math.abs(adjustedBy(questions.slice(0, count), probability) - probability)).toBeLessThan(0.2);
    }
  });
});

/**
 * A closed loop with the real posterior: five workers, of which the first `liars` tell the same wrong answer from the first
 * question on. What each was promised, and what it is worth after `count` questions.
 */
function simulate(seed: number, count: number, liars: number): { promised: number; now: number }[] {
  const random = createRandom(seed);
  const promised = Array.from({ length: 5 }, () => 0.7 + 0.2 * random.next());
  const dependence: Dependence = { difficulty: 1, coincidence: () => 0.1 };
  let record: TrackRecord = NO_RECORD;
  const now = () => promised.map((each, i) => adjustProbability(each, recordOf(record, `w${i}`)));
  for (let question = 0; question < count; question++) {
    const answers = promised.map((each, i) => {
      if (i < liars) return "agreed lie";
      return random.next() < each ? "right" : `wrong ${random.integer(0, 8)}`;
    });
    const said = [...new Set(answers)];
    let posterior = NOTHING_SAID;
    for (const [i, probability] of now().entries())
      posterior = hear(posterior, i, toCurve(probability, 1), said.indexOf(answers[i]!), dependence);
    const believed = probabilitiesOf(posterior);
    record = updateTrackRecord(
      record,
      promised.map((expected, i) => ({
        ...{ worker: `w${i}`, expected, believed: believed[said.indexOf(answers[i]!)]! },
      })),
    );
  }
  return now().map((each, i) => ({ promised: promised[i]!, now: each }));
}

describe("with the posterior that it feeds", () => {
  const seeds = Array.from({ length: 300 }, (_, seed) => seed);
  const run = (count: number, liars: number) => {
    const runs = seeds.map((seed) => simulate(seed, count, liars));
    return {
      liars: runs.flatMap((each) => each.slice(0, liars)),
      honest: runs.flatMap((each) => each.slice(liars)),
    };
  };
  const shareOf = <T>(items: readonly T[], is: (item: T) => boolean) =>
    items.filter(is).length / items.length;
  // Rates over many runs: one honest worker in two hundred is unlucky enough to move by 0.2 in a dozen questions.
  const expectNoise = (honest: { promised: number; now: number }[]) => {
    const moves = honest.map(({ promised, now }) => now - promised);
    expect(Math.abs(meanOf(moves))).toBeLessThan(0.02);
    expect(Math.sqrt(meanOf(moves.map((move) => move ** 2)))).toBeLessThan(0.08);
    expect(shareOf(moves, (move) => Math.abs(move) < 0.2)).toBeGreaterThan(0.99);
  };

  test("a liar falls under one half within ten questions, and the others stay within noise", () => {
    const { liars, honest } = run(10, 1);
    expect(shareOf(liars, ({ now }) => now < 0.5)).toBeGreaterThan(0.99);
    expectNoise(honest);
    expect(run(60, 1).liars.every(({ now }) => now < 0.3)).toBe(true);
  });

  test("among honest workers nobody falls", () => {
    for (const count of [10, 60]) expectNoise(run(count, 0).honest);
  });

  test("two of five that agree on their lies mostly fall, but not always: a limit, not a promise", () => {
    const runs = seeds.map((seed) => simulate(seed, 60, 2));
    const isLost = shareOf(runs, (each) => each[0]!.now > each[2]!.now && each[1]!.now > each[2]!.now);
    expect(isLost).toBeGreaterThan(0.05);
    expect(isLost).toBeLessThan(0.25);
  });

  test("three of five that agree cannot be found: then the honest ones fall", () => {
    const { liars, honest } = run(20, 3);
    expect(shareOf(honest, ({ now }) => now < 0.5)).toBeGreaterThan(0.95);
    expect(shareOf(liars, ({ now }) => now < 0.5)).toBeLessThan(0.05);
  });
});
