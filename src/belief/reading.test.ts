import { expect, it } from "vitest";
import { toBelief } from "../testing/belief.ts";
import { toLikeliest, toTaken } from "./reading.ts";

const belief = toBelief(
  [],
  [
    [0, 0.2, 0.01, "thinker"],
    [1, 0.15, 0.02, "worker"],
    [1, 0.12, 0.03, "verifier"],
  ],
);

it("what was taken is what the belief says, for each step its own", () => {
  const told = { ...belief, taken: [2, 0] };
  expect(toTaken(told, 0, 1)).toMatchObject({ worker: 1, role: "verifier" });
  expect(toTaken(told, 1, 0)).toMatchObject({ worker: 0, role: "thinker" });
});

it("where it does not say, it is the best option with that worker, if there is one", () => {
  expect(toTaken(belief, 0, 1)).toMatchObject({ worker: 1, role: "worker" });
  expect(toTaken({ ...belief, taken: [9] }, 0, 0)).toMatchObject({ role: "thinker" });
  expect(toTaken(belief, 0, 7)).toBeUndefined();
});

it("the likeliest answers are shown, the others are counted, and one other is shown instead of counted", () => {
  const many = (count: number) =>
    toBelief(
      Array.from({ length: count }, (_, i): [string, number] => [`answer ${i}`, 0.1]),
      [],
    );
  expect(toLikeliest(many(3), 2).shown).toHaveLength(3);
  expect(toLikeliest(many(3), 2).others).toEqual({ count: 0, probability: 0 });
  const { shown, others } = toLikeliest(many(4), 2);
  expect(shown.map(({ answer }) => answer)).toEqual(["answer 0", "answer 1"]);
  expect(others).toEqual({ count: 2, probability: 0.2 });
  expect(toLikeliest(many(0), 2)).toEqual({ shown: [], others: { count: 0, probability: 0 } });
});
