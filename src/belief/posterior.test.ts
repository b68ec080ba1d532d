import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import {
  bestMass,
  type Dependence,
  expectedBestMass,
  hear,
  judge,
  NOTHING_SAID,
  probabilitiesOf,
  toCurve,
  totalMass,
} from "./posterior.ts";

const independent: Dependence = { difficulty: 0, coincidence: () => 0.25 };

/** Replies as [probability of the worker, group of its answer]. */
function listen(replies: readonly (readonly [number, number])[], dependence = independent) {
  return replies.reduce(
    (posterior, [p, group], worker) =>
      hear(posterior, worker, toCurve(p, dependence.difficulty), group, dependence),
    NOTHING_SAID,
  );
}

describe("the posterior over answers", () => {
  it("believes one reply as much as its worker", () => {
    const [first, none] = probabilitiesOf(listen([[0.8, 0]]));
    expect(first).toBeCloseTo(0.8, 6);
    expect(none).toBeCloseTo(0.2, 6);
  });

  it("is Bayes' rule where mistakes are independent", () => {
    // Right together .8 × .7; wrong together, and the same by coincidence, .2 × .3 × .25.
    const [agreed] = probabilitiesOf(
      listen([
        [0.8, 0],
        [0.7, 0],
      ]),
    );
    expect(agreed).toBeCloseTo(0.56 / (0.56 + 0.015), 6);
    const [a, b, none] = probabilitiesOf(
      listen([
        [0.8, 0],
        [0.7, 1],
      ]),
    );
    const masses = [0.8 * 0.3, 0.2 * 0.7, 0.2 * 0.3 * 0.75];
    const total = masses.reduce((sum, each) => sum + each, 0);
    for (const [i, each] of [a, b, none].entries()) expect(each).toBeCloseTo(masses[i]! / total, 6);
  });

  it("believes agreement less between workers that repeat each other's mistakes", () => {
    const replies = [
      [0.6, 0],
      [0.6, 0],
    ] as const;
    const alike = probabilitiesOf(listen(replies, { difficulty: 0, coincidence: () => 0.9 }))[0]!;
    const strangers = probabilitiesOf(listen(replies, { difficulty: 0, coincidence: () => 0.05 }))[0]!;
    expect(alike).toBeLessThan(strangers);
    expect(alike).toBeGreaterThan(0.6);
  });

  it("believes the rest less after a dispute where difficulty is common", () => {
    const dispute = [
      [0.7, 0],
      [0.7, 1],
    ] as const;
    const none = (difficulty: number) =>
      probabilitiesOf(listen(dispute, { difficulty, coincidence: () => 0.25 })).at(-1)!;
    expect(none(2)).toBeGreaterThan(none(0));
  });

  it("keeps the mean of a worker's probability whatever the difficulty weighs", () => {
    for (const p of [0.1, 0.5, 0.9]) {
      const [first] = probabilitiesOf(listen([[p, 0]], { difficulty: 2, coincidence: () => 0.25 }));
      expect(first).toBeCloseTo(p, 1);
    }
  });

  it("hears no answer as a sign of a hard question, and of nothing else", () => {
    const dependence = { difficulty: 1.5, coincidence: () => 0.25 };
    const [before] = probabilitiesOf(listen([[0.7, 0]], dependence));
    const [after] = probabilitiesOf(
      listen(
        [
          [0.7, 0],
          [0.9, -1],
        ],
        dependence,
      ),
    );
    expect(after).toBeLessThan(before!);
    expect(
      probabilitiesOf(
        listen([
          [0.7, 0],
          [0.9, -1],
        ]),
      )[0],
    ).toBeCloseTo(0.7, 6);
  });

  it("follows a verdict by how good the judge is", () => {
    const said = listen([[0.6, 0]]);
    const good = { sensitivity: 0.95, specificity: 0.9 };
    expect(probabilitiesOf(judge(said, 0, true, good))[0]).toBeGreaterThan(0.9);
    expect(probabilitiesOf(judge(said, 0, false, good))[0]).toBeLessThan(0.15);
    const blind = { sensitivity: 0.5, specificity: 0.5 };
    expect(probabilitiesOf(judge(said, 0, true, blind))[0]).toBeCloseTo(0.6, 6);
  });

  it("sums to one, and what could be said sums to what is believed", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.double({ min: 0.02, max: 0.98, noNaN: true }), fc.nat(3)), { maxLength: 8 }),
        fc.double({ min: 0, max: 3, noNaN: true }),
        fc.double({ min: 0.01, max: 0.9, noNaN: true }),
        fc.double({ min: 0.02, max: 0.98, noNaN: true }),
        (raw, difficulty, same, next) => {
          const dependence = { difficulty, coincidence: () => same };
          let groups = 0;
          const replies = raw.map(([p, wanted]) => {
            const group = Math.min(wanted, groups);
            groups = Math.max(groups, group + 1);
            return [p, group] as const;
          });
          const posterior = listen(replies, dependence);
          const all = probabilitiesOf(posterior);
          expect(all.reduce((sum, each) => sum + each, 0)).toBeCloseTo(1, 9);
          expect(all.every((each) => each >= 0)).toBe(true);
          // Whatever the next one says, the masses of all cases add up to the mass before.
          const curve = toCurve(next, difficulty);
          let sum = 0;
          for (let group = 0; group <= posterior.groups.length; group++)
            sum += totalMass(hear(posterior, 99, curve, group, dependence).mass);
          expect(sum / totalMass(posterior.mass)).toBeCloseTo(1, 9);
          expect(bestMass(posterior)).toBeLessThanOrEqual(totalMass(posterior.mass) * (1 + 1e-9));
        },
      ),
    );
  });
});

describe("a question with several right answers", () => {
  const curve = toCurve(0.8, 0);
  const several = (agreement: number) => ({ difficulty: 0, coincidence: () => 0.2, agreement });
  const disputed = (agreement: number) => {
    const first = hear(NOTHING_SAID, 0, curve, 0, several(agreement));
    return probabilitiesOf(hear(first, 1, curve, 1, several(agreement)));
  };

  test("a second answer says nothing against the first where right ones seldom agree", () => {
    expect(disputed(1)[0]).toBeCloseTo(disputed(1)[1]!, 9);
    expect(disputed(0.1)[0]).toBeGreaterThan(0.75);
    expect(disputed(0.1).reduce((sum, each) => sum + each, 0)).toBeCloseTo(1, 9);
  });

  test("what can be said sums to what there is, and the expected best is that over all replies", () => {
    for (const agreement of [1, 0.6, 0])
      for (const groups of [0, 1, 2]) {
        let posterior = NOTHING_SAID;
        for (let worker = 0; worker < groups; worker++)
          posterior = hear(posterior, worker, curve, worker, several(agreement));
        const replies = Array.from({ length: groups + 1 }, (_, group) =>
          hear(posterior, 9, toCurve(0.6, 0), group, several(agreement)),
        );
        const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
        expect(sum(replies.map(({ mass }) => totalMass(mass)))).toBeCloseTo(totalMass(posterior.mass), 9);
        const best = expectedBestMass(posterior, 9, toCurve(0.6, 0), several(agreement));
        expect(best).toBeCloseTo(sum(replies.map(bestMass)), 9);
      }
  });
});
